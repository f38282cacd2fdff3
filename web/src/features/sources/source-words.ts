import type { Source, SourceCounts, SourceImpact, SourceOrigin, SourceStatus } from "@/api/types";
import { asSentence, formatPlural, formatSize, humanise } from "@/lib/format";
import { mediaName } from "@/lib/media";
import type { Problem } from "@/lib/problem";

export const STATUS_NAMES: Record<SourceStatus, string> = {
  pending: "Reading",
  indexed: "Indexed",
  ready: "Ready",
  failed: "No text",
};

export interface StatusWords {
  word: string;
  /** A sign beside the word, so that a state is never told by colour alone. */
  sign: string;
  tone: "busy" | "calm" | "bad";
  /** More, where there is more to say. */
  why: string | null;
}

type Stand = Pick<Source, "status" | "embedding" | "embedding_error" | "extraction_error" | "revision_id" | "origin">;

/** How far a source has come, in words. */
export function statusWords(source: Stand): StatusWords {
  switch (source.status) {
    case "pending":
      return { word: source.revision_id ? "Reading…" : "Fetching…", sign: "◐", tone: "busy", why: null };
    case "indexed": {
      const failed = source.embedding === "failed";
      const cause = source.embedding_error && asSentence(source.embedding_error);
      const why = failed
        ? `By words only: ${cause ?? "the embedding failed."}`
        : cause && `By words only for now: ${cause}`;
      return { word: "Indexed", sign: "◑", tone: failed ? "calm" : "busy", why };
    }
    case "failed":
      return {
        word: "No text",
        sign: "✕",
        tone: "bad",
        why: asSentence(source.extraction_error?.detail ?? "nothing could be read"),
      };
    default:
      // What was typed in has no content that could be read.
      if (!source.revision_id) return { word: "Description only", sign: "○", tone: "calm", why: null };
      return { word: "Ready", sign: "●", tone: "calm", why: null };
  }
}

/** Whether something about the source is still going to change by itself. */
export function isBusy({ status, embedding }: Pick<Source, "status" | "embedding">): boolean {
  return status === "pending" || embedding === "pending";
}

const SOON_MS = 1000;
const LATER_MS = 10_000;

/** How often to look again: often while work goes on, seldom while it waits for something, never when all is done. */
export function lookAgain(
  sources: readonly Pick<Source, "status" | "embedding" | "embedding_error">[],
): number | false {
  const busy = sources.filter(isBusy);
  if (busy.length === 0) return false;
  return busy.every(({ status, embedding_error }) => status !== "pending" && embedding_error) ? LATER_MS : SOON_MS;
}

export function countsBusy(counts: SourceCounts | undefined): boolean {
  return counts !== undefined && counts.pending + counts.embedding_pending > 0;
}

type Described = Pick<
  Source,
  | "title"
  | "authors"
  | "author"
  | "publication_date"
  | "container"
  | "site_name"
  | "filename"
  | "url"
  | "media_type"
  | "size_bytes"
>;

/** The line under a title: who, when, where; what it is, where none of these is known. */
export function byline(source: Described): string {
  const name = source.filename === source.title ? null : source.filename;
  const where = source.container ?? source.site_name ?? name ?? (source.url && host(source.url));
  const known = [authorsLine(source), source.publication_date, where].filter(Boolean);
  if (known.length > 0) return known.join(" · ");
  return source.media_type ? `${mediaName(source.media_type)} · ${formatSize(source.size_bytes ?? 0)}` : "";
}

/** "Anna Berg, Jon Ek and 3 more". */
export function authorsLine({ authors, author }: Pick<Source, "authors" | "author">): string | null {
  if (authors.length === 0) return author;
  // "Berg, Anna" has a comma of its own.
  const between = authors.some((name) => name.includes(",")) ? "; " : ", ";
  if (authors.length <= 3) return authors.join(between);
  return `${authors.slice(0, 2).join(between)} and ${authors.length - 2} more`;
}

export function host(url: string): string {
  try {
    return new URL(url).host.replace(/^www\./, "");
  } catch {
    return url;
  }
}

const ORIGINS: Partial<Record<SourceOrigin, string>> = {
  web: "The web",
  blob_storage: "A file",
  manual: "Typed in by hand",
  api: "Another program",
  email: "E-mail",
  mcp: "Another program (MCP)",
  sharepoint: "SharePoint",
  onedrive: "OneDrive",
};

export function originWords(origin: SourceOrigin): string {
  return ORIGINS[origin] ?? humanise(origin);
}

/** What goes with a source, as lines to read before it goes. */
export function impactLines(impact: SourceImpact): string[] {
  return [
    impact.lost_claim_count > 0 &&
      `${formatPlural(impact.lost_claim_count, "claim")} would lose ${impact.lost_claim_count === 1 ? "its" : "their"} only source`,
    impact.revision_count > 0 && `${formatPlural(impact.revision_count, "version")} of its content`,
    impact.chunk_count > 0 && `${formatPlural(impact.chunk_count, "passage")} that could no longer be found`,
    impact.artifacts.length > 0 &&
      `${formatPlural(impact.artifacts.length, "kept file")} that nothing else names, ${formatSize(impact.size_bytes)}`,
  ].filter((line) => line !== false);
}

/** What would still support a claim. */
export function leftWords(others: number): string {
  return others === 0 ? "nothing else supports it" : `${formatPlural(others, "other source")} would still support it`;
}

/** Where a passage stands: "Page 3 · Findings". */
export function placeWords(place: {
  page: number | null;
  section: string[];
  sheet: string | null;
  cells: string | null;
  part: string | null;
}): string {
  const sheet = [place.sheet, place.cells].filter(Boolean).join(" ");
  return [place.page !== null && `Page ${place.page}`, place.part, sheet, place.section.join(" › ")]
    .filter(Boolean)
    .join(" · ");
}

/** What the server says of one field, without the parts that only a program needs. */
export function fieldMessage({ message, field }: Problem): string {
  const own = field && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  return asSentence(own.replace(/ at line \d+ column \d+$/, ""));
}
