/* The words of a block: emphasis, code, links, formulas. It is read in one pass with a stack, as CommonMark says. */

export type Inline =
  | { type: "text"; text: string }
  | { type: "code" | "math"; text: string }
  | { type: "break" }
  | { type: "strong" | "em" | "del"; children: Inline[] }
  /** A link; `href` is null where it leads to nothing that may be opened. */
  | { type: "link"; href: string | null; children: Inline[] }
  /** A picture, which is never loaded. */
  | { type: "picture"; href: string | null; alt: string }
  /** Words of a claim that is marked, or of one of its corrections; no text is read as one, see `markClaims`. */
  | { type: "claim"; claim: number; correction: number | null; isLast: boolean; children: Inline[] };

/** In a longer run of words no markup is looked for. */
export const LONGEST_RUN = 12_000;
const LONGEST_ADDRESS = 1000;
const LONGEST_MATH = 500;

const SPECIAL = /[\\`*_~[\]!<$\n&]|https?:\/\/|www\./gi;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const BARE = /(?:https?:\/\/|www\.)[^\s<>"`\u2e28]{1,1000}/iy;
const ANGLED = /<(?:([a-z][a-z\d+.-]{1,31}:[^\s<>]{0,1000})|([\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d.-]{1,255}))>/iy;
const ANGLED_TARGET = /<((?:\\.|[^<>\n\\]){0,1000})>/y;
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z\d]{2,6}));/iy;
const SAFE = /^(https?:\/\/|mailto:)/i;

/** The address of a link if it leads to the web or to a mailbox; null for anything else, such as a script. */
export function safeHref(href: string): string | null {
  return SAFE.test(href) ? href : null;
}

interface Delimiter {
  at: number;
  char: string;
  /** How many of its characters are still to be paired. */
  count: number;
  /** How many there were. */
  length: number;
  opens: boolean;
  closes: boolean;
}

interface Bracket {
  at: number;
  picture: boolean;
  active: boolean;
  /** Delimiters from here on stand inside it. */
  delimiters: number;
}

export function readInline(text: string): Inline[] {
  if (text.length > LONGEST_RUN) return [{ type: "text", text }];
  return new Reader(text).read();
}

class Reader {
  private nodes: Inline[] = [];
  private delimiters: Delimiter[] = [];
  private readonly brackets: Bracket[] = [];
  /** Lengths of backtick runs that have no partner in the rest of the text. */
  private readonly unclosed = new Set<number>();
  private at = 0;

  constructor(private readonly text: string) {}

  read(): Inline[] {
    const { text } = this;
    while (this.at < text.length) {
      SPECIAL.lastIndex = this.at;
      const found = SPECIAL.exec(text);
      if (!found) {
        this.say(text.slice(this.at));
        break;
      }
      if (found.index > this.at) this.say(text.slice(this.at, found.index));
      this.at = found.index;
      this.readSpecial(found[0]);
    }
    this.pair(0);
    return merge(this.nodes);
  }

  private readSpecial(found: string): void {
    const { text } = this;
    switch (found) {
      case "\\":
        return this.readEscape();
      case "`":
        return this.readCode();
      case "*":
      case "_":
      case "~":
        return this.readDelimiters(found);
      case "[":
        return this.openBracket(1, false);
      case "!":
        return text[this.at + 1] === "[" ? this.openBracket(2, true) : this.take(1);
      case "]":
        return this.closeBracket();
      case "<":
        return this.readAngled();
      case "$":
        return this.readDollars();
      case "&":
        return this.readEntity();
      case "\n":
        return this.readLineEnd();
      default:
        return this.readBare(found);
    }
  }

  private say(text: string): void {
    if (text) this.nodes.push({ type: "text", text });
  }

  private take(count: number): void {
    this.say(this.text.slice(this.at, this.at + count));
    this.at += count;
  }

