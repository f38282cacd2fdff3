import { describe, expect, it } from "vitest";
import type { Citation, MarkerPlace } from "@/api/types";
import {
  asWritten,
  markAt,
  placeCitations,
  sameBadges,
  splitBadges,
  type Placed,
  type Uncited,
} from "@/lib/citation-places";
import { citationHref, citationLabel, citedSources, kindOf, standingOf, verdictSummary } from "@/lib/citation-words";
import { footnotesOf, withFootnotes } from "@/lib/footnotes";

/** A citation of a number at a marker, counted in Unicode scalar values as the server does. */
function cite(content: string, marker: string, number: number, more: Partial<Citation> = {}, from = 0): Citation {
  const at = content.indexOf(marker, from);
  const start_index = [...content.slice(0, at)].length;
  return {
    id: `${number}@${start_index}`,
    number,
    start_index,
    end_index: start_index + [...marker].length,
    title: `Source ${number}`,
    quote: `Words of ${number}.`,
    availability: "available",
    state: "current",
    verdict: "supported",
    source_type: "blob_storage",
    mime_type: "text/plain",
    ...more,
  } as Citation;
}

/** A marker in a text, counted in Unicode scalar values as the server does. */
function mark(content: string, marker: string, numbers: number[], from = 0): MarkerPlace {
  const start_index = [...content.slice(0, content.indexOf(marker, from))].length;
  return { start_index, end_index: start_index + [...marker].length, numbers };
}

/** The markers that stand where the citations do, as the server gives them. */
function markersOf(citations: readonly Citation[]): MarkerPlace[] {
  return citations.map(({ start_index, end_index, number }) => ({ start_index, end_index, numbers: [number] }));
}

/** Of a text in which each marker names nothing but what is cited there. */
function placeAll(content: string, citations: readonly Citation[], uncited?: readonly Uncited[]): Placed {
  return placeCitations(content, markersOf(citations), citations, uncited);
}

/** The text with each badge as ⟦numbers⟧. */
function shown({ text, badges }: Placed): string {
  return splitBadges(text)
    .map((piece) =>
      typeof piece === "number" ? `⟦${badges[piece]!.items.map(({ number }) => number).join(",")}⟧` : piece,
    )
    .join("");
}

/** A statement without a source, counted in Unicode scalar values as the server does. */
function uncited(content: string, text: string): Uncited {
  const start_index = [...content.slice(0, content.indexOf(text))].length;
  return { text, start_index, end_index: start_index + [...text].length };
}

describe("marks", () => {
  const content = "🚢 The mole stood [1]. **It fell.** It 港 rose. [1][2] It was cheap.";
  const citations = [cite(content, "[1]", 1), cite(content, "[1]", 1, {}, 30), cite(content, "[2]", 2)];
  const marks = [uncited(content, "It was cheap."), uncited(content, "**It fell.**"), uncited(content, "It 港 rose.")];
  const placed = placeAll(content, citations, marks);

  it("stand where their statements end, and leave the signs of badges as they are", () => {
    const signs = splitBadges(placed.text).map((piece) =>
      typeof piece === "string" ? piece : markAt(piece) === null ? `⟦${piece}⟧` : `⟨${markAt(piece)}⟩`,
    );
    expect(signs.join("")).toBe("🚢 The mole stood⟦0⟧. **It fell.**⟨1⟩ It 港 rose.⟨2⟩⟦1⟧ It was cheap.⟨0⟩");
    expect(placed.badges).toEqual(placeAll(content, citations).badges);
  });

  it("are no part of what is copied", () => {
    expect(asWritten(placed.text, placed.badges)).toBe(content);
    expect(withFootnotes(placed, [])).toBe(withFootnotes(placeAll(content, citations), []));
  });

  it("past the end, or inside a marker, still stand somewhere", () => {
    const far = placeAll(
      "a [1] b",
      [cite("a [1] b", "[1]", 1)],
      [
        { text: "x", start_index: 0, end_index: 3 },
        { text: "y", start_index: 0, end_index: 99 },
      ],
    );
    expect(splitBadges(far.text).filter((piece) => typeof piece === "number" && markAt(piece) !== null)).toHaveLength(
      2,
    );
  });
});

