import { describe, expect, it } from "vitest";
import type { KnownEvent, Mention, Pair } from "@/api/types";
import { parseEntitiesSearch, parseEntitySearch } from "@/features/entities/entities-search";
import { byMonth, bySource, entityLine } from "@/features/entities/entity-words";
import { shownAt, withAgain, without } from "@/features/entities/review-queue";

const event = (id: string, event_date: string | null) => ({ id, event_date }) as KnownEvent;
const mention = (id: string, source_id: string, surface_form: string, start_char: number) =>
  ({ id, source_id, source_title: source_id.toUpperCase(), surface_form, start_char }) as Mention;
const pair = (pair_id: string, state = "open") => ({ pair_id, state }) as Pair;

describe("the timeline", () => {
  it("goes by year and month, and ends with what has no date", () => {
    const years = byMonth([
      event("a", "2025-09-20"),
      event("b", "2025-09-18"),
      event("x", "some day"),
      event("c", "2025-01"),
      event("d", "2025"),
      event("e", "1931"),
      event("f", null),
    ]);
    const said = years.map(
      ({ year, months }) =>
        `${year}: ${months.map(({ month, events }) => `${month} ${events.map(({ event: { id }, when }) => `${id}/${when}`).join()}`).join("; ")}`,
    );
    expect(said).toEqual([
      "2025: September a/20 September 2025,b/18 September 2025; January c/null; null d/null",
      "1931: null e/null",
      "null: null x/null,f/null",
    ]);
    expect(byMonth([])).toEqual([]);
  });
});

it("has mentions as an index: by source, by how they are written, in the order of the text", () => {
  const found = bySource([
    mention("1", "a", "Ines", 30),
    mention("2", "a", "Ines Corrow", 5),
    mention("3", "b", "Ines", 1),
    mention("4", "a", "Ines", 10),
  ]);
  expect(
    found.map(
      ({ title, forms }) =>
        `${title}: ${forms.map(({ form, mentions }) => `${form} ${mentions.map(({ id }) => id).join()}`).join("; ")}`,
    ),
  ).toEqual(["A: Ines 4,1; Ines Corrow 2", "B: Ines 3"]);
});

it("says what somebody is there for", () => {
  expect(entityLine({ role: "harbour master", organization: "Harbour Office" })).toBe(
    "Harbour master · Harbour Office",
  );
  expect(entityLine({ role: null, organization: null })).toBe("");
});

it("keeps in the address what is meant and drops the rest", () => {
  expect(parseEntitiesSearch({ q: 1931, type: "org", page: 3 })).toEqual({ q: "1931", type: "org" });
  expect(parseEntitiesSearch({ q: " ", type: "ship" })).toEqual({});
  expect(parseEntitySearch({ view: "picture" })).toEqual({ view: "picture" });
  expect(parseEntitySearch({ view: "timeline" })).toEqual({});
  expect(parseEntitySearch({ view: "<b>" })).toEqual({});
});

describe("the review", () => {
  const pages = (...ids: string[][]) => ({
    pages: ids.map((items) => ({ items: items.map((id) => pair(id)), next_cursor: null })),
    pageParams: ids.map(() => null),
  });
  const ids = (data: ReturnType<typeof without>) =>
    data?.pages.map(({ items }) => items.map(({ pair_id }) => pair_id).join("")).join("|");

  it("takes a pair out and puts it back where it was", () => {
    const before = pages(["a", "b"], ["c", "d"]);
    for (const [at, id] of ["a", "b", "c", "d"].entries()) {
      const after = withAgain(without(before, id), { pair: pair(id, "same"), at });
      expect(ids(after)?.replace("|", "")).toBe("abcd");
      expect(after?.pages.flatMap(({ items }) => items).every(({ state }) => state === "open")).toBe(true);
    }
  });

  it("does not put back what is there, and finds a place in a list that has shrunk", () => {
    expect(ids(withAgain(pages(["a", "b"]), { pair: pair("a"), at: 1 }))).toBe("ab");
    expect(ids(withAgain(pages(["a"]), { pair: pair("z"), at: 9 }))).toBe("az");
    expect(withAgain(undefined, { pair: pair("a"), at: 0 })).toBeUndefined();
  });

  it("shows the pair that was moved to, or the one that stands in its place", () => {
    const pairs = [pair("a"), pair("b"), pair("c")];
    expect(shownAt(pairs, { id: "c", at: 0 })).toBe(2);
    expect(shownAt(pairs, { id: null, at: 1 })).toBe(1);
    expect(shownAt(pairs, { id: "gone", at: 7 })).toBe(2);
    expect(shownAt([], { id: null, at: 3 })).toBe(0);
  });
});
