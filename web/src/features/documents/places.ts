/** A stretch of a string, in its units. */
export interface Range {
  from: number;
  to: number;
}

/** What has to be done to one text to make it another: one stretch is replaced. */
export interface Replacement extends Range {
  insert: string;
}

/** The least stretch that differs; null where nothing does. */
export function replacement(before: string, after: string): Replacement | null {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let end = 0;
  while (
    end < shorter - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end += 1;
  // A character of two units is replaced whole.
  if (start > 0 && isHigh(before.charCodeAt(start - 1))) start -= 1;
  if (end > 0 && isLow(before.charCodeAt(before.length - end))) end -= 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

/** Where stretches of one text are in another that it became; null for those that were themselves changed. */
export function carry(before: string, after: string, ranges: readonly Range[]): (Range | null)[] {
  const change = replacement(before, after);
  if (!change) return [...ranges];
  const moved = change.insert.length - (change.to - change.from);
  return ranges.map(({ from, to }) => {
    if (to <= change.from) return { from, to };
    if (from >= change.to) return { from: from + moved, to: to + moved };
    return null;
  });
}

/** Two changes of one text in one; null where both changed the same place. */
export function mergeChanges(base: string, mine: string, theirs: string): string | null {
  const [a, b] = [replacement(base, mine), replacement(base, theirs)];
  if (!a) return theirs;
  if (!b) return mine;
  const [first, last] = a.from <= b.from ? [a, b] : [b, a];
  if (first.to > last.from || first.from === last.from) return null;
  return base.slice(0, first.from) + first.insert + base.slice(first.to, last.from) + last.insert + base.slice(last.to);
}
