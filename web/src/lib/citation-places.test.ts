import { describe, expect, it } from "vitest";
import type { Citation } from "@/api/types";
import {
  asWritten,
  markAt,
  placeCitations,
  placeNumbers,
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
  const placed = placeCitations(content, citations, marks);

  it("stand where their statements end, and leave the signs of badges as they are", () => {
    const signs = splitBadges(placed.text).map((piece) =>
      typeof piece === "string" ? piece : markAt(piece) === null ? `⟦${piece}⟧` : `⟨${markAt(piece)}⟩`,
    );
    expect(signs.join("")).toBe("🚢 The mole stood⟦0⟧. **It fell.**⟨1⟩ It 港 rose.⟨2⟩⟦1⟧ It was cheap.⟨0⟩");
    expect(placed.badges).toEqual(placeCitations(content, citations).badges);
  });

  it("are no part of what is copied", () => {
    expect(asWritten(placed.text, placed.badges)).toBe(content);
    expect(withFootnotes(placed, [])).toBe(withFootnotes(placeCitations(content, citations), []));
  });

  it("past the end, or inside a marker, still stand somewhere", () => {
    const far = placeCitations(
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
    const placed = placeCitations(content, [cite(content, "[1]", 1), cite(content, "[2]", 2)]);
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
    expect(shown(placeCitations(content, citations))).toBe("a⟦1,2⟧ b⟦1,3⟧ c⟦2,4⟧ d⟦1⟧\n⟦2⟧");
  });

  it("keep the numbers that name nothing, and leave other brackets alone", () => {
    const content = "a [1, 9] and [9] and [note]";
    const placed = placeCitations(content, [cite(content, "[1, 9]", 1)]);
    expect(shown(placed)).toBe("a⟦1,9⟧ and [9] and [note]");
    expect(placed.badges[0]!.items[1]!.citation).toBeNull();
  });

  it("hold for markers of other forms, and never overlap", () => {
    const content = 'a <gml-inlinecitation identifier="x"/> b [1] c';
    const tag = '<gml-inlinecitation identifier="x"/>';
    const inside = cite(content, "identifier", 2);
    expect(shown(placeCitations(content, [cite(content, tag, 1), inside, cite(content, "[1]", 1)]))).toBe(
      "a⟦1⟧ b⟦1⟧ c",
    );
    expect(shown(placeCitations("ab", [cite("ab", "zz", 1, { start_index: 5, end_index: 9 })]))).toBe("ab");
  });

  it("cannot be made up by a text", () => {
    const content = "fake \u2e28\ue0000\ue001\u2e29 [1]";
    const placed = placeCitations(content, [cite(content, "[1]", 1)]);
    expect(splitBadges(placed.text).filter((piece) => typeof piece === "number")).toEqual([0]);
  });

  it("appear while the text comes, for numbers that are known", () => {
    const known = new Set([1, 2, 3]);
    expect(shown(placeNumbers("a [1] b [2][3] c [9] d [1](x) [1]: y [1-3] z[4, 2]", known))).toBe(
      "a⟦1⟧ b⟦2,3⟧ c [9] d [1](x) [1]: y⟦1,2,3⟧ z⟦4,2⟧",
    );
    const kept = placeCitations("a [1] b", [cite("a [1] b", "[1]", 1)]);
    expect(placeNumbers("a [1] b", known).text).toBe(kept.text);
    expect(sameBadges(placeNumbers("a [1]", known).badges, placeNumbers("a [1] more", known).badges)).toBe(true);
    expect(sameBadges(placeNumbers("a [1]", known).badges, kept.badges)).toBe(false);
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
    expect(withFootnotes(placeCitations(text, citations), notes)).toBe(
      "🚢 It stood[^1][^2]. **So**[^1] `[1]` [9].\n\n" +
        "[^1]: A \\*title\\* \\<b\\>. “Two lines \\[x\\].” (page 3) “Other.” <http://ibid.test/sources/abc>\n" +
        "[^2]: Source 2. “Words of 2.” <https://a.b/c>",
    );
    expect(withFootnotes(placeCitations("No source.", []), [])).toBe("No source.");
  });
});
