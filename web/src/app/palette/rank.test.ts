import { describe, expect, it } from "vitest";
import { match, rank } from "@/app/palette/rank";

const labels = (query: string, ...all: string[]) =>
  rank(
    query,
    all.map((label) => ({ label })),
  ).map(({ item }) => item.label);
const marked = (query: string, text: string) => {
  const found = match(query, text);
  return found && Array.from(text, (character, at) => (found.marks.has(at) ? `[${character}]` : character)).join("");
};

describe("what fits", () => {
  it("is found by its beginning before the beginning of a word, before the middle of one, before its letters", () => {
    expect(labels("sou", "Resources", "Go to Sources", "Sources", "Show our quay")).toEqual([
      "Sources",
      "Go to Sources",
      "Resources",
      "Show our quay",
    ]);
  });

  it("is the whole text before a longer one", () => {
    expect(labels("ask", "Ask a question", "Ask", "Tasks")).toEqual(["Ask", "Ask a question", "Tasks"]);
  });

  it("is found by the letters that its words begin with", () => {
    expect(labels("af", "Add files", "Add an address")).toEqual(["Add files"]);
    expect(marked("hs", "Harbour survey")).toBe("[H]arbour [s]urvey");
  });

  it("needs every word, in any order", () => {
    expect(labels("1931 min", "Minutes 1930", "Minutes of March 1931")).toEqual(["Minutes of March 1931"]);
    expect(marked("1931 min", "Minutes 1931")).toBe("[M][i][n]utes [1][9][3][1]");
  });

  it("does not care for case and accents, and marks the right characters after wide ones", () => {
    expect(marked("hofn", "Höfn 🚢")).toBe("[H][ö][f][n] 🚢");
    expect(marked("quay", "🚢 Quay")).toBe("🚢 [Q][u][a][y]");
  });

  it("is not found by letters strewn over a long title", () => {
    expect(match("qly", "Minutes of the harbour board, quarter of the year")).toBeNull();
    expect(match("xyz", "Sources")).toBeNull();
    expect(match("settings", "Set")).toBeNull();
  });

  it("is everything in its order when nothing is asked for", () => {
    expect(labels("", "Below", "A")).toEqual(["Below", "A"]);
    expect(labels("   ", "B", "A")).toEqual(["B", "A"]);
  });
});

it("knows things by other words, after what is called so itself", () => {
  const items = [{ label: "Theme: dark", also: "night mode" }, { label: "Night ferries" }];
  expect(rank("night", items).map(({ item }) => item.label)).toEqual(["Night ferries", "Theme: dark"]);
  expect(rank("night", items)[1]?.marks.size).toBe(0);
  expect(rank("night theme", items).map(({ item }) => item.label)).toEqual(["Theme: dark"]);
});

it("is quick over thousands of titles", () => {
  const titles = Array.from({ length: 5000 }, (_, index) => ({
    label: `Minutes of the harbour board, meeting ${index} of the year`,
  }));
  const began = performance.now();
  rank("minutes hb 49", titles);
  expect(performance.now() - began).toBeLessThan(500);
});
