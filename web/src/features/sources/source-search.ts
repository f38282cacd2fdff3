import type { SourceFilter } from "@/api/sources";
import type { SourceStatus } from "@/api/types";

export const STATUSES: readonly SourceStatus[] = ["pending", "indexed", "ready", "failed"];

/** What of the list is shown; all of it is in the address. What is not meant drops out. */
export function parseSourcesSearch(search: Record<string, unknown>): SourceFilter {
  const status = STATUSES.find((known) => known === search.status);
  // A search for a number comes parsed out of the address.
  const words = typeof search.q === "number" ? String(search.q) : search.q;
  const q = typeof words === "string" ? words.trim() : "";
  return { ...(q && { q }), ...(status && { status }) };
}

export type SourceView = "original" | "text" | "passages" | "tells" | "changes" | "about";
const VIEWS: readonly SourceView[] = ["original", "text", "passages", "tells", "changes", "about"];

export interface SourceSearch {
  /** If it is not said: the original, where it can be shown at the place that the address names, or else the text. */
  view?: SourceView;
  /** A version of the content other than the current one. */
  revision?: string;
  /** The version that it is compared with. */
  against?: string;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function parseSourceSearch(search: Record<string, unknown>): SourceSearch {
  const { revision, against } = search;
  const view = VIEWS.find((known) => known === search.view);
  return {
    ...(view && { view }),
    ...(typeof revision === "string" && ID.test(revision) && { revision }),
    ...(typeof against === "string" && ID.test(against) && { against }),
  };
}
