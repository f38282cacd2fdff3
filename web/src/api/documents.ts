import type {
  Bibliography,
  CitationChange,
  CitationStyle,
  DocumentChange,
  DocumentCitation,
  DocumentCitations,
  DocumentDiff,
  DocumentPassage,
  DocumentSource,
  DocumentSummary,
  DocumentSupport,
  DocumentVersion,
  FormattedReference,
  NewDocument,
  NewDocumentCitation,
  PreviewAnswer,
  PreviewBody,
  ReferenceFormat,
  RenderFormat,
  Styles,
  WrittenDocument,
} from "@/api/documents-types";
import type { Job, Page } from "@/api/types";
import { Problem } from "@/lib/problem";

export const documentKeys = {
  all: ["documents"] as const,
  lists: ["documents", "list"] as const,
  list: (words: string) => ["documents", "list", words] as const,
  /** All that is known of one. */
  about: (id: string) => ["documents", "about", id] as const,
  one: (id: string) => ["documents", "about", id, "now"] as const,
  citations: (id: string) => ["documents", "about", id, "citations"] as const,
  sources: (id: string) => ["documents", "about", id, "sources"] as const,
  bibliography: (id: string) => ["documents", "about", id, "bibliography"] as const,
  support: (id: string, version: number) => ["documents", "about", id, "support", version] as const,
  history: (id: string) => ["documents", "about", id, "history"] as const,
  diff: (id: string, from: number, to: number) => ["documents", "about", id, "diff", from, to] as const,
  search: (id: string, words: string) => ["documents", "about", id, "search", words] as const,
  styles: ["styles"] as const,
};

interface Sent {
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  /** Sent as it is, with this type, instead of as JSON. */
  raw?: { text: string; type: string };
  signal?: AbortSignal;
}

/** An answer of the server that is a good one; any other, or none, is thrown as a `Problem`. */
async function ask(method: string, path: string, { query = {}, body, raw, signal }: Sent = {}): Promise<Response> {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const search = given.length > 0 ? `?${new URLSearchParams(given).toString()}` : "";
  const type = raw?.type ?? (body === undefined ? null : "application/json");
  let response: Response;
  try {
    response = await globalThis.fetch(`/api/v1${path}${search}`, {
      method,
      signal,
      ...(type && { headers: { "content-type": type }, body: raw ? raw.text : JSON.stringify(body) }),
    });
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === "AbortError") throw thrown;
    throw Problem.from(thrown);
  }
  if (!response.ok)
    throw Problem.fromBody(response.status, await response.text(), response.headers.get("x-request-id"));
  return response;
}

async function json<T>(method: string, path: string, sent?: Sent): Promise<T> {
  return (await (await ask(method, path, sent)).json()) as T;
}

const at = (id: string, part = "") => `/documents/${encodeURIComponent(id)}${part}`;
const PAGE = 50;