describe("badges", () => {
  it("stand at their places after emoji, CJK and joined characters", () => {
    const content = "🚢🚢 港の防波堤 👩‍👧 e\u0301 was rebuilt [1]. 𠮷 stood [2].";
    const placed = placeAll(content, [cite(content, "[1]", 1), cite(content, "[2]", 2)]);
    expect(shown(placed)).toBe("🚢🚢 港の防波堤 👩‍👧 e\u0301 was rebuilt⟦1⟧. 𠮷 stood⟦2⟧.");
    expect(asWritten(placed.text, placed.badges)).toBe(content);
  });

  it("of one marker, and of markers side by side, are one", () => {
    const content = "a [1, 2] b [1][3] c [2] [4] d [1]\n[2]";
    const citations = [
      cite(content, "[1, 2]", 1),
      cite(content, "[1, 2]", 2),
      cite(content, "[1]", 1),
      cite(content, "[3]", 3),
      cite(content, "[2]", 2),
      cite(content, "[4]", 4),
      cite(content, "[1]", 1, {}, 25),
      cite(content, "[2]", 2, {}, 32),
    ];
    expect(shown(placeAll(content, citations))).toBe("a⟦1,2⟧ b⟦1,3⟧ c⟦2,4⟧ d⟦1⟧\n⟦2⟧");
  });

  it("keep the numbers that name nothing, after those that do, and leave other brackets alone", () => {
    const content = "a [9, 1] and [9] and [note]";
    const placed = placeCitations(content, [mark(content, "[9, 1]", [9, 1])], [cite(content, "[9, 1]", 1)]);
    expect(shown(placed)).toBe("a⟦1,9⟧ and [9] and [note]");
    expect(placed.badges[0]!.items.map(({ citation }) => citation?.number ?? null)).toEqual([1, null]);
  });

  it("stand at a citation that no marker was told of, but not at a marker that names nothing", () => {
    const content = "a [1] b [x] c";
    expect(shown(placeCitations(content, [mark(content, "[x]", [])], [cite(content, "[1]", 1)]))).toBe("a⟦1⟧ b [x] c");
  });

  it("hold for markers of other forms, and never overlap", () => {
    const content = 'a <gml-inlinecitation identifier="x"/> b [1] c';
    const tag = '<gml-inlinecitation identifier="x"/>';
    const inside = cite(content, "identifier", 2);
    expect(shown(placeAll(content, [cite(content, tag, 1), inside, cite(content, "[1]", 1)]))).toBe("a⟦1⟧ b⟦1⟧ c");
    expect(shown(placeAll("ab", [cite("ab", "zz", 1, { start_index: 5, end_index: 9 })]))).toBe("ab");
  });

  it("cannot be made up by a text", () => {
    const content = "fake \u2e28\ue0000\ue001\u2e29 [1]";
    const placed = placeAll(content, [cite(content, "[1]", 1)]);
    expect(splitBadges(placed.text).filter((piece) => typeof piece === "number")).toEqual([0]);
  });

  it("appear while the text comes, at the markers that came with it", () => {
    const content = "🚢 a [1] b [2][3] c [9] d [1](x) [1]: y [1-3] z[4, 2]";
    const markers = [
      mark(content, "[1]", [1]),
      mark(content, "[2]", [2]),
      mark(content, "[3]", [3]),
      mark(content, "[1-3]", [1, 2, 3]),
      mark(content, "[4, 2]", [4, 2]),
    ];
    expect(shown(placeCitations(content, markers, []))).toBe("🚢 a⟦1⟧ b⟦2,3⟧ c [9] d [1](x) [1]: y⟦1,2,3⟧ z⟦4,2⟧");
  });

  it("stay where they are when the rest of the text comes, and when their citations do", () => {
    const content = "a [1] b";
    const markers = [mark(content, "[1]", [1])];
    const coming = placeCitations(content, markers, []);
    const kept = placeCitations(content, markers, [cite(content, "[1]", 1)]);
    expect(coming.text).toBe(kept.text);
    expect(sameBadges(placeCitations("a [1]", markers, []).badges, coming.badges)).toBe(true);
    expect(sameBadges(coming.badges, kept.badges)).toBe(false);
  });
});

describe("words about citations", () => {
  const content = "a [1] b [2] c [1]";
  const one = cite(content, "[1]", 1, { claim_start_index: 0, page: 3, last_page: 4, verdict: "partial" });
  const two = cite(content, "[2]", 2, { claim_start_index: 0, source_type: "web", url: "https://a.b/c" });
  const three = cite(content, "[1]", 1, { claim_start_index: 12, verdict: "unsupported", quote: "Other." }, 10);

  it("say how it stands", () => {
    expect(standingOf({ ...one, availability: "deleted" })).toBe("deleted");
    expect(standingOf({ ...one, state: "changed" })).toBe("changed");
    expect(citationLabel(one)).toBe("citation 1, partly supported, Source 1, pages 3–4");
    expect(verdictSummary([one, two, three])).toBe("2 claims · 1 supported · 1 with no evidence found");
    expect(verdictSummary([two])).toBe("1 claim · 1 supported");
  });

  it("lead to the quoted words, or to the web, and never to a script", () => {
    const source_id = "01a1e1a3-19ff-77dd-a08a-9d1b583058f2";
    expect(citationHref({ ...one, source_id, revision_id: "r", start_char: 4, end_char: 9 })).toBe(
      `/sources/${source_id}?revision=r#c=4-9`,
    );
    expect(citationHref(two)).toBe("https://a.b/c");
    expect(citationHref({ ...two, url: "javascript:alert(1)" })).toBeNull();
  });

  it("sort sources by kind and number, each quote once", () => {
    expect(
      citedSources([two, one, one, three]).map(({ number, kind, citations }) => [number, kind, citations.length]),
    ).toEqual([
      [1, "documents", 2],
      [2, "web", 1],
    ]);
    expect(kindOf({ source_type: "blob_storage", mime_type: "text/csv" })).toBe("data");
    expect(kindOf({ source_type: "memory", mime_type: "" })).toBe("generated");
  });

  it("become footnotes", () => {
    const text = "🚢 It stood [1][2]. **So** [1] `[1]` [9].";
    const hostile = { title: "A *title* <b>", quote: "Two\nlines [x]." };
    const citations = [
      cite(text, "[1]", 1, { ...hostile, source_id: "abc", page: 3 }),
      cite(text, "[2]", 2, { url: "https://a.b/c" }),
      cite(text, "[1]", 1, { title: hostile.title, quote: "Other." }, 20),
    ];
    const notes = footnotesOf(citations, "http://ibid.test");
    expect(withFootnotes(placeAll(text, citations), notes)).toBe(
      "🚢 It stood[^1][^2]. **So**[^1] `[1]` [9].\n\n" +
        "[^1]: A \\*title\\* \\<b\\>. “Two lines \\[x\\].” (page 3) “Other.” <http://ibid.test/sources/abc>\n" +
        "[^2]: Source 2. “Words of 2.” <https://a.b/c>",
    );
    expect(withFootnotes(placeAll("No source.", []), [])).toBe("No source.");
  });
});
