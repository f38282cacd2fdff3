import type { Evidence, SearchResult, SourceOrigin, SourceType } from "@/api/types";
import { humanise } from "@/lib/format";
import { mediaName } from "@/lib/media";

const ORIGIN_NAMES: Partial<Record<SourceOrigin, string>> = {
  blob_storage: "Files",
  web: "The web",
  manual: "Typed in by hand",
  email: "E-mail",
  api: "Other programs",
  mcp: "Other programs (MCP)",
  sharepoint: "SharePoint",
  onedrive: "OneDrive",
};

export function originName(origin: SourceOrigin): string {
  return ORIGIN_NAMES[origin] ?? humanise(origin);
}

export function typeName(type: SourceType): string {
  return type === "KNOWLEDGE_BASE" ? "Documents" : humanise(type.toLowerCase());
}

type Described = Pick<
  SearchResult["source"],
  "author" | "publication_date" | "site_name" | "filename" | "title" | "media_type" | "revision" | "is_available"
>;

/** The line under a title: who, when, where, what. */
export function resultLine(source: Described): string {
  const name = source.filename === source.title ? null : source.filename;
  const where = source.site_name ?? name;
  const kind = source.media_type ? mediaName(source.media_type) : null;
  const gone = source.is_available ? null : "no longer reachable";
  return [source.author, source.publication_date, where, kind, gone].filter(Boolean).join(" · ");
}

const ORDINALS: Record<string, string> = { one: "st", two: "nd", few: "rd" };
const ordinalRule = new Intl.PluralRules("en", { type: "ordinal" });

function ordinal(value: number): string {
  return `${value}${ORDINALS[ordinalRule.select(value)] ?? "th"}`;
}

/** Why a result is where it is: "1st by words, 3rd by meaning". */
export function foundWords({
  bm25_rank,
  vector_rank,
}: Pick<SearchResult["scores"], "bm25_rank" | "vector_rank">): string {
  const ways = [
    bm25_rank != null && `${ordinal(bm25_rank)} by words`,
    vector_rank != null && `${ordinal(vector_rank)} by meaning`,
  ];
  return ways.filter(Boolean).join(", ");
}

const EXCERPT_CHARS = 420;

/** The part of a long quote that its first match stands in, with the matches counted anew. */
export function excerpt({ quote, matches }: Pick<Evidence, "quote" | "matches">): Pick<Evidence, "quote" | "matches"> {
  const characters = [...quote];
  if (characters.length <= EXCERPT_CHARS) return { quote, matches };
  const first = matches[0]?.start ?? 0;
  const wanted = Math.max(0, Math.min(first - EXCERPT_CHARS / 3, characters.length - EXCERPT_CHARS));
  // Whole words: from the gap before to the gap after.
  const from = wanted === 0 ? 0 : characters.lastIndexOf(" ", wanted) + 1;
  const gap = characters.indexOf(" ", from + EXCERPT_CHARS);
  const to = gap < 0 || gap > from + 2 * EXCERPT_CHARS ? Math.min(characters.length, from + EXCERPT_CHARS) : gap;
  const [lead, tail] = [from > 0 ? "… " : "", to < characters.length ? " …" : ""];
  const moved = from - lead.length;
  return {
    quote: `${lead}${characters.slice(from, to).join("")}${tail}`,
    matches: matches
      .filter(({ start, end }) => start >= from && end <= to)
      .map(({ start, end }) => ({ start: start - moved, end: end - moved })),
  };
}
