import type { Citation, MarkerPlace } from "@/api/types";
import { MOST_CORRECTIONS, type FlaggedClaim } from "@/lib/flagged-claims";
import { unitPlaces } from "@/lib/scalars";

/** One number of a badge. Without a citation it names no source, or none that is known yet. */
export interface BadgeItem {
  number: number;
  citation: Citation | null;
}

/** The numbers that stand at one place of a text. */
export interface Badge {
  /** What stands there in the text. */
  raw: string;
  items: BadgeItem[];
}

/** A statement of fact that names no source. Its places count Unicode scalar values, as the server's do. */
export interface Uncited {
  text: string;
  start_index: number;
  end_index: number;
}

/**
 * A text in which each badge is a sign with its place in `badges`, and each mark one with its place in `marks`. A claim of
 * `claims` stands between two signs, and so do the words of each of its corrections.
 */
export interface Placed {
  text: string;
  badges: Badge[];
  marks: readonly Uncited[];
  claims: readonly FlaggedClaim[];
}

/*
 * A sign is punctuation on the outside, as a bracket is, so that what stands beside it is read as before: `**so.**[1]`
 * is strong only if punctuation follows. The inner characters are private ones, which no text may bring itself.
 */
const [OPEN, CLOSE] = ["\u2e28\ue000", "\ue001\u2e29"];
const SIGN = /\u2e28\ue000(\d+)\ue001\u2e29/;
/** The signs of claims and corrections: those from `FIRST_CLAIM` on. */
const CLAIM_SIGN = /\u2e28\ue000([2-9]\d{5,})\ue001\u2e29/;
const PRIVATE = /[\ue000\ue001]/g;

/** From here on a sign stands for a mark, so that marks that come later leave the signs of badges as they are. */
const FIRST_MARK = 100_000;
/** From here on a sign stands for the beginning or the end of a claim, from there on for those of a correction. */
const FIRST_CLAIM = 200_000;
const FIRST_CORRECTION = 400_000;

interface Found {
  start: number;
  end: number;
  items: BadgeItem[];
}

/**
 * Puts a badge at each marker: its citations first, then the numbers that no citation has. While an answer is being
 * written there are no citations yet. Badges with nothing but space between them become one.
 */
export function placeCitations(
  content: string,
  markers: readonly MarkerPlace[],
  citations: readonly Citation[],
  uncited: readonly Uncited[] = [],
  claims: readonly FlaggedClaim[] = [],
): Placed {
  const found = new Map<string, Found>();
  const itemsAt = ({ start_index: start, end_index: end }: Pick<MarkerPlace, "start_index" | "end_index">) => {
    const key = `${start}-${end}`;
    const there = found.get(key) ?? { start, end, items: [] };
    found.set(key, there);
    return there.items;
  };
  for (const citation of citations) itemsAt(citation).push({ number: citation.number, citation });
  for (const marker of markers) {
    const items = itemsAt(marker);
    for (const number of marker.numbers) {
      if (!items.some((item) => item.number === number)) items.push({ number, citation: null });
    }
  }
  const badges = [...found.values()].filter(({ items }) => items.length > 0);
  const units = unitPlaces(
    content,
    badges.flatMap(({ start, end }) => [start, end]),
  );
  return place(
    content,
    badges.map(({ items }, index) => ({ start: units[2 * index]!, end: units[2 * index + 1]!, items })),
    uncited,
    claims,
  );
}

/** `found` counts units of the string. */
function place(content: string, found: Found[], marks: readonly Uncited[], claims: readonly FlaggedClaim[]): Placed {
  const source = content.replace(PRIVATE, "\ufffd");
  const badges: Badge[] = [];
  let text = "";
  let at = 0;
  let last: Found | null = null;
  const signs = [...endsOf(content, marks), ...edgesOf(content, claims)].sort((a, b) => a.at - b.at || a.rank - b.rank);
  let done = 0;
  /** What stands between two badges, with its signs. */
  function between(start: number, end: number): string {
    let marked = "";
    let from = start;
    for (let next = signs[done]; next && next.at <= end; done += 1, next = signs[done]) {
      const to = Math.max(from, next.at);
      marked += `${source.slice(from, to)}${OPEN}${next.sign}${CLOSE}`;
      from = to;
    }
    return marked + source.slice(from, end);
  }
  for (const next of found.sort((a, b) => a.start - b.start || a.end - b.end)) {
    // Places that run into each other, or past the end, are the work of no parser; the first one stands.
    if (next.start < at || next.start >= next.end) continue;
    const words = between(at, next.start);
    const before = badges.at(-1);
    if (last && before && /^[ \t]*$/.test(words)) {
      before.raw += words + source.slice(next.start, next.end);
      before.items = [
        ...before.items,
        ...next.items.filter((item) => !before.items.some((other) => isSame(item, other))),
      ];
    } else {
      text += `${words}${OPEN}${badges.length}${CLOSE}`;
      badges.push({ raw: source.slice(next.start, next.end), items: next.items });
    }
    at = next.end;
    last = next;
  }
  return { text: text + between(at, source.length), badges, marks, claims };
}

