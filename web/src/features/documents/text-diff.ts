import type { DiffPart } from "@/api/documents-types";
import { diff } from "@/lib/diff";

/** A stretch of more words than this is compared by lines. */
const MOST_WORDS = 40_000;

/** What happened to a text, word by word; all parts together, without the added ones, are the one before. */
export function textDiff(before: string, after: string): DiffPart[] {
  const words = (text: string) => text.match(/\s+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [];
  const lines = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const [a, b] = [words(before), words(after)];
  const edits = a.length + b.length > MOST_WORDS ? diff(lines(before), lines(after)) : diff(a, b);
  return edits.map(({ kind, items }) => ({ kind, text: items.join("") }));
}

/** The parts of one side: what both have, and what only that one has. */
export function sideOf(parts: readonly DiffPart[], side: Exclude<DiffPart["kind"], "same">): DiffPart[] {
  return parts.filter(({ kind }) => kind === "same" || kind === side);
}

/** Long stretches that did not change, with their middle left out. */
export interface ShortPart extends DiffPart {
  /** How many characters are left out before the last of it. */
  hidden?: { count: number; tail: string };
}

const AROUND = 240;

export function shortened(parts: readonly DiffPart[]): ShortPart[] {
  return parts.map((part, index) => {
    const [first, last] = [index === 0, index === parts.length - 1];
    if (part.kind !== "same" || part.text.length < 3 * AROUND) return part;
    const head = first ? "" : cutAfter(part.text, AROUND);
    const tail = last ? "" : cutBefore(part.text, AROUND);
    return { kind: "same", text: head, hidden: { count: part.text.length - head.length - tail.length, tail } };
  });
}

/** At the end of a line or a word. */
function cutAfter(text: string, at: number): string {
  const gap = text.slice(at).search(/\s/);
  return gap < 0 ? text.slice(0, at) : text.slice(0, at + gap + 1);
}

function cutBefore(text: string, from: number): string {
  const tail = text.slice(-from);
  const gap = tail.search(/\s/);
  return gap < 0 ? tail : tail.slice(gap + 1);
}
