import { describe, expect, it } from "vitest";
import type { Mark } from "@/api/types";
import { opensOriginal, originalKind } from "@/features/sources/original/original-kind";
import { quoteAt } from "@/features/sources/original/placed-quote";

describe("the original of a source", () => {
  it("can be shown for pages, saved pages and pictures", () => {
    expect(originalKind("application/pdf")).toBe("pdf");
    expect(originalKind("text/html; charset=latin1")).toBe("page");
    expect(originalKind("image/svg+xml")).toBe("picture");
    for (const none of ["text/markdown", "text/csv", "image/tiff", "", null]) expect(originalKind(none)).toBeNull();
  });

  it("opens first, unless the place that is asked for is only in the text", () => {
    expect(opensOriginal("pdf", true)).toBe(true);
    expect(opensOriginal("picture", false)).toBe(true);
    expect(opensOriginal("picture", true)).toBe(false);
    // Without the property that brings a frame to its words.
    expect(opensOriginal("page", true)).toBe(false);
    expect(opensOriginal(null, false)).toBe(false);
  });
});

describe("quoted words with their place", () => {
  const text = "🚢 First page.\n\nSecond page, 港.";
  const page = (number: number, start_char: number, end_char: number): Mark => ({
    kind: "page",
    label: String(number),
    number,
    level: 0,
    start_char,
    end_char,
  });
  const marks = [page(1, 0, 13), page(2, 15, 30)];

  it("have their words, counted in characters, and their pages", () => {
    expect(quoteAt({ text, marks }, { start: 2, end: 7 })).toMatchObject({
      words: "First",
      before: "🚢 ",
      pages: { first: 1, last: 1 },
      anchor: "c=2-7",
    });
    expect(quoteAt({ text, marks }, { start: 8, end: 21 })).toMatchObject({
      words: "page.\n\nSecond",
      pages: { first: 1, last: 2 },
    });
    expect(quoteAt({ text, marks: [] }, { start: 2, end: 7 })?.pages).toBeNull();
  });

  it("are none where the text ends before them", () => {
    expect(quoteAt({ text, marks }, { start: 900, end: 901 })).toBeNull();
    expect(quoteAt({ text, marks }, null)).toBeNull();
  });
});
