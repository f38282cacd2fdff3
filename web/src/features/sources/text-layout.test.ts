import { describe, expect, it } from "vitest";
import type { Mark } from "@/api/types";
import { layOut, overlap, type Block } from "@/features/sources/text-layout";
import { spanStretch } from "@/features/sources/text-span";
import { parseSpan, spanHash } from "@/lib/span";

const scalars = (text: string) => [...text].length;

/** A mark from where `from` stands in the text to the text's end, in scalar values. */
function mark(kind: Mark["kind"], label: string, text: string, from: string, level = 0): Mark {
  return {
    kind,
    label,
    level,
    number: null,
    start_char: scalars(text.slice(0, text.indexOf(from))),
    end_char: scalars(text),
  };
}

function shown(text: string, blocks: Block[]) {
  return blocks.map(({ label, pieces }) => [
    label,
    ...pieces.map(({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`),
  ]);
}

describe("layOut", () => {
  it("finds headings that the text spells out, behind an emoji too", () => {
    const text = "# Survey 🚢\n\nDepth: 7.2 m.\n\n## 港\nThe mole stands.\n\n<b>as text</b>";
    const blocks = layOut(text, [mark("section", "Survey 🚢", text, "#", 1), mark("section", "港", text, "## 港", 2)]);
    expect(shown(text, blocks)).toEqual([
      [
        null,
        "heading: # Survey 🚢",
        "paragraph: Depth: 7.2 m.",
        "heading: ## 港",
        "paragraph: The mole stands.",
        "paragraph: <b>as text</b>",
      ],
    ]);
    expect(blocks[0]!.pieces.map(({ level, prefix }) => [level, prefix]).slice(0, 3)).toEqual([
      [1, 2],
      [0, 0],
      [2, 3],
    ]);
  });

  it("puts a heading above where the text does not have it", () => {
    const text = "It was cold.";
    const [block] = layOut(text, [mark("section", "One", text, "It", 1), mark("section", "Winter", text, "It", 2)]);
    expect(block!.pieces[0]!.above).toEqual([
      { label: "One", level: 1 },
      { label: "Winter", level: 2 },
    ]);
  });

  it("begins a block at every page, also in the midst of a paragraph", () => {
    const text = "The mole was\nrebuilt.\n\nIn stone.";
    const blocks = layOut(text, [mark("page", "iv", text, "The"), mark("page", "v", text, "rebuilt")]);
    expect(shown(text, blocks)).toEqual([
      ["Page iv", "paragraph: The mole was"],
      ["Page v", "paragraph: rebuilt.", "paragraph: In stone."],
    ]);
  });

  it("makes rows of cells", () => {
    const text = "year\tkr\n1931\t7";
    const blocks = layOut(text, [
      mark("sheet", "Dues", text, "year"),
      mark("cells", "A1:B1", text, "year"),
      mark("cells", "A2:B2", text, "1931"),
    ]);
    expect(shown(text, blocks)).toEqual([["Sheet Dues", "row: year\tkr", "row: 1931\t7"]]);
  });

  it("loses no words and repeats none, in many blocks for a long text", () => {
    const text =
      Array.from({ length: 900 }, (_, n) => `Paragraph ${n} 🚢 of words.`).join("\n\n") +
      `\n\n${"line\n".repeat(3000)}`;
    const blocks = layOut(text, []);
    expect(blocks.length).toBeGreaterThan(4);
    const words = blocks
      .flatMap(({ pieces }) => pieces)
      .map(({ start, end }) => text.slice(start, end))
      .join(" ");
    expect(words.split(/\s+/)).toEqual(text.trim().split(/\s+/));
    expect(layOut(" \n\n ", [])).toEqual([]);
  });
});

describe("a place in the address", () => {
  it("is read and written", () => {
    expect(parseSpan("#c=10-20")).toEqual({ start: 10, end: 20 });
    expect(parseSpan("c=0-1")).toEqual({ start: 0, end: 1 });
    for (const none of ["", "c=", "c=5-5", "c=9-3", "c=-1-3", "d=1-2", "c=1-2x"]) expect(parseSpan(none)).toBeNull();
    expect(spanHash({ start: 3, end: 7 })).toBe("c=3-7");
  });

  it("is the same words whatever stands before them", () => {
    const text = "🚢🚢 港 mole";
    const place = spanStretch(text, { start: 3, end: 9 })!;
    expect(text.slice(place.start, place.end)).toBe("港 mole");
    expect(spanStretch(text, { start: 90, end: 99 })).toBeNull();
  });

  it("lies in the pieces it meets", () => {
    expect(overlap({ start: 0, end: 10 }, { start: 5, end: 20 })).toEqual({ start: 5, end: 10 });
    expect(overlap({ start: 0, end: 5 }, { start: 5, end: 20 })).toBeNull();
    expect(overlap({ start: 0, end: 5 }, null)).toBeNull();
  });
});
