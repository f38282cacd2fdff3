import type { Job, JobKind, JobState } from "@/api/types";
import { formatCount, formatPlural, formatSize, humanise } from "@/lib/format";

const KINDS: Partial<Record<JobKind, string>> = {
  fsck: "Check everything",
  gc: "Clean up",
  ingest: "Read",
  embed: "Index by meaning",
  import: "Unpack",
  notes: "Take notes",
  extract_events: "Read for people and events",
  graph_upsert: "Connect",
};

/** What the words of a job's result mean to a person. */
const OUTCOMES: Record<string, string> = {
  gone: "The source was deleted before",
  unavailable: "The address could not be fetched",
  unchanged: "Nothing has changed since it was read before",
  "nothing to read": "There is nothing to read in it",
  "nothing to embed": "There are no passages in it",
  superseded: "A newer version is read instead",
  "no embedder": "No embedder is set up: it is found by its words only",
};

/** What a job does, in words; kinds that have none yet show their own name. */
export function jobTitle(job: Job): string {
  const title = KINDS[job.kind] ?? humanise(job.kind);
  return job.kind === "gc" && isRecord(job.payload) && job.payload.apply !== true ? `${title} (dry run)` : title;
}

/** The source that a job is about. */
export function sourceOf({ payload }: Pick<Job, "payload">): string | null {
  const id: unknown = isRecord(payload) ? payload.source_id : null;
  return typeof id === "string" ? id : null;
}

/** A job that did its work may have found that there is nothing to be had. */
export function isInVain({ kind, result }: Pick<Job, "kind" | "result">): boolean {
  return kind === "ingest" && isRecord(result) && (result.outcome === "failed" || result.outcome === "unavailable");
}

/** A sign beside the word, so that a state is never told by colour alone. */
export const STATE_WORDS: Record<JobState, { word: string; sign: string }> = {
  queued: { word: "Queued", sign: "○" },
  running: { word: "Running", sign: "◐" },
  succeeded: { word: "Done", sign: "●" },
  dead: { word: "Failed", sign: "✕" },
  cancelled: { word: "Cancelled", sign: "–" },
};

/** What came of a job that is done, in a line; kinds that have no words yet show their facts. */
export function jobSummary({ kind, result }: Job): string {
  const report: Record<string, unknown> = isRecord(result) ? result : {};
  const count = (key: string) => (typeof report[key] === "number" ? report[key] : 0);
  if (kind === "fsck" && Array.isArray(report.findings)) {
    const checked = `${formatPlural(count("artifacts"), "file")}, ${formatSize(count("bytes"))}`;
    const faults = report.findings.length;
    return faults === 0 ? `Nothing wrong in ${checked}` : `${formatPlural(faults, "fault")} in ${checked}`;
  }
  if (kind === "gc" && "applied" in report) {
    const things = [
      [count("pointers"), "deleted name"],
      [count("manifests"), "manifest"],
      [count("artifacts"), "file"],
      // The blobs of files go with them.
      [Math.max(0, count("blobs") - count("artifacts")), "left-over blob"],
    ] as const;
    const named = things.filter(([many]) => many > 0).map(([many, thing]) => formatPlural(many, thing));
    if (named.length === 0) return "Nothing to remove";
    return `${report.applied === true ? "Removed" : "Would remove"} ${named.join(", ")} (${formatSize(count("bytes"))})`;
  }
  if (kind === "import" && "added" in report) {
    const parts = [
      `${formatPlural(count("added"), "source")} added`,
      count("unchanged") > 0 && `${formatCount(count("unchanged"))} here already`,
      count("failed") > 0 && `${formatCount(count("failed"))} refused`,
    ];
    return parts.filter(Boolean).join(" · ");
  }
  if (kind === "notes" && "sources" in report) return `Notes on ${formatPlural(count("sources"), "source")}`;
  if (kind === "extract_events" && report.outcome === "extracted") {
    const found = [
      formatPlural(count("events"), "event"),
      formatPlural(count("entities"), "person or thing", "people and things"),
    ];
    return [found.join(", "), count("to_review") > 0 && `${formatPlural(count("to_review"), "pair")} to review`]
      .filter(Boolean)
      .join(" · ");
  }
  if (kind === "graph_upsert" && "links" in report)
    return count("links") === 0 ? "Nothing to connect" : formatPlural(count("links"), "connection");
  if (report.outcome === "indexed")
    return `${formatPlural(count("chunks"), "passage")}, found by ${count("chunks") === 1 ? "its" : "their"} words`;
  if (report.outcome === "embedded")
    return `${formatPlural(count("chunks"), "passage")}, found by meaning with ${String(report.model)}`;
  if (report.outcome === "failed" && typeof report.reason === "string") return `No text: ${report.reason}`;
  if (typeof report.outcome === "string" && OUTCOMES[report.outcome]) return OUTCOMES[report.outcome]!;
  return facts(result)
    .map(([name, value]) => `${name}: ${value}`)
    .join(" · ");
}

/** The top level of a result or payload as pairs to read; lists are counted, and the rest is left to the raw JSON. */
export function facts(value: unknown): [name: string, value: string][] {
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, value]): [string, string][] => {
    const shown = factValue(key, value);
    return shown === null ? [] : [[humanise(key), shown]];
  });
}

/** Whether `facts` leave something out. */
export function hasMore(value: unknown): boolean {
  if (!isRecord(value)) return value != null;
  return Object.values(value).some((inner) => (Array.isArray(inner) ? inner.length > 0 : isRecord(inner)));
}

function factValue(key: string, value: unknown): string | null {
  if (typeof value === "number") return /(^|_)bytes(_|$)/.test(key) ? formatSize(value) : formatCount(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.length === 0 ? "none" : formatCount(value.length);
  return null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
