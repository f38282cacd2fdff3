import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PreviewAnswer, WrittenDocument } from "@/api/documents-types";
import { keptText } from "@/features/documents/kept-text";
import { findMarkers, markerCounts, markerOf } from "@/features/documents/markers";
import { carry, mergeChanges, replacement } from "@/features/documents/places";
import { isMissing, mergePages, Pictures, wantedPages } from "@/features/documents/preview-pages";
import { Saver } from "@/features/documents/saver";
import { shortened, sideOf, textDiff } from "@/features/documents/text-diff";
import { Problem } from "@/lib/problem";

describe("markers", () => {
  it("are footnotes of either format, with the places that they take", () => {
    expect(findMarkers("Rebuilt.[^3] Again[^12].", "markdown")).toEqual([
      { number: 3, from: 8, to: 12 },
      { number: 12, from: 18, to: 23 },
    ]);
    expect(findMarkers("Rebuilt.#footnote[3]", "typst", 100)).toEqual([{ number: 3, from: 108, to: 120 }]);
  });

  it("are not what says what a footnote is, nor footnotes with words", () => {
    expect(findMarkers("[^1]: Said there.\nSo it is[^1]: rebuilt.", "markdown").map(({ from }) => from)).toEqual([26]);
    expect(findMarkers("[^note] and #footnote[Words]", "markdown")).toEqual([]);
    expect(findMarkers("[^1] and #footnote[Words]", "typst")).toEqual([]);
  });

  it("are found again after they were written", () => {
    for (const format of ["markdown", "typst"] as const)
      expect(markerCounts(`a${markerOf(7, format)}b${markerOf(7, format)}`, format)).toEqual(new Map([[7, 2]]));
  });
});

describe("places", () => {
  it("move with what was typed before them, and are gone where it was typed into them", () => {
    const before = "The mole stands. It was rebuilt. It is old.";
    const ranges = [
      { from: 0, to: 16 },
      { from: 17, to: 32 },
      { from: 33, to: 43 },
    ];
    const moved = carry(before, "The mole stands. It was surely rebuilt. It is old.", ranges);
    expect(moved).toEqual([{ from: 0, to: 16 }, null, { from: 40, to: 50 }]);
    expect(carry(before, before, ranges)).toEqual(ranges);
  });

  it("are changed by two at once, unless it is the same place", () => {
    expect(mergeChanges("one two three", "one 1 two three", "one two 3")).toBe("one 1 two 3");
    expect(mergeChanges("one two three", "one 2 three", "one zwei three")).toBeNull();
    expect(mergeChanges("one", "one", "two")).toBe("two");
    expect(mergeChanges("one", "two", "one")).toBe("two");
  });

  it("are replaced by the least that differs, never half a character", () => {
    expect(replacement("a mole b", "a pier b")).toEqual({ from: 2, to: 6, insert: "pier" });
    expect(replacement("same", "same")).toBeNull();
    expect(replacement("a 🚢 b", "a 🚣 b")).toEqual({ from: 2, to: 4, insert: "🚣" });
    expect(replacement("aa", "aaa")).toEqual({ from: 2, to: 2, insert: "a" });
  });
});

const page = (number: number, hash: string, svg: string | null = "<svg/>") => ({
  number,
  width: 500,
  height: 700,
  hash,
  svg,
});
const answer = (page_count: number, pages: PreviewAnswer["pages"]): PreviewAnswer => ({
  page_count,
  pages,
  faults: [],
  elapsed_ms: 1,
});