  private readEscape(): void {
    const next = this.text[this.at + 1];
    if (next === "\n") {
      this.nodes.push({ type: "break" });
      this.at += 2;
    } else if (next === "(") {
      const end = this.text.slice(this.at + 2, this.at + LONGEST_MATH).indexOf("\\)");
      if (end > 0) this.math(this.at + 2, this.at + 2 + end, 2);
      else this.escaped(next);
    } else if (next && ESCAPABLE.test(next)) {
      this.escaped(next);
    } else {
      this.take(1);
    }
  }

  private escaped(char: string): void {
    this.say(char);
    this.at += 2;
  }

  private math(from: number, end: number, closing: number): void {
    this.nodes.push({ type: "math", text: this.text.slice(from, end).trim() });
    this.at = end + closing;
  }

  private readCode(): void {
    const count = this.runOf("`");
    if (!this.unclosed.has(count)) {
      const runs = /`+/g;
      runs.lastIndex = this.at + count;
      for (let run = runs.exec(this.text); run; run = runs.exec(this.text)) {
        if (run[0].length !== count) continue;
        const code = this.text.slice(this.at + count, run.index).replaceAll("\n", " ");
        this.nodes.push({ type: "code", text: /^ .*[^ ].* $/.test(code) ? code.slice(1, -1) : code });
        this.at = run.index + count;
        return;
      }
      this.unclosed.add(count);
    }
    this.take(count);
  }

  private runOf(char: string): number {
    let end = this.at;
    while (this.text[end] === char) end += 1;
    return end - this.at;
  }

  private readDelimiters(char: string): void {
    const count = this.runOf(char);
    if (char === "~" && count !== 2) return this.take(count);
    const before = this.text[this.at - 1] ?? " ";
    const after = this.text[this.at + count] ?? " ";
    const [spaceBefore, spaceAfter] = [/\s/.test(before), /\s/.test(after)];
    const [signBefore, signAfter] = [PUNCTUATION.test(before), PUNCTUATION.test(after)];
    const left = !spaceAfter && (!signAfter || spaceBefore || signBefore);
    const right = !spaceBefore && (!signBefore || spaceAfter || signAfter);
    const opens = char === "_" ? left && (!right || signBefore) : left;
    const closes = char === "_" ? right && (!left || signAfter) : right;
    if (opens || closes) this.delimiters.push({ at: this.nodes.length, char, count, length: count, opens, closes });
    this.take(count);
  }

  private openBracket(count: number, picture: boolean): void {
    this.brackets.push({ at: this.nodes.length, picture, active: true, delimiters: this.delimiters.length });
    this.take(count);
  }

  private closeBracket(): void {
    const open = this.brackets.pop();
    const target = open?.active ? this.target(this.at + 1) : null;
    if (!open || !target) return this.take(1);
    this.pair(open.delimiters);
    const children = merge(this.nodes.splice(open.at).slice(1));
    const href = safeHref(target.href);
    if (open.picture) {
      this.nodes.push({ type: "picture", href, alt: wordsOf(children) });
    } else {
      this.nodes.push({ type: "link", href, children });
      // A link holds no other link.
      for (const bracket of this.brackets) if (!bracket.picture) bracket.active = false;
    }
    this.at = target.end;
  }

  /** What stands in `(address "title")` from a place on. */
  private target(at: number): { href: string; end: number } | null {
    const { text } = this;
    if (text[at] !== "(") return null;
    const limit = Math.min(text.length, at + LONGEST_ADDRESS);
    let start = at + 1;
    while (start < limit && /\s/.test(text[start]!)) start += 1;
    let end = start;
    let href: string;
    if (text[start] === "<") {
      ANGLED_TARGET.lastIndex = start;
      const found = ANGLED_TARGET.exec(text);
      if (!found) return null;
      href = found[1]!;
      end = ANGLED_TARGET.lastIndex;
    } else {
      for (let depth = 0; end < limit && !/\s/.test(text[end]!); end += 1) {
        if (text[end] === "\\" && ESCAPABLE.test(text[end + 1] ?? "")) end += 1;
        else if (text[end] === "(") depth += 1;
        else if (text[end] === ")" && (depth -= 1) < 0) break;
      }
      href = text.slice(start, end);
    }
    const rest = /(?:\s+(?:"(?:\\.|[^"\\]){0,300}"|'(?:\\.|[^'\\]){0,300}'|\((?:\\.|[^()\\]){0,300}\)))?\s*\)/sy;
    rest.lastIndex = end;
    return rest.test(text) ? { href: unescaped(href), end: rest.lastIndex } : null;
  }

  private readAngled(): void {
    ANGLED.lastIndex = this.at;
    const found = ANGLED.exec(this.text);
    if (!found) return this.take(1);
    const [, address, mailbox] = found;
    const href = address ?? `mailto:${mailbox}`;
    this.nodes.push({ type: "link", href: safeHref(href), children: [{ type: "text", text: address ?? mailbox! }] });
    this.at += found[0].length;
  }

  private readBare(found: string): void {
    const before = this.text[this.at - 1];
    BARE.lastIndex = this.at;
    const address = before && /\w/.test(before) ? null : BARE.exec(this.text);
    if (!address) return this.take(found.length);
    // The stop at the end of a sentence, and a bracket that was opened before the address, are not part of it.
    let link = address[0].replace(/[.,;:!?'"*_~]+$/, "");
    if (link.endsWith(")") && !link.includes("(")) link = link.replace(/\)+[.,;:!?'"*_~]*$/, "");
    if (link.includes("[")) link = link.slice(0, link.indexOf("["));
    const href = link.toLowerCase().startsWith("www.") ? `https://${link}` : link;
    if (link.length <= found.length) return this.take(found.length);
    this.nodes.push({ type: "link", href: safeHref(href), children: [{ type: "text", text: link }] });
    this.at += link.length;
  }

  private readDollars(): void {
    const { text, at } = this;
    const sign = text.startsWith("$$", at) ? "$$" : "$";
    const end = text.slice(at + sign.length, at + sign.length + LONGEST_MATH).indexOf(sign) + at + sign.length;
    const inner = end >= at + sign.length ? text.slice(at + sign.length, end) : "";
    // A price is no formula: no space inside the signs, no digit after the last, all on one line.
    const isMath =
      sign === "$$"
        ? inner.trim() !== ""
        : /^[^\s\n](?:[^\n]*[^\s\n])?$/.test(inner) && !/\d/.test(text[end + 1] ?? "");
    if (isMath) this.math(at + sign.length, end, sign.length);
    else this.take(sign.length);
  }

  private readEntity(): void {
    ENTITY.lastIndex = this.at;
    const found = ENTITY.exec(this.text);
    const char = found && entity(found[1], found[2], found[3]);
    if (!found || !char) return this.take(1);
    this.say(char);
    this.at += found[0].length;
  }

  private readLineEnd(): void {
    const last = this.nodes.at(-1);
    if (last?.type === "text" && last.text.endsWith("  ")) {
      last.text = last.text.trimEnd();
      this.nodes.push({ type: "break" });
    } else {
      this.say("\n");
    }
    this.at += 1;
  }

  /** Turns pairs of delimiters, from one on, into what they mean; those without a partner stay as they are. */
  private pair(from: number): void {
    const inner = this.delimiters.splice(from);
    const open: Delimiter[] = [];
    const wraps: { start: number; end: number; type: "strong" | "em" | "del"; used: number }[] = [];
    for (const closer of inner) {
      if (closer.closes) {
        for (let index = open.length - 1; index >= 0 && closer.count > 0; index -= 1) {
          const opener = open[index]!;
          if (opener.char !== closer.char) continue;
          if (closer.char !== "~" && isOddPair(opener, closer)) continue;
          // What was opened inside and not closed stays as it is.
          open.length = index + 1;
          while (opener.count > 0 && closer.count > 0) {
            const used = closer.char === "~" || (opener.count >= 2 && closer.count >= 2) ? 2 : 1;
            wraps.push({
              start: opener.at,
              end: closer.at,
              type: closer.char === "~" ? "del" : used === 2 ? "strong" : "em",
              used,
            });
            opener.count -= used;
            closer.count -= used;
          }
          if (opener.count === 0) open.length = index;
        }
      }
      // So deep a stack is no emphasis that anybody meant.
      if (closer.opens && closer.count > 0 && open.length < 64) open.push(closer);
    }
    if (wraps.length > 0) this.wrap(inner, wraps);
  }

  private wrap(
    delimiters: Delimiter[],
    wraps: { start: number; end: number; type: "strong" | "em" | "del"; used: number }[],
  ): void {
    for (const { at, char, count } of delimiters) this.nodes[at] = { type: "text", text: char.repeat(count) };
    const base = Math.min(...wraps.map(({ start }) => start));
    const [opening, closing] = [new Map<number, typeof wraps>(), new Map<number, number>()];
    for (const wrap of wraps) {
      // The last pair that was found at an opener is the outermost.
      opening.set(wrap.start, [wrap, ...(opening.get(wrap.start) ?? [])]);
      closing.set(wrap.end, (closing.get(wrap.end) ?? 0) + 1);
    }
    const root: Inline[] = [];
    const stack: Inline[][] = [root];
    const flat = this.nodes.splice(base);
    flat.forEach((node, index) => {
      for (let ends = closing.get(base + index) ?? 0; ends > 0 && stack.length > 1; ends -= 1) stack.pop();
      stack.at(-1)!.push(node);
      for (const { type } of opening.get(base + index) ?? []) {
        const children: Inline[] = [];
        stack.at(-1)!.push({ type, children });
        stack.push(children);
      }
    });
    this.nodes.push(...root);
  }
}

/** CommonMark's rule of three: of delimiters that both open and close, these two do not belong together. */
function isOddPair(opener: Delimiter, closer: Delimiter): boolean {
  if (!opener.closes && !closer.opens) return false;
  return (opener.length + closer.length) % 3 === 0 && (opener.length % 3 !== 0 || closer.length % 3 !== 0);
}

/** Text beside text becomes one, and empty text goes. */
function merge(nodes: Inline[]): Inline[] {
  const merged: Inline[] = [];
  for (const node of nodes) {
    const last = merged.at(-1);
    if (node.type === "text") {
      if (last?.type === "text") last.text += node.text;
      else if (node.text) merged.push({ ...node });
    } else if ("children" in node) {
      merged.push({ ...node, children: merge(node.children) });
    } else {
      merged.push(node);
    }
  }
  return merged;
}

/** The bare words. */
export function wordsOf(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if ("children" in node) return wordsOf(node.children);
      if (node.type === "picture") return node.alt;
      return node.type === "break" ? " " : node.text;
    })
    .join("");
}