export function listDocuments(
  words: string,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<Page<DocumentSummary>> {
  return json("GET", "/documents", {
    query: { limit: PAGE, q: words || undefined, cursor: cursor ?? undefined },
    signal,
  });
}

export function createDocument(body: NewDocument): Promise<WrittenDocument> {
  return json("POST", "/documents", { body });
}

export function getDocument(id: string, version?: number, signal?: AbortSignal): Promise<WrittenDocument> {
  return json("GET", at(id), { query: { version }, signal });
}

/** With a version, only if that is the newest: else a `Problem` with the code `document_changed` tells the newest. */
export function changeDocument(
  id: string,
  change: DocumentChange & { base_version?: number; message?: string },
): Promise<WrittenDocument> {
  return json("PATCH", at(id), { body: change });
}

export async function deleteDocument(id: string): Promise<void> {
  await ask("DELETE", at(id));
}

export function listCitations(id: string, signal?: AbortSignal): Promise<DocumentCitations> {
  return json("GET", at(id, "/citations"), { signal });
}

/** A number that no citation of the document has had. */
export async function takeCitationNumber(id: string): Promise<number> {
  return (await json<{ citation_number: number }>("POST", at(id, "/citation-number"))).citation_number;
}

export function addCitation(
  id: string,
  body: NewDocumentCitation,
): Promise<{ citation: DocumentCitation; version: number }> {
  return json("POST", at(id, "/citations"), { body });
}

export function changeCitation(id: string, number: number, body: CitationChange): Promise<DocumentCitation> {
  return json("PATCH", at(id, `/citations/${number}`), { body });
}

/** Takes its marker out of the text, too. */
export function removeCitation(id: string, number: number): Promise<{ version: number }> {
  return json("DELETE", at(id, `/citations/${number}`));
}

export async function listDocumentSources(id: string, signal?: AbortSignal): Promise<DocumentSource[]> {
  return (await json<{ items: DocumentSource[] }>("GET", at(id, "/sources"), { signal })).items;
}

export function addDocumentSource(id: string, body: { source_id: string } | { url: string }): Promise<DocumentSource> {
  return json("POST", at(id, "/sources"), { body });
}

/** Refused with `source_is_cited` where it is, unless it is said what becomes of the citations. */
export async function removeDocumentSource(id: string, source: string, citations?: "keep" | "remove"): Promise<void> {
  await ask("DELETE", at(id, `/sources/${encodeURIComponent(source)}`), { query: { citations } });
}

export async function searchDocument(id: string, query: string, signal?: AbortSignal): Promise<DocumentPassage[]> {
  return (await json<{ results: DocumentPassage[] }>("POST", at(id, "/search"), { body: { query, top_k: 5 }, signal }))
    .results;
}

export function getBibliography(id: string, signal?: AbortSignal): Promise<Bibliography> {
  return json("POST", at(id, "/bibliography"), { body: {}, signal });
}

export function previewDocument(id: string, body: PreviewBody, signal?: AbortSignal): Promise<PreviewAnswer> {
  return json("POST", at(id, "/preview"), { body, signal });
}

export function getSupport(id: string, signal?: AbortSignal): Promise<DocumentSupport> {
  return json("GET", at(id, "/support"), { signal });
}

export async function listVersions(
  id: string,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<Page<DocumentVersion>> {
  const page = await json<{ items: DocumentVersion[]; next_cursor?: string | null }>("GET", at(id, "/history"), {
    query: { limit: PAGE, cursor: cursor ?? undefined },
    signal,
  });
  return { items: page.items, next_cursor: page.next_cursor ?? null };
}

export function compareVersions(id: string, from: number, to: number, signal?: AbortSignal): Promise<DocumentDiff> {
  return json("GET", at(id, "/diff"), { query: { from, to }, signal });
}

export function restoreVersion(id: string, version: number, base: number): Promise<WrittenDocument> {
  return json("POST", at(id, "/restore"), { body: { version, base_version: base } });
}

export function startDraft(
  id: string,
  body: { question?: string; outline?: string[]; replace?: boolean },
): Promise<Job> {
  return json("POST", at(id, "/draft"), { body });
}

export function listStyles(signal?: AbortSignal): Promise<Styles> {
  return json("GET", "/styles", { signal });
}

/** The text of a `.csl` file. */
export function addStyle(csl: string): Promise<CitationStyle> {
  return json("POST", "/styles", { raw: { text: csl, type: "application/xml" } });
}

export async function deleteStyle(id: string): Promise<void> {
  await ask("DELETE", `/styles/${encodeURIComponent(id)}`);
}

/** One source as the references of a document have it. */
export function formatSource(
  source: string,
  { style, locale, missing }: Pick<WrittenDocument, "style" | "locale" | "missing">,
): Promise<FormattedReference> {
  return json("POST", `/sources/${encodeURIComponent(source)}/format`, {
    body: { style, kind: "bibliography", locale, missing },
  });
}

/** A file that can be made of a document, fetched: a refusal is a `Problem` and not a broken download. */
async function file(path: string, query: Record<string, string>): Promise<Blob> {
  return (await ask("GET", path, { query })).blob();
}

export const renderDocument = (id: string, format: RenderFormat) => file(at(id, "/render"), { format });
export const getReferences = (id: string, format: ReferenceFormat) => file(at(id, "/references"), { format });
export const getEvidenceZip = (id: string) => file(`/evidence/document/${encodeURIComponent(id)}`, {});