describe("pages", () => {
  const urls = new Map([
    ["a", "blob:a"],
    ["b", "blob:b"],
    ["c", "blob:c"],
  ]);
  const urlOf = (hash: string) => urls.get(hash) ?? null;

  it("take what is new, keep what was not asked for, and end where the text ends", () => {
    const first = mergePages([], answer(3, [page(1, "a"), page(2, "b")]), urlOf);
    expect(first.map(({ url }) => url)).toEqual(["blob:a", "blob:b", null]);
    const next = mergePages(first, answer(2, [page(2, "c")]), urlOf);
    expect(next.map(({ url }) => url)).toEqual(["blob:a", "blob:c"]);
    const known = mergePages(next, answer(2, [page(1, "a", null)]), urlOf);
    expect(known[0]).toMatchObject({ hash: "a", url: "blob:a" });
  });

  it("stay when the text does not compile", () => {
    const first = mergePages([], answer(1, [page(1, "a")]), urlOf);
    expect(mergePages(first, answer(0, []), urlOf)).toEqual(first);
  });

  it("are asked for around those in sight", () => {
    expect(wantedPages({ first: 1, last: 2 }, 0)).toEqual({ from: 1, to: 4 });
    expect(wantedPages({ first: 5, last: 6 }, 40)).toEqual({ from: 4, to: 8 });
    expect(wantedPages({ first: 9, last: 9 }, 9)).toEqual({ from: 8, to: 9 });
    const shown = mergePages([], answer(3, [page(1, "a")]), urlOf);
    expect(isMissing(shown, { first: 1, last: 1 }, new Set([1]))).toBe(false);
    expect(isMissing(shown, { first: 1, last: 2 }, new Set([1]))).toBe(true);
  });

  it("let go of pictures that are neither shown nor new", () => {
    const gone: string[] = [];
    const pictures = new Pictures(
      2,
      (svg) => `blob:${svg}`,
      (url) => gone.push(url),
    );
    for (const hash of ["a", "b", "c"]) pictures.add(hash, hash);
    expect(pictures.url("a")).toBe("blob:a");
    pictures.trim(new Set(["b"]));
    expect(gone).toEqual(["blob:c"]);
    expect(pictures.known()).toEqual(["b", "a"]);
    pictures.clear();
    expect(gone).toHaveLength(3);
  });
});

describe("a comparison", () => {
  it("has every word of both", () => {
    const parts = textDiff("The mole was rebuilt.", "The old mole was rebuilt in 1931.");
    expect(
      sideOf(parts, "removed")
        .map(({ text }) => text)
        .join(""),
    ).toBe("The mole was rebuilt.");
    expect(
      sideOf(parts, "added")
        .map(({ text }) => text)
        .join(""),
    ).toBe("The old mole was rebuilt in 1931.");
    expect(parts.filter(({ kind }) => kind === "added").map(({ text }) => text.trim())).toEqual(["old", "in 1931"]);
  });

  it("leaves out the middle of what is the same, and says how much", () => {
    const long = "tide ".repeat(400);
    const [start, , end] = shortened([
      { kind: "same", text: long },
      { kind: "added", text: "x" },
      { kind: "same", text: long },
    ]);
    expect(start!.text).toBe("");
    expect(start!.hidden!.count + start!.hidden!.tail.length).toBe(long.length);
    expect(end!.text.length + end!.hidden!.count).toBe(long.length);
    expect(shortened([{ kind: "same", text: "short" }])).toEqual([{ kind: "same", text: "short" }]);
  });
});

