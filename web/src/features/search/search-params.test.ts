import { describe, expect, it } from "vitest";
import { excerpt, foundWords } from "@/features/search/search-words";
import { categories, filterCount, nextLimit, parseSearch, searchBody } from "@/features/search/search-params";

describe("a result in words", () => {
  it("says why it is where it is", () => {
    expect(foundWords({ bm25_rank: 1, vector_rank: 22 })).toBe("1st by words, 22nd by meaning");
    expect(foundWords({ bm25_rank: null, vector_rank: 13 })).toBe("13th by meaning");
  });

  it("shows of a long quote the part that matches, with the matches at their places", () => {
    const quote = `${"🚢 tide ".repeat(100)}the mole was rebuilt ${"ebb ".repeat(200)}`;
    const start = [...quote.slice(0, quote.indexOf("mole"))].length;
    const short = excerpt({ quote, matches: [{ start, end: start + 4 }] });
    const [match] = short.matches;
    expect([...short.quote].slice(match!.start, match!.end).join("")).toBe("mole");
    expect([...short.quote].length).toBeLessThan(460);
    expect(short.quote).toMatch(/^… (tide|🚢)/u);
    expect(short.quote).toMatch(/ …$/);
    expect(excerpt({ quote: "short", matches: [] })).toEqual({ quote: "short", matches: [] });
    expect([...excerpt({ quote: "x".repeat(5000), matches: [] }).quote].length).toBeLessThan(460);
  });
});

describe("a search in the address", () => {
  it("keeps what is meant and drops the rest", () => {
    expect(
      parseSearch({
        q: " mole ",
        type: "WEB_PAGE",
        origin: "web",
        tag: "harbour",
        language: "en",
        from: "1931-01-01",
        to: "x",
      }),
    ).toEqual({
      q: "mole",
      type: "WEB_PAGE",
      origin: "web",
      tag: "harbour",
      language: "en",
      from: "1931-01-01",
    });
    expect(parseSearch({ q: 1931, type: "NONE", limit: 10, graph_budget: 51, expand_neighbors: "yes" })).toEqual({
      q: "1931",
    });
    expect(parseSearch({ expand_neighbors: true, graph_expand: false, graph_budget: 0, limit: 30 })).toEqual({
      expand_neighbors: true,
      graph_expand: false,
      graph_budget: 0,
      limit: 30,
    });
  });

  it("has categories in one order, and a word for all of them", () => {
    expect(parseSearch({ graph_filters: "Change,Nothing,Decision" }).graph_filters).toBe("Decision,Change");
    expect(parseSearch({ graph_filters: "" }).graph_filters).toBe("all");
    expect(categories("all")).toEqual([]);
  });

  it("becomes a call that says only what differs", () => {
    expect(searchBody({ q: "mole" })).toEqual({ query: "mole", limit: 10 });
    expect(
      searchBody({
        q: "mole",
        type: "WEB_PAGE",
        tag: "harbour, minutes",
        to: "1931-12-31",
        graph_filters: "all",
        expand_neighbors: true,
      }),
    ).toEqual({
      query: "mole",
      limit: 10,
      expand_neighbors: true,
      graph_filters: [],
      filters: { type: ["WEB_PAGE"], tags: ["harbour", "minutes"], to: "1932-01-01" },
    });
  });

  it("counts its filters and grows by the page", () => {
    expect(filterCount({ q: "mole", type: "WEB_PAGE", from: "1931-01-01", expand_neighbors: true })).toBe(2);
    expect(nextLimit({})).toBe(20);
    expect(nextLimit({ limit: 195 })).toBe(200);
  });
});
