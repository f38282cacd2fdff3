import { describe, expect, it } from "vitest";
import {
  categoryWord,
  dateWords,
  likelihood,
  reasonName,
  reasonWords,
  saysTheSame,
  shortDate,
  whenWords,
  shortened,
  typeWord,
} from "@/lib/event-words";

describe("when something was", () => {
  it("is said as exactly as the source tells", () => {
    expect(dateWords("2025-09-18")).toBe("18 September 2025");
    expect(dateWords("2025-09")).toBe("September 2025");
    expect(dateWords("1931")).toBe("1931");
    expect(dateWords(null)).toBeNull();
    expect(shortDate("2025-09-18")).toBe("18 Sep 2025");
    expect(shortDate("1931")).toBe("1931");
  });

  it("stays as it is where it is no date", () => {
    expect(dateWords("2025-13-01")).toBe("2025-13-01");
    expect(dateWords("soon")).toBe("soon");
    expect(shortDate("soon")).toBeNull();
  });

  it("says so where the date is the document's and not the text's", () => {
    expect(whenWords("18 September 2025", "text")).toBe("18 September 2025");
    expect(whenWords("18 September 2025", "document")).toBe("18 September 2025 (date of the document)");
    expect(whenWords(null, "document")).toBe("Date of the document");
    expect(whenWords(null, null)).toBeNull();
    expect(shortDate("2025-09-18", "document")).toBe("as of 18 Sep 2025");
    expect(shortDate("2025-09-18", "text")).toBe("18 Sep 2025");
  });
});

describe("why something is connected", () => {
  it("is said in words", () => {
    expect(reasonWords("same_actor:Alice Chen")).toBe("because Alice Chen also took part");
    expect(reasonWords("same_subject:Old Breakwater")).toBe("because it is also about Old Breakwater");
    expect(reasonWords("1_hop_via:QualityRisk")).toBe("because it is one step away, by a quality risk");
    expect(reasonName("same_actor:A: B")).toBe("A: B");
    expect(reasonName("1_hop_via:Decision")).toBeNull();
  });

  it("is said of whatever comes, without a name where there is none", () => {
    expect(reasonWords("")).toBe("because it is connected");
    expect(reasonWords("same_actor:")).toBe("because it is connected");
    expect(reasonWords("another:way")).toBe("because it is connected");
    expect(reasonWords(`same_actor:${"x".repeat(10_000)}`).length).toBeLessThan(120);
  });
});

it("names categories, types and likelihoods", () => {
  expect(categoryWord("QualityRisk")).toBe("Quality risk");
  expect(categoryWord("Decision")).toBe("Decision");
  expect(typeWord("org")).toBe("Organisation");
  expect(typeWord("ship_class")).toBe("Ship class");
  expect(likelihood(0.5987)).toBe("Likely, 60 %");
  expect(likelihood(0.3775)).toBe("Unlikely, 38 %");
  expect(likelihood(7)).toBe("Very likely, 100 %");
});

it("cuts a text between characters, and only where it is too long", () => {
  expect(shortened("Ines Corrow", 20)).toBe("Ines Corrow");
  expect(shortened("🚢🚢🚢🚢", 3)).toBe("🚢🚢…");
  expect(shortened("🚢🚢🚢", 3)).toBe("🚢🚢🚢");
  expect(Array.from(shortened("Verylongname".repeat(1000), 60))).toHaveLength(60);
});

it("knows when a narrative only repeats its quote", () => {
  expect(saysTheSame("The Board\nclosed it.", "The Board closed it. ")).toBe(true);
  expect(saysTheSame("The walkway was closed.", "The Board closed it.")).toBe(false);
});