describe("saving", () => {
  const store = new Map<string, string>();
  const doc = (text: string, version: number) => ({ document_id: "d", text, version }) as WrittenDocument;

  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal("localStorage", {
      getItem: (key: string) => store.get(key) ?? null,
      setItem: (key: string, value: string) => store.set(key, value),
      removeItem: (key: string) => store.delete(key),
    });
  });
  afterEach(() => {
    store.clear();
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  /** A server that holds a document. */
  function server(text: string) {
    const held = { text, version: 1, sent: [] as string[], down: false };
    const send = (next: string, base: number): Promise<WrittenDocument> => {
      held.sent.push(next);
      if (held.down) return Promise.reject(Problem.unreachable());
      if (base !== held.version)
        return Promise.reject(new Problem(409, { code: "document_changed", current: doc(held.text, held.version) }));
      held.text = next;
      held.version += 1;
      return Promise.resolve(doc(held.text, held.version));
    };
    return { held, send, saver: new Saver(doc(text, 1), null, { send, onDocument: () => undefined }) };
  }

  it("waits for a pause, sends the last words, and keeps them until they are there", async () => {
    const { held, saver } = server("a");
    saver.edited("ab");
    saver.edited("abc");
    expect(saver.state().kind).toBe("typed");
    expect(keptText("d")).toEqual({ base_version: 1, text: "abc" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(held.sent).toEqual(["abc"]);
    expect(saver.state()).toEqual({ kind: "saved", version: 2 });
    expect(keptText("d")).toBeNull();
  });

  it("tries again when the server was away, and loses nothing", async () => {
    const { held, saver } = server("a");
    held.down = true;
    saver.edited("ab");
    await vi.advanceTimersByTimeAsync(1000);
    expect(saver.state()).toMatchObject({ kind: "failed" });
    expect(keptText("d")?.text).toBe("ab");
    held.down = false;
    await vi.advanceTimersByTimeAsync(3000);
    expect(saver.state().kind).toBe("saved");
    expect(held.text).toBe("ab");
  });

  it("is no conflict where others changed something else than the text", async () => {
    const { held, saver } = server("a");
    held.version = 5;
    saver.edited("ab");
    await saver.flush();
    expect(saver.state()).toEqual({ kind: "saved", version: 6 });
  });

  it("asks where others changed the text, and saves over it or takes it", async () => {
    const { held, saver } = server("a");
    Object.assign(held, { text: "theirs", version: 2 });
    saver.edited("mine");
    await expect(saver.flush()).rejects.toThrow();
    expect(saver.state()).toMatchObject({ kind: "conflict", current: { text: "theirs" } });
    saver.edited("mine, more");
    expect(keptText("d")?.text).toBe("mine, more");
    await saver.keepMine();
    expect(held.text).toBe("mine, more");
    expect(saver.state()).toEqual({ kind: "saved", version: 3 });

    saver.adopt(doc("other", 9));
    expect(saver.text).toBe("other");
    expect(saver.isDirty()).toBe(false);
  });

  it("takes what others wrote while nothing is unsaved, and holds on to what is", () => {
    const { saver } = server("a");
    expect(saver.told(doc("b", 2))).toBe(true);
    expect(saver.text).toBe("b");
    saver.edited("mine");
    expect(saver.told(doc("c", 3))).toBe(false);
    expect(saver.text).toBe("mine");
    expect(saver.told(doc("b", 4))).toBe(false);
    expect(saver.state()).toEqual({ kind: "typed", version: 4 });
  });

  it("puts together what was typed with what one's own request did to the text", () => {
    const { saver } = server("Cited.[^1] More.");
    saver.edited("Cited.[^1] More. And more.");
    expect(saver.told(doc("Cited. More.", 2), true)).toBe(true);
    expect(saver.text).toBe("Cited. More. And more.");
    expect(saver.isDirty()).toBe(true);
  });

  it("goes on with what a closed window left, and asks if the document went on, too", async () => {
    const { held, send } = server("a");
    const saver = new Saver(doc("a", 1), { base_version: 1, text: "left" }, { send, onDocument: () => undefined });
    expect(saver.text).toBe("left");
    saver.start();
    await vi.advanceTimersByTimeAsync(1000);
    expect(held.text).toBe("left");
    expect(
      new Saver(doc("b", 3), { base_version: 1, text: "left" }, { send, onDocument: () => undefined }).state().kind,
    ).toBe("conflict");
    expect(
      new Saver(doc("left", 3), { base_version: 1, text: "left" }, { send, onDocument: () => undefined }).state().kind,
    ).toBe("saved");
  });

  it("saves before what makes a version of its own, and what is typed meanwhile after it", async () => {
    const { held, saver } = server("a");
    saver.edited("ab");
    const other = saver.alone(async (base) => {
      saver.edited("abc");
      await Promise.resolve();
      held.version += 1;
      return base;
    });
    expect(await other).toBe(2);
    saver.passed(3);
    await vi.advanceTimersByTimeAsync(1000);
    expect(held).toMatchObject({ text: "abc", version: 4, sent: ["ab", "abc"] });
    saver.passed(9);
    expect(saver.state()).toEqual({ kind: "saved", version: 4 });
  });
});
