/*
 * The blocks of a text in Markdown as models write it: paragraphs, headings, lists, quotes, tables, code, formulas,
 * rules. HTML is no part of it: it is text. Every line is looked at a bounded number of times, so that no text takes
 * long to read.
 */

export type Align = "left" | "right" | "center" | null;

export interface ListItem {
  /** The lines that it was read from, by which it is known again. */
  raw: string;
  /** Whether its box is ticked; null where it has none. */
  task: boolean | null;
  blocks: Block[];
}

export type Block =
  | { type: "paragraph"; text: string }
  | { type: "heading"; level: number; text: string }
  | { type: "code"; text: string; language: string }
  | { type: "math"; text: string }
  | { type: "rule" }
  | { type: "quote"; blocks: Block[] }
  | { type: "list"; ordered: boolean; first: number; items: ListItem[] }
  | { type: "table"; aligns: Align[]; head: string[]; rows: string[][] };

/** A block of the whole text, with the lines that it was read from. */
export interface Part {
  start: number;
  raw: string;
  block: Block;
}

export interface Parts {
  text: string;
  parts: Part[];
}

/** Deeper than this, a line is just words. */
const DEEPEST = 8;
const MOST_COLUMNS = 50;
/** What comes next can still change what the last ones are: a line below makes a table, another item a longer list. */
const OPEN_PARTS = 2;

