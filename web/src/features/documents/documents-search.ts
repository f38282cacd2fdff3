export interface DocumentsSearch {
  q?: string;
}

export function parseDocumentsSearch(search: Record<string, unknown>): DocumentsSearch {
  const q = typeof search.q === "number" ? String(search.q) : typeof search.q === "string" ? search.q.trim() : "";
  return q ? { q } : {};
}

/** How a document is shown. */
export interface DocumentSearch {
  /** What is in sight where there is no room for all; the text if it is not said. */
  view?: "pages" | "sources";
  /** What is beside the pages: the sources if it is not said. */
  panel?: "history" | "hidden";
  /** Which page is in sight. */
  page?: number;
  /** The version that is compared, with the one before it or with the newest. */
  version?: number;
  against?: "now";
}

export function parseDocumentSearch(search: Record<string, unknown>): DocumentSearch {
  const parsed: DocumentSearch = {};
  if (search.view === "pages" || search.view === "sources") parsed.view = search.view;
  if (search.panel === "history" || search.panel === "hidden") parsed.panel = search.panel;
  const [page, version] = [whole(search.page), whole(search.version)];
  if (page !== null && page > 1) parsed.page = page;
  if (version !== null) parsed.version = version;
  if (version !== null && search.against === "now") parsed.against = "now";
  return parsed;
}

function whole(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value < 1e9 ? value : null;
}
