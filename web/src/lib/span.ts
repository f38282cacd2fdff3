/** A place in a text, in characters (Unicode scalar values) as everywhere in the API. */
export interface Span {
  start: number;
  end: number;
}

/** The span that the part of an address after `#` names: `c=START-END`. Anything else names none. */
export function parseSpan(hash: string): Span | null {
  const found = /^#?c=(\d{1,10})-(\d{1,10})$/.exec(hash);
  if (!found) return null;
  const [start, end] = [Number(found[1]), Number(found[2])];
  return start < end ? { start, end } : null;
}

export function spanHash({ start, end }: Span): string {
  return `c=${start}-${end}`;
}