/** A sign to be put into a text; of those at one place, the one of lower rank comes first. */
interface PlacedSign {
  at: number;
  rank: number;
  sign: number;
}

/** A mark stands where its statement ends, as its source would. */
function endsOf(content: string, marks: readonly Uncited[]): PlacedSign[] {
  const ends = unitPlaces(
    content,
    marks.map(({ end_index }) => end_index),
  );
  return ends.map((at, mark) => ({ at, rank: 2, sign: FIRST_MARK + mark }));
}

/** Where claims and their corrections begin and end: what is inside ends first and begins last. */
function edgesOf(content: string, claims: readonly FlaggedClaim[]): PlacedSign[] {
  const edges = claims.flatMap(({ start_index, end_index, corrections }, claim) => [
    { start: start_index, end: end_index, sign: FIRST_CLAIM + 2 * claim, ranks: [3, 1] },
    ...corrections.map(({ start_index, end_index }, index) => ({
      start: start_index,
      end: end_index,
      sign: FIRST_CORRECTION + 2 * (claim * MOST_CORRECTIONS + index),
      ranks: [4, 0],
    })),
  ]);
  const units = unitPlaces(
    content,
    edges.flatMap(({ start, end }) => [start, end]),
  );
  return edges.flatMap(({ sign, ranks }, index) => {
    const [start, end] = [afterMarkup(content, units[2 * index]!), units[2 * index + 1]!];
    if (start >= end) return [];
    return [
      { at: start, rank: ranks[0]!, sign },
      { at: end, rank: ranks[1]!, sign: sign + 1 },
    ];
  });
}

const BLOCK_MARKUP = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|#{1,6}(?=[ \t])))+[ \t]*/;

/** A place at the beginning of a line moves behind what makes the line an item or a quote, which a sign would hide. */
function afterMarkup(content: string, at: number): number {
  if (at > 0 && content[at - 1] !== "\n") return at;
  return at + (BLOCK_MARKUP.exec(content.slice(at, at + 200))?.[0].length ?? 0);
}

/** The mark that a sign stands for; null for that of a badge. */
export function markAt(sign: number): number | null {
  return sign >= FIRST_MARK && sign < FIRST_CLAIM ? sign - FIRST_MARK : null;
}

/** One end of a claim, or of a correction of it. */
export interface ClaimEdge {
  /** Place of the claim in `claims`. */
  claim: number;
  /** Place of the correction among those of the claim; null for the claim itself. */
  correction: number | null;
  isEnd: boolean;
}

function edgeAt(sign: number): ClaimEdge {
  const isEnd = sign % 2 === 1;
  if (sign < FIRST_CORRECTION) return { claim: Math.floor((sign - FIRST_CLAIM) / 2), correction: null, isEnd };
  const place = Math.floor((sign - FIRST_CORRECTION) / 2);
  return { claim: Math.floor(place / MOST_CORRECTIONS), correction: place % MOST_CORRECTIONS, isEnd };
}

/** A placed text as pieces of text, with the signs of badges left in, and edges of claims. */
export function splitClaims(text: string): (string | ClaimEdge)[] {
  if (!text.includes(OPEN)) return [text];
  return text
    .split(CLAIM_SIGN)
    .map((piece, index) => (index % 2 === 1 ? edgeAt(Number(piece)) : piece))
    .filter((piece) => piece !== "");
}

/** The same number for the same words is said once. */
function isSame(a: BadgeItem, b: BadgeItem): boolean {
  return a.number === b.number && a.citation?.quote === b.citation?.quote;
}

/** A placed text as pieces of text and places in `badges`. The space before a badge goes: it is raised. */
export function splitBadges(text: string): (string | number)[] {
  if (!text.includes(OPEN)) return [text];
  return splitClaims(text)
    .filter((piece) => typeof piece === "string")
    .join("")
    .split(SIGN)
    .map((piece, index, all) => {
      if (index % 2 === 1) return Number(piece);
      return index < all.length - 1 ? piece.replace(/[ \t]+$/, "") : piece;
    })
    .filter((piece) => piece !== "");
}

/** A piece of a placed text as it was written. */
export function asWritten(text: string, badges: readonly Badge[]): string {
  if (!text.includes(OPEN)) return text;
  return text
    .split(SIGN)
    .map((piece, index) => (index % 2 === 1 ? (badges[Number(piece)]?.raw ?? "") : piece))
    .join("");
}

/** Keeps the badges of before where nothing has changed, so that what shows them need not be drawn again. */
export function sameBadges(before: readonly Badge[], after: readonly Badge[]): boolean {
  return (
    before.length === after.length &&
    before.every(({ raw, items }, index) => {
      const other = after[index]!;
      return (
        raw === other.raw &&
        items.length === other.items.length &&
        items.every((item, at) => item.citation === other.items[at]!.citation)
      );
    })
  );
}
