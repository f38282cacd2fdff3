/** A stretch of one of the pieces that a text is drawn in, in units of its string. */
export interface Place {
  piece: number;
  start: number;
  end: number;
}

/** A quote, with what stands before and after it where it was read, by which it is told from its likes. */
export interface Quote {
  words: string;
  before?: string;
  after?: string;
}

/** Shorter parts of a quote are taken for chance. */
const PART_CHARS = 12;
/** Of what could be missing, such as the number of a footnote, at most this much. */
const MISSING_SHARE = 0.15;
const CONTEXT_CHARS = 48;

/**
 * Where a quote stands in a text that is drawn in pieces, as the text layer of a page is. Line ends, spaces,
 * hyphenation, ligatures, accents and punctuation may differ; the letters and figures may not. A quote that is
 * interrupted (by the foot of a page, by another column) is found part by part. Null where it cannot be found.
 */
export function findQuote(pieces: readonly string[], quote: Quote): Place[] | null {
  // A quote without a single letter or figure is compared by what ink it has.
  const drop = /[\p{L}\p{N}]/u.test(quote.words) ? /[^\p{L}\p{N}]/gu : /\s/gu;
  const sought = fold([quote.words], drop);
  if (!sought.text) return null;
  const ground = fold(pieces, drop);
  const at = bestOccurrence(
    ground.text,
    sought.text,
    fold([quote.before ?? ""], drop).text,
    fold([quote.after ?? ""], drop).text,
  );
  const ranges = at === null ? inParts(ground.text, sought, quote.words) : [{ from: at, to: at + sought.text.length }];
  if (!ranges) return null;
  const places = ranges.flatMap(({ from, to }) => placesOf(pieces, ground, from, to));
  return withPunctuation(pieces, places, quote.words, sought);
}

/** A text without what may differ, and where each of its units came from. */
interface Folded {
  text: string;
  piece: number[];
  start: number[];
  end: number[];
}

function fold(pieces: readonly string[], drop: RegExp): Folded {
  const folded: Folded = { text: "", piece: [], start: [], end: [] };
  const kept: string[] = [];
  pieces.forEach((text, piece) => {
    let start = 0;
    for (const character of text) {
      const end = start + character.length;
      const plain = character <= "\u007f" ? character : character.normalize("NFKD");
      for (const unit of plain.toLowerCase().replace(drop, "")) {
        kept.push(unit);
        // One for each unit of the string, so that places in it can be looked up.
        for (let index = 0; index < unit.length; index += 1) {
          folded.piece.push(piece);
          folded.start.push(start);
          folded.end.push(end);
        }
      }
      start = end;
    }
  });
  folded.text = kept.join("");
  return folded;
}

/** Of several places with the same words, the one whose surroundings are the most alike. */
function bestOccurrence(text: string, words: string, before: string, after: string): number | null {
  let best: number | null = null;
  let bestScore = -1;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    let score = 0;
    while (
      score < CONTEXT_CHARS &&
      score < before.length &&
      score < at &&
      text[at - 1 - score] === before[before.length - 1 - score]
    )
      score += 1;
    const behind = score;
    while (
      score - behind < CONTEXT_CHARS &&
      score - behind < after.length &&
      text[end + score - behind] === after[score - behind]
    )
      score += 1;
    if (score > bestScore) {
      best = at;
      bestScore = score;
    }
  }
  return best;
}

interface Range {
  from: number;
  to: number;
}

/** The longest parts of the quote that stand somewhere, each as near as can be to the one before it. */
function inParts(text: string, sought: Folded, words: string): Range[] | null {
  const key = sought.text;
  const ranges: Range[] = [];
  let missing = 0;
  let at = 0;
  while (at < key.length) {
    const length = longestPart(text, key, at, (to) => startsWord(words, sought, to));
    const last = ranges.at(-1);
    const from = length > 0 ? nearest(text, key.slice(at, at + length), last?.to ?? 0) : 0;
    // The last word may be short, where it stands beside the one before it.
    if (length >= PART_CHARS || (length > 0 && at + length === key.length && last?.to === from)) {
      if (last?.to === from) last.to = from + length;
      else ranges.push({ from, to: from + length });
      at += length;
    } else {
      missing += 1;
      at += 1;
      if (missing > key.length * MISSING_SHARE) return null;
    }
  }
  return ranges.length > 0 ? ranges : null;
}

/** How much of `key` from `at` on stands in the text, ended at the end of a word. */
function longestPart(text: string, key: string, at: number, startsWordAt: (to: number) => boolean): number {
  let known = 0;
  let tooLong = key.length - at + 1;
  while (tooLong - known > 1) {
    const middle = (known + tooLong) >> 1;
    if (text.includes(key.slice(at, at + middle))) known = middle;
    else tooLong = middle;
  }
  // What fits beyond the word does so by chance, and belongs to what comes next.
  for (let length = known; length >= PART_CHARS; length -= 1) {
    if (at + length === key.length || startsWordAt(at + length)) return length;
  }
  return known;
}

function startsWord(words: string, { start, end }: Folded, index: number): boolean {
  return words.slice(end[index - 1], start[index]).length > 0;
}

function nearest(text: string, part: string, to: number): number {
  const after = text.indexOf(part, to);
  const before = text.lastIndexOf(part, to);
  if (after < 0) return before;
  return before < 0 || after - to <= to - before ? after : before;
}

/** Everything from the first to the last of a range, with the spaces and signs between them. */
function placesOf(pieces: readonly string[], ground: Folded, from: number, to: number): Place[] {
  const [first, last] = [ground.piece[from]!, ground.piece[to - 1]!];
  const places: Place[] = [];
  for (let piece = first; piece <= last; piece += 1) {
    const start = piece === first ? ground.start[from]! : 0;
    const end = piece === last ? ground.end[to - 1]! : pieces[piece]!.length;
    if (start < end) places.push({ piece, start, end });
  }
  return places;
}

/** The signs that the quote begins and ends with, where they stand beside it. */
function withPunctuation(pieces: readonly string[], places: Place[], words: string, { start, end }: Folded): Place[] {
  const lead = words.slice(0, start[0]).trim();
  const tail = words.slice(end.at(-1)).trim();
  const [first, last] = [places[0]!, places.at(-1)!];
  if (lead && pieces[first.piece]!.slice(0, first.start).endsWith(lead)) first.start -= lead.length;
  if (tail && pieces[last.piece]!.startsWith(tail, last.end)) last.end += tail.length;
  return places;
}