const BLANK = /^[ \t]*$/;
const FENCE = /^( {0,3})(?:(`{3,})([^`]*)|(~{3,})(.*))$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const UNDERLINE = /^ {0,3}(?:(=+)|-{2,})[ \t]*$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^([ \t]*)([-*+]|(\d{1,9})([.)]))(?:([ \t]{1,4})(?=\S)|[ \t]*$)/;
const TASK = /^\[([ xX])\][ \t]+/;
const MATH = /^ {0,3}(\$\$|\\\[)/;
const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** Reads a text. Parts of `before` that are still the same are kept, as they were. */
export function readParts(text: string, before: Parts | null = null): Parts {
  const parts = before ? unchanged(before, text) : [];
  const last = parts.at(-1);
  let start = last ? last.start + last.raw.length : 0;
  const lines = text.slice(start).split("\n");
  const starts = lines.map((line) => {
    const at = start;
    start += line.length + 1;
    return at;
  });
  for (const { block, from, to } of blocksOf(lines, 0)) {
    const end = starts[to - 1]! + lines[to - 1]!.length;
    parts.push({ start: starts[from]!, raw: text.slice(starts[from], end), block });
  }
  return { text, parts };
}

function unchanged({ parts }: Parts, text: string): Part[] {
  const changed = parts.findIndex(({ start, raw }) => !text.startsWith(raw, start));
  const same = changed < 0 ? parts.length : changed;
  return parts.slice(0, Math.max(0, same - OPEN_PARTS));
}

interface Read {
  block: Block;
  from: number;
  to: number;
}

function blocksOf(lines: readonly string[], depth: number): Read[] {
  const found: Read[] = [];
  let at = 0;
  while (at < lines.length) {
    if (BLANK.test(lines[at]!)) {
      at += 1;
      continue;
    }
    const read = readBlock(lines, at, depth);
    found.push(read);
    at = read.to;
  }
  return found;
}

function readBlock(lines: readonly string[], from: number, depth: number): Read {
  const line = lines[from]!;
  const fence = FENCE.exec(line);
  if (fence) return readCode(lines, from, fence);
  const heading = HEADING.exec(line);
  if (heading) {
    const text = (heading[2] ?? "").replace(/(?:^|[ \t]+)#+[ \t]*$/, "").trim();
    return { block: { type: "heading", level: heading[1]!.length, text }, from, to: from + 1 };
  }
  if (RULE.test(line)) return { block: { type: "rule" }, from, to: from + 1 };
  const math = MATH.exec(line) && readMath(lines, from);
  if (math) return math;
  if (depth < DEEPEST) {
    if (QUOTE.test(line)) return readQuote(lines, from, depth);
    if (ITEM.test(line)) return readList(lines, from, depth);
  }
  return readTable(lines, from) ?? readParagraph(lines, from, depth);
}

function readCode(
  lines: readonly string[],
  from: number,
  [, indent, ticks, afterTicks, tildes, afterTildes]: RegExpExecArray,
): Read {
  const fence = ticks ?? tildes!;
  const closing = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}[ \\t]*$`);
  let end = from + 1;
  while (end < lines.length && !closing.test(lines[end]!)) end += 1;
  const to = Math.min(end + 1, lines.length);
  // Without a closing fence the code goes to the end of the text, and the end of its last line is none of it.
  if (end === lines.length && end > from + 1 && lines[end - 1] === "") end -= 1;
  const text = lines
    .slice(from + 1, end)
    .map((line) => (indent ? line.replace(new RegExp(`^ {0,${indent.length}}`), "") : line))
    .join("\n");
  const language = (afterTicks ?? afterTildes!).trim().split(/\s/)[0]!;
  return { block: { type: "code", text, language }, from, to };
}

const MOST_MATH_LINES = 50;

function readMath(lines: readonly string[], from: number): Read | null {
  const open = MATH.exec(lines[from]!)![1]!;
  const close = open === "$$" ? "$$" : "\\]";
  const first = lines[from]!.trim().slice(open.length);
  const end = first.indexOf(close);
  if (end >= 0) {
    // Words after it make it a formula inside a paragraph.
    if (!BLANK.test(first.slice(end + close.length))) return null;
    return { block: { type: "math", text: first.slice(0, end).trim() }, from, to: from + 1 };
  }
  for (let to = from + 1; to < lines.length && to - from < MOST_MATH_LINES; to += 1) {
    const line = lines[to]!.trimEnd();
    if (!line.endsWith(close)) continue;
    const text = [first, ...lines.slice(from + 1, to), line.slice(0, -close.length)].join("\n");
    return { block: { type: "math", text: text.trim() }, from, to: to + 1 };
  }
  return null;
}

function readQuote(lines: readonly string[], from: number, depth: number): Read {
  const inner: string[] = [];
  let to = from;
  let inCode = false;
  for (; to < lines.length; to += 1) {
    const line = lines[to]!;
    const quoted = QUOTE.test(line);
    if (!quoted && (inCode || BLANK.test(line) || startsBlock(line) || !endsInWords(inner.at(-1)!))) break;
    inner.push(line.replace(QUOTE, ""));
    if (quoted && FENCE.test(inner.at(-1)!)) inCode = !inCode;
  }
  return { block: { type: "quote", blocks: blocksOf(inner, depth + 1).map(({ block }) => block) }, from, to };
}

const MARKERS = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*/;

/** Whether words that follow a line without a marker of their own still belong to it. */
function endsInWords(line: string): boolean {
  const words = line.replace(MARKERS, "");
  return !BLANK.test(words) && !/^ {4}/.test(words) && !FENCE.test(words) && !HEADING.test(words) && !RULE.test(words);
}

/** How far a line is set in; a tab counts as four spaces. */
function indentOf(line: string): number {
  let width = 0;
  for (const char of line) {
    if (char === " ") width += 1;
    else if (char === "\t") width += 4;
    else break;
  }
  return width;
}

function outdent(line: string, by: number): string {
  let [width, at] = [0, 0];
  while (width < by && (line[at] === " " || line[at] === "\t")) {
    width += line[at] === " " ? 1 : 4;
    at += 1;
  }
  return line.slice(at);
}

function readList(lines: readonly string[], from: number, depth: number): Read {
  const first = ITEM.exec(lines[from]!)!;
  const kind = first[4] ?? first[2]!;
  const base = indentOf(first[1]!);
  const items: ListItem[] = [];
  let at = from;
  while (at < lines.length) {
    const marker = ITEM.exec(lines[at]!);
    if (!marker || (marker[4] ?? marker[2]!) !== kind || RULE.test(lines[at]!) || indentOf(marker[1]!) > base + 1)
      break;
    const to = endOfItem(lines, at, base);
    items.push(readItem(lines.slice(at, to), marker, depth));
    at = to;
    // Items may have empty lines between them; other blocks end the list.
    let next = at;
    while (next < lines.length && BLANK.test(lines[next]!)) next += 1;
    if (next < lines.length && ITEM.test(lines[next]!)) at = next;
  }
  let to = at;
  while (to > from + 1 && BLANK.test(lines[to - 1]!)) to -= 1;
  return { block: { type: "list", ordered: first[3] !== undefined, first: Number(first[3] ?? 1), items }, from, to };
}

/** An item goes on with lines that are set in below its marker, and with words that follow without an empty line. */
function endOfItem(lines: readonly string[], from: number, base: number): number {
  let to = from + 1;
  let end = to;
  let inCode = FENCE.test(lines[from]!.replace(ITEM, ""));
  for (; to < lines.length; to += 1) {
    const line = lines[to]!;
    if (BLANK.test(line)) continue;
    const within = indentOf(line) >= base + 2;
    if (within && FENCE.test(outdent(line, base + 2))) inCode = !inCode;
    if (!within && (inCode || to > end || ITEM.test(line) || startsBlock(line))) break;
    end = to + 1;
  }
  return end;
}

function readItem(lines: readonly string[], marker: RegExpExecArray, depth: number): ListItem {
  const width = indentOf(marker[1]!) + marker[2]!.length + (marker[5]?.length ?? 1);
  const opening = lines[0]!.slice(marker[0].length);
  const task = TASK.exec(opening);
  // What is set in less than the words of the item, as many write it, still is set in.
  const body = lines.slice(1).map((line) => outdent(line, Math.min(width, Math.max(2, indentOf(line)))));
  const inner = [task ? opening.slice(task[0].length) : opening, ...body];
  return {
    raw: lines.join("\n"),
    task: task ? task[1] !== " " : null,
    blocks: blocksOf(inner, depth + 1).map(({ block }) => block),
  };
}

function readTable(lines: readonly string[], from: number): Read | null {
  const [line, below] = [lines[from]!, lines[from + 1]];
  if (
    below === undefined ||
    !line.includes("|") ||
    !below.includes("-") ||
    below.length > 2000 ||
    !DELIMITERS.test(below)
  )
    return null;
  const head = cellsOf(line);
  const marks = cellsOf(below);
  if (head.length !== marks.length || head.length > MOST_COLUMNS) return null;
  const rows: string[][] = [];
  let to = from + 2;
  for (; to < lines.length && lines[to]!.includes("|") && !startsBlock(lines[to]!); to += 1) {
    const cells = cellsOf(lines[to]!);
    rows.push(head.map((_, column) => cells[column] ?? ""));
  }
  return { block: { type: "table", aligns: marks.map(alignOf), head, rows }, from, to };
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, "");
  const cells = inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
  if (cells.length > 1 && cells.at(-1) === "") cells.pop();
  return cells;
}

function alignOf(mark: string): Align {
  const [left, right] = [mark.startsWith(":"), mark.endsWith(":")];
  return left && right ? "center" : right ? "right" : left ? "left" : null;
}

/** Whether a line ends the paragraph above it. */
function startsBlock(line: string): boolean {
  if (FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line)) return true;
  const item = ITEM.exec(line);
  // A number at the start of a line is mostly a year or an amount; only a list that begins with 1 breaks in.
  return item !== null && item[5] !== undefined && (item[3] === undefined || item[3] === "1" || indentOf(item[1]!) > 0);
}

function readParagraph(lines: readonly string[], from: number, depth: number): Read {
  let to = from + 1;
  let underline: RegExpExecArray | null = null;
  for (; to < lines.length && !BLANK.test(lines[to]!); to += 1) {
    underline = UNDERLINE.exec(lines[to]!);
    if (underline || (depth < DEEPEST && startsBlock(lines[to]!))) break;
  }
  const text = lines
    .slice(from, to)
    .map((line) => line.replace(/^[ \t]+/, ""))
    .join("\n")
    .trimEnd();
  if (underline) return { block: { type: "heading", level: underline[1] ? 1 : 2, text }, from, to: to + 1 };
  return { block: { type: "paragraph", text }, from, to };
}
