import type { Citation, Source, SourceOrigin, Verdict } from "@/api/types";
import { formatCount, formatPlural } from "@/lib/format";
import { spanHash } from "@/lib/span";

/** How a citation stands: what the check came to, unless its source has changed or gone since. */
export type Standing = Verdict | "unchecked" | "changed" | "deleted";

export function standingOf({
  availability,
  state,
  verdict,
}: Pick<Citation, "availability" | "state" | "verdict">): Standing {
  if (availability === "deleted") return "deleted";
  if (state === "changed") return "changed";
  return verdict ?? "unchecked";
}

export const STANDING_WORDS: Record<Standing, string> = {
  supported: "supported",
  partial: "partly supported",
  unsupported: "no evidence found",
  contradicted: "the source says otherwise",
  unverifiable: "cannot be checked",
  unchecked: "not checked",
  changed: "changed since it was cited",
  deleted: "no longer available",
};

/** "“72 metres” in the draft, “27 metres” in the source."; null where there are no two words to tell. */
export function differenceWords(
  { claim, source }: { claim: string; source?: string | null },
  text: "draft" | "answer",
): string | null {
  if (claim && source) return `“${claim}” in the ${text}, “${source}” in the source.`;
  if (claim) return `“${claim}” is not in the source.`;
  return source ? `The source says “${source}”.` : null;
}

/** "page 3", "pages 3–4"; null where there are no pages. */
export function pageWords({ page, last_page }: Pick<Citation, "page" | "last_page">): string | null {
  if (page == null) return null;
  return last_page != null && last_page > page ? `pages ${page}–${last_page}` : `page ${page}`;
}

/** What a screen reader says of a badge. */
export function citationLabel(citation: Citation): string {
  return [`citation ${citation.number}`, STANDING_WORDS[standingOf(citation)], citation.title, pageWords(citation)]
    .filter(Boolean)
    .join(", ");
}

/** Where a citation leads: the quoted words in the library, or the page on the web; null if to neither. */
export function citationHref(
  citation: Pick<Citation, "source_id" | "revision_id" | "start_char" | "end_char" | "url">,
): string | null {
  const { source_id, revision_id, start_char, end_char, url } = citation;
  if (source_id) {
    const version = revision_id ? `?revision=${encodeURIComponent(revision_id)}` : "";
    const place =
      start_char != null && end_char != null && start_char < end_char
        ? `#${spanHash({ start: start_char, end: end_char })}`
        : "";
    return `/sources/${encodeURIComponent(source_id)}${version}${place}`;
  }
  return url && /^https?:\/\//i.test(url) ? url : null;
}

/** Which part of the evidence a source belongs to. */
export type EvidenceKind = "documents" | "web" | "data" | "generated";

/** The kinds that an origin decides; of the others the media type does. */
const KINDS: Partial<Record<SourceOrigin, EvidenceKind>> = {
  web: "web",
  api: "data",
  database: "data",
  mcp: "data",
  memory: "generated",
  skill: "generated",
};
const TABLES =
  /^(text\/(csv|tab-separated-values)|application\/(json|x-ndjson|vnd\.ms-excel|vnd\.openxmlformats-officedocument\.spreadsheetml\.sheet|vnd\.oasis\.opendocument\.spreadsheet))/;

export function kindOf({ source_type, mime_type }: Pick<Citation, "source_type" | "mime_type">): EvidenceKind {
  return KINDS[source_type] ?? (TABLES.test(mime_type) ? "data" : "documents");
}

/** What one source bears of an answer. */
export interface CitedSource {
  number: number;
  kind: EvidenceKind;
  citations: Citation[];
}

/** The sources of an answer by their numbers, each with the words that are quoted of it, each once. */
export function citedSources(citations: readonly Citation[]): CitedSource[] {
  const found = new Map<number, CitedSource>();
  for (const citation of citations) {
    const source = found.get(citation.number);
    if (!source) found.set(citation.number, { number: citation.number, kind: kindOf(citation), citations: [citation] });
    else if (!source.citations.some((known) => known.quote === citation.quote && known.verdict === citation.verdict))
      source.citations.push(citation);
  }
  return [...found.values()].sort((a, b) => a.number - b.number);
}

const COUNTED: Partial<Record<Standing, string>> = {
  unsupported: "with no evidence found",
  contradicted: "that its source contradicts",
  unverifiable: "that cannot be checked",
  changed: "changed since",
};
const RANK: Standing[] = [
  "supported",
  "partial",
  "changed",
  "contradicted",
  "unsupported",
  "unverifiable",
  "unchecked",
  "deleted",
];

/** "5 claims · 4 supported · 1 with no evidence found": a claim with several citations is as good as the best of
 * them, and what says nothing of it does not hide what says otherwise. */
export function verdictSummary(citations: readonly Citation[]): string {
  const claims = new Map<string, Standing>();
  for (const citation of citations) {
    const claim = `${citation.claim_start_index ?? citation.start_index}`;
    const [known, standing] = [claims.get(claim), standingOf(citation)];
    if (!known || RANK.indexOf(standing) < RANK.indexOf(known)) claims.set(claim, standing);
  }
  const counted = RANK.map(
    (standing) => [standing, [...claims.values()].filter((one) => one === standing).length] as const,
  );
  const parts = counted
    .filter(([, count]) => count > 0)
    .map(([standing, count]) => `${formatCount(count)} ${COUNTED[standing] ?? STANDING_WORDS[standing]}`);
  return [formatPlural(claims.size, "claim"), ...parts].join(" · ");
}

/** One citation as a line of text: who, what, when, where, and the words. */
export function citationLine(citation: Citation, source: Source | null): string {
  const author = source && (source.authors.join("; ") || source.author);
  const work = [author, citation.title, source?.publication_date, pageWords(citation)].filter(Boolean).join(", ");
  const quote = citation.quote?.replace(/\s+/g, " ").trim();
  return [`${work}.`, quote && `“${quote}”`, citation.url].filter(Boolean).join(" ");
}