/** Names of the characters from U+00A0 to U+00FF, in their order. */
const LATIN =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para " +
  "middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave " +
  "Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc " +
  "Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc " +
  "iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";
/** The entities that are written in texts; CommonMark knows all two thousand of HTML. */
const ENTITIES = new Map([
  ...LATIN.split(" ").map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
  ...([
    ["amp", "&"],
    ["lt", "<"],
    ["gt", ">"],
    ["quot", '"'],
    ["apos", "'"],
  ] as const),
  ...([
    ["mdash", "—"],
    ["ndash", "–"],
    ["hellip", "…"],
    ["lsquo", "‘"],
    ["rsquo", "’"],
    ["ldquo", "“"],
    ["rdquo", "”"],
  ] as const),
  ...([
    ["bull", "•"],
    ["euro", "€"],
    ["trade", "™"],
    ["minus", "−"],
    ["rarr", "→"],
    ["le", "≤"],
    ["ge", "≥"],
    ["ne", "≠"],
  ] as const),
]);

function entity(decimal: string | undefined, hex: string | undefined, name: string | undefined): string | null {
  if (name) return ENTITIES.get(name) ?? null;
  const code = decimal ? Number(decimal) : parseInt(hex ?? "", 16);
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : "\ufffd";
}

/** An address as it is meant: backslashes and entities are ways to write it. */
function unescaped(address: string): string {
  return address.replace(
    /\\([!-/:-@[-`{-~])|&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z\d]{2,6}));/gi,
    (written, char?: string, decimal?: string, hex?: string, name?: string) =>
      char ?? entity(decimal, hex, name) ?? written,
  );
}
