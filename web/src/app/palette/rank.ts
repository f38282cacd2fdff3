/** How well words fit a text, and which of its characters they are. */
export interface Match {
  score: number;
  marks: ReadonlySet<number>;
}

const WHOLE = 100;
const BEGINS = 80;
const WORD = 60;
const WITHIN = 40;
const LETTERS = 20;

/** Case and accents do not count. Each character stays one, so that places in the text stay what they are. */
function folded(text: string): string[] {
  return Array.from(text, (character) => character.normalize("NFD").charAt(0).toLowerCase());
}

const isWordStart = (text: readonly string[], at: number) => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? "");

/**
 * Every word of the query must be found: as the whole text, at its beginning, at the beginning of a word, within one, or
 * as letters in their order, of which the first begins a word. Shorter texts go before longer ones. Null is no match.
 */
export function match(query: string, text: string): Match | null {
  const words = query.split(/\s+/).filter(Boolean).map(folded);
  if (words.length === 0) return { score: 0, marks: new Set() };
  const letters = folded(text);
  const marks = new Set<number>();
  let score = 0;
  for (const word of words) {
    const found = place(word, letters);
    if (!found) return null;
    score += found.score;
    for (const at of found.at) marks.add(at);
  }
  return { score: score / words.length - Math.min(letters.length, 100) / 20, marks };
}

function place(word: readonly string[], text: readonly string[]): { score: number; at: number[] } | null {
  let best = -1;
  let score = 0;
  for (let start = 0; start + word.length <= text.length; start += 1) {
    if (!word.every((letter, index) => text[start + index] === letter)) continue;
    const here =
      start === 0 ? (word.length === text.length ? WHOLE : BEGINS) : isWordStart(text, start) ? WORD : WITHIN;
    if (here <= score) continue;
    best = start;
    score = here;
  }
  if (best >= 0) return { score, at: word.map((_, index) => best + index) };
  return word.length > 1 ? scattered(word, text) : null;
}

/** The letters of a word in their order, each at the start of a word if it can be; what lies between counts against it. */
function scattered(word: readonly string[], text: readonly string[]): { score: number; at: number[] } | null {
  let best: { score: number; at: number[] } | null = null;
  for (let start = 0; start < text.length; start += 1) {
    if (text[start] !== word[0] || !isWordStart(text, start)) continue;
    const at = [start];
    for (const letter of word.slice(1)) {
      const from = at.at(-1)! + 1;
      const next =
        text[from] === letter
          ? from
          : text.findIndex((own, index) => index >= from && own === letter && isWordStart(text, index));
      at.push(next >= 0 ? next : text.indexOf(letter, from));
      if (at.at(-1)! < 0) break;
    }
    if (at.at(-1)! < 0) continue;
    const starts = at.filter((index) => isWordStart(text, index)).length;
    const between = at.at(-1)! - start + 1 - word.length;
    // Letters that are strewn over a long text are in it by chance.
    if (starts < word.length && between > word.length * 2) continue;
    const score = LETTERS + (10 * starts) / word.length - Math.min(between, 20) / 2;
    if (!best || score > best.score) best = { score, at };
  }
  return best;
}

export interface Ranked<T> {
  item: T;
  marks: ReadonlySet<number>;
}

/** What fits, the best first; what fits alike keeps its order. `also` are other words by which an item is known. */
export function rank<T extends { label: string; also?: string }>(query: string, items: readonly T[]): Ranked<T>[] {
  const none: ReadonlySet<number> = new Set();
  return items
    .flatMap((item) => {
      const own = match(query, item.label);
      const other = item.also ? match(query, `${item.also} ${item.label}`) : null;
      if (own && (!other || own.score >= other.score - 10)) return [{ item, marks: own.marks, score: own.score }];
      return other ? [{ item, marks: none, score: other.score - 10 }] : [];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ item, marks }) => ({ item, marks }));
}
