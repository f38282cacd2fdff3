import type { DocumentSource } from "@/api/documents-types";
import type { CiteAs, DocumentFormat, MissingDetails, SourceType, Template } from "@/api/types";
import type { SaveState } from "@/features/documents/saver";
import { asSentence, formatPlural, humanise } from "@/lib/format";

export const FORMATS: readonly (readonly [DocumentFormat, string])[] = [
  ["markdown", "Markdown"],
  ["typst", "Typst"],
];

export const TEMPLATES: readonly (readonly [Template, string])[] = [
  ["article", "Article"],
  ["report", "Report"],
  ["essay", "Essay"],
  ["none", "None: the text sets itself"],
];

export const CITE_AS: readonly (readonly [CiteAs, string])[] = [
  ["footnotes", "In footnotes"],
  ["in_text", "In the text"],
];

export const MISSING: readonly (readonly [MissingDetails, string])[] = [
  ["placeholders", "Say what is missing"],
  ["csl", "As the style has it"],
];

/** Those that most texts are written in, in this order: what people call them, and what servers do. */
export const COMMON_STYLES: readonly (readonly [name: string, ids: readonly string[]])[] = [
  ["APA", ["apa", "american-psychological-association"]],
  ["MLA", ["mla", "modern-language-association"]],
  [
    "Chicago notes",
    ["chicago-notes", "chicago-notes-bibliography", "chicago-fullnotes", "chicago-fullnote-bibliography"],
  ],
  ["Chicago author-date", ["chicago-author-date"]],
  ["IEEE", ["ieee", "institute-of-electrical-and-electronics-engineers"]],
  ["Harvard", ["harvard", "harvard-cite-them-right"]],
  ["Vancouver", ["vancouver"]],
  ["Nature", ["nature"]],
];

interface Named {
  style_id: string;
  title: string;
  aliases: readonly string[];
}

/** Own styles first, then the common ones, then all others by name; only those in which every word of the query is. */
export function pickStyles<T extends Named & { is_own: boolean }>(
  styles: readonly T[],
  query: string,
): { own: T[]; common: T[]; others: T[] } {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ style_id, title, aliases }: T) => {
    const known = [style_id, title, commonName(style_id), ...aliases].join(" ").toLowerCase();
    return words.every((word) => known.includes(word));
  };
  const found = styles.filter(fits);
  const common = COMMON_STYLES.flatMap(([, names]) => {
    const one = names
      .map((name) => found.find((style) => style.style_id === name || style.aliases.includes(name)))
      .find(Boolean);
    return one ? [one] : [];
  });
  const first = new Set(common);
  const rest = found.filter((style) => !first.has(style));
  return {
    own: rest.filter(({ is_own }) => is_own),
    common,
    others: rest.filter(({ is_own }) => !is_own).sort((a, b) => a.title.localeCompare(b.title, "en")),
  };
}

/** What people call one of the common styles. */
export function commonName(id: string): string | null {
  return COMMON_STYLES.find(([, ids]) => ids.includes(id))?.[0] ?? null;
}

/** What a style is called where there is little room, also before the list of them is there. */
export function styleName(styles: readonly Named[] | undefined, id: string): string {
  const style = styles?.find((one) => one.style_id === id || one.aliases.includes(id));
  return commonName(id) ?? (style && commonName(style.style_id)) ?? style?.title ?? id;
}

export function formatName(format: DocumentFormat): string {
  return FORMATS.find(([known]) => known === format)?.[1] ?? format;
}

export function typeWord(type: SourceType): string {
  return type === "KNOWLEDGE_BASE" ? "Document" : humanise(type.toLowerCase());
}

/** "Document · cited 3 times", and whether it can still be had. */
export function sourceLine({
  source_type,
  citation_count,
}: Pick<DocumentSource, "source_type" | "citation_count">): string {
  const cited =
    citation_count === 0
      ? "not cited"
      : citation_count === 1
        ? "cited once"
        : `cited ${formatPlural(citation_count, "time")}`;
  return `${typeWord(source_type)} · ${cited}`;
}

export function stateWords(state: SaveState): string {
  switch (state.kind) {
    case "saved":
      return `Saved · version ${state.version}`;
    case "typed":
    case "saving":
      return "Saving…";
    case "conflict":
      return "Not saved: changed elsewhere";
    case "failed":
      return state.problem.status === 0 ? "Not saved: offline" : `Not saved: ${asSentence(state.problem.message)}`;
  }
}

/** A sentence without its citations and its markup, as words to search by. */
export function plainSentence(text: string): string {
  return text
    .replace(/\[\^\d+\]|#footnote\[\s*\d+\s*\]/g, "")
    .replace(/[*_`#>]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** The name of a file to hand on. */
export function fileName(title: string, ending: string): string {
  const name = title
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80);
  return `${name || "document"}.${ending}`;
}

/** "Berg, Anna; Ek, Jon" is two names. */
export function namesOf(line: string): string[] {
  return line
    .split(";")
    .map((name) => name.trim())
    .filter(Boolean);
}
