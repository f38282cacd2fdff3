import type { Mark } from "@/api/types";
import { unitPlaces } from "@/lib/scalars";

/** A stretch of a text, in units of its string. */
export interface Stretch {
  start: number;
  end: number;
}

/** A paragraph, a heading or a row of a table; never empty. */
export interface Piece extends Stretch {
  kind: "paragraph" | "heading" | "row";
  /** How deep a heading is, from 1. */
  level: number;
  /** How many units at its start are the writing of a heading and not its words: the `## ` of Markdown. */
  prefix: number;
  /** The headings it stands under that the text does not spell out. */
  above: { label: string; level: number }[];
}

/** Pieces that are laid out together, so that what is far from the eye costs nothing. */
export interface Block {
  /** What begins here: "Page 3", the name of a sheet or of an attachment. */
  label: string | null;
  pieces: Piece[];
}

const BLOCK_UNITS = 6000;
/** A text without empty lines is cut at its lines instead. */
const LONG_PIECE = 4000;

const DIVIDERS = new Set(["page", "sheet", "message", "attachment"]);

/** Lays a text out by its marks. Every unit of the text that is not white space is in exactly one piece. */
export function layOut(text: string, marks: readonly Mark[]): Block[] {
  const places = unitPlaces(
    text,
    marks.map(({ start_char }) => start_char),
  );
  const dividers = new Map<number, string>();
  const sections = new Map<number, Mark[]>();
  const rows = new Set<number>();
  marks.forEach((mark, index) => {
    const place = places[index]!;
    if (DIVIDERS.has(mark.kind)) dividers.set(place, joined(dividers.get(place), dividerLabel(mark)));
    else if (mark.kind === "section") sections.set(place, [...(sections.get(place) ?? []), mark]);
    else if (mark.kind === "cells") rows.add(place);
  });

  const cuts = [...new Set([0, ...dividers.keys(), ...sections.keys(), ...rows])].sort((a, b) => a - b);
  const blocks: Block[] = [];
  let block: Block = { label: null, pieces: [] };
  let size = 0;
  function close() {
    if (block.label !== null || block.pieces.length > 0) blocks.push(block);
  }

  cuts.forEach((start, index) => {
    const end = cuts[index + 1] ?? text.length;
    const label = dividers.get(start);
    if (label !== undefined) {
      close();
      block = { label, pieces: [] };
      size = 0;
    }
    for (const piece of cutStretch(text, { start, end }, sections.get(start) ?? [], rows.has(start))) {
      if (size > BLOCK_UNITS) {
        close();
        block = { label: null, pieces: [] };
        size = 0;
      }
      block.pieces.push(piece);
      size += piece.end - piece.start;
    }
  });
  close();
  return blocks;
}

/** The pieces between two marks. */
function cutStretch(text: string, stretch: Stretch, sections: readonly Mark[], row: boolean): Piece[] {
  const pieces: Piece[] = [];
  let { start } = stretch;
  let above = sections.map(({ label, level }) => ({ label, level }));
  const own = sections.at(-1);
  const line = own && headingLine(text, stretch, own.label);
  if (own && line) {
    above.pop();
    pieces.push({ kind: "heading", level: own.level, above, ...line });
    above = [];
    start = line.end;
  }
  for (const { start: from, end } of paragraphs(text, { start, end: stretch.end })) {
    pieces.push({ kind: row ? "row" : "paragraph", level: 0, prefix: 0, above, start: from, end });
    above = [];
  }
  return pieces;
}

/** The first line of a section, if it is the section's name. */
function headingLine(text: string, { start, end }: Stretch, label: string): (Stretch & { prefix: number }) | null {
  const lead = /^\s*/.exec(text.slice(start, end))?.[0].length ?? 0;
  const from = start + lead;
  const stop = text.indexOf("\n", from);
  const to = stop < 0 || stop > end ? end : stop;
  const line = text.slice(from, to).trimEnd();
  const prefix = /^(#{1,6}|=+)[ \t]+/.exec(line)?.[0].length ?? 0;
  const words = (value: string) => value.replace(/\s+/g, " ").trim();
  return words(line.slice(prefix)).startsWith(words(label)) && line.length < prefix + label.length + 40
    ? { start: from, end: from + line.length, prefix }
    : null;
}

function paragraphs(text: string, stretch: Stretch): Stretch[] {
  return split(text, stretch, /\n[ \t]*\n\s*/g).flatMap((paragraph) =>
    paragraph.end - paragraph.start > LONG_PIECE ? split(text, paragraph, /\n+/g) : [paragraph],
  );
}

function split(text: string, { start, end }: Stretch, between: RegExp): Stretch[] {
  const part = text.slice(start, end);
  const found: Stretch[] = [];
  let from = 0;
  const push = (to: number) => {
    const trimmed = part.slice(from, to);
    // Spaces at the start of a line may be the shape of a poem or of code; empty lines are not.
    const lead = /^(?:[ \t]*\n)*/.exec(trimmed)?.[0].length ?? 0;
    const length = trimmed.trimEnd().length;
    if (length > lead) found.push({ start: start + from + lead, end: start + from + length });
  };
  for (const gap of part.matchAll(between)) {
    push(gap.index);
    from = gap.index + gap[0].length;
  }
  push(part.length);
  return found;
}

function dividerLabel({ kind, label, number }: Mark): string {
  if (kind === "page") return `Page ${label || String(number ?? "")}`;
  if (kind === "sheet") return `Sheet ${label}`;
  return kind === "attachment" ? `Attachment ${label}` : label;
}

function joined(before: string | undefined, label: string): string {
  return before === undefined ? label : `${before} · ${label}`;
}

/** The part of a piece that lies in a span, if any. */
export function overlap(piece: Stretch, span: Stretch | null): Stretch | null {
  if (!span || span.start >= piece.end || span.end <= piece.start) return null;
  return { start: Math.max(span.start, piece.start), end: Math.min(span.end, piece.end) };
}
