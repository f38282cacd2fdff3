import { call, client } from "@/api/client";
import type {
  Bibliography,
  CitationPatch,
  CitationStyle,
  DocumentCitation,
  DocumentCitations,
  DocumentDiff,
  DocumentPassage,
  DocumentPatch,
  DocumentSource,
  DocumentSummary,
  DocumentSupport,
  DocumentVersion,
  DraftBody,
  FormattedReference,
  NewCitation,
  NewDocument,
  PreviewAnswer,
  PreviewBody,
  Styles,
  WrittenDocument,
} from "@/api/documents-types";
import type { CitationTreatment, Job, Page, ReferenceFormat, RenderFormat } from "@/api/types";

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

const PAGE = 50;

export function listDocuments(
  words: string,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<Page<DocumentSummary>> {
  const query = { limit: PAGE, ...(words && { q: words }), ...(cursor && { cursor }) };
  return call(client.GET("/api/v1/documents", { params: { query }, signal }));
}

export function createDocument(body: NewDocument): Promise<WrittenDocument> {
  return call(client.POST("/api/v1/documents", { body }));
}

export function getDocument(id: string, version?: number, signal?: AbortSignal): Promise<WrittenDocument> {
  return call(client.GET("/api/v1/documents/{id}", { params: { path: { id }, query: { version } }, signal }));
}

/** With a version, only if that is the newest: else a `Problem` with the code `document_changed` tells the newest. */
export function changeDocument(id: string, body: DocumentPatch): Promise<WrittenDocument> {
  return call(client.PATCH("/api/v1/documents/{id}", { params: { path: { id } }, body }));
}

export async function deleteDocument(id: string): Promise<void> {
  await call(client.DELETE("/api/v1/documents/{id}", { params: { path: { id } } }));
}

export function listCitations(id: string, signal?: AbortSignal): Promise<DocumentCitations> {
  return call(client.GET("/api/v1/documents/{id}/citations", { params: { path: { id } }, signal }));
}

/** A number that no citation of the document has had. */
export async function takeCitationNumber(id: string): Promise<number> {
  const taken = await call(client.POST("/api/v1/documents/{id}/citation-number", { params: { path: { id } } }));
  return taken.citation_number;
}

export function addCitation(id: string, body: NewCitation): Promise<{ citation: DocumentCitation; version: number }> {
  return call(client.POST("/api/v1/documents/{id}/citations", { params: { path: { id } }, body }));
}

export function changeCitation(id: string, number: number, body: CitationPatch): Promise<DocumentCitation> {
  const path = { id, number: String(number) };
  return call(client.PATCH("/api/v1/documents/{id}/citations/{number}", { params: { path }, body }));
}

/** Takes its marker out of the text, too. */
export function removeCitation(id: string, number: number): Promise<{ version: number }> {
  const path = { id, number: String(number) };
  return call(client.DELETE("/api/v1/documents/{id}/citations/{number}", { params: { path } }));
}

export async function listDocumentSources(id: string, signal?: AbortSignal): Promise<DocumentSource[]> {
  return (await call(client.GET("/api/v1/documents/{id}/sources", { params: { path: { id } }, signal }))).items;
}

export function addDocumentSource(id: string, body: { source_id: string } | { url: string }): Promise<DocumentSource> {
  return call(client.POST("/api/v1/documents/{id}/sources", { params: { path: { id } }, body }));
}

/** Refused with `source_is_cited` where it is, unless it is said what becomes of the citations. */
export async function removeDocumentSource(id: string, source: string, citations?: CitationTreatment): Promise<void> {
  const params = { path: { id, source_id: source }, query: { citations } };
  await call(client.DELETE("/api/v1/documents/{id}/sources/{source_id}", { params }));
}

export async function searchDocument(id: string, query: string, signal?: AbortSignal): Promise<DocumentPassage[]> {
  const body = { query, top_k: 5 };
  return (await call(client.POST("/api/v1/documents/{id}/search", { params: { path: { id } }, body, signal }))).results;
}

export function getBibliography(id: string, signal?: AbortSignal): Promise<Bibliography> {
  return call(client.POST("/api/v1/documents/{id}/bibliography", { params: { path: { id } }, body: {}, signal }));
}

export function previewDocument(id: string, body: PreviewBody, signal?: AbortSignal): Promise<PreviewAnswer> {
  return call(client.POST("/api/v1/documents/{id}/preview", { params: { path: { id } }, body, signal }));
}

export function getSupport(id: string, signal?: AbortSignal): Promise<DocumentSupport> {
  return call(client.GET("/api/v1/documents/{id}/support", { params: { path: { id } }, signal }));
}

export function listVersions(id: string, cursor: string | null, signal?: AbortSignal): Promise<Page<DocumentVersion>> {
  const query = { limit: PAGE, ...(cursor && { cursor }) };
  return call(client.GET("/api/v1/documents/{id}/history", { params: { path: { id }, query }, signal }));
}

export function compareVersions(id: string, from: number, to: number, signal?: AbortSignal): Promise<DocumentDiff> {
  return call(client.GET("/api/v1/documents/{id}/diff", { params: { path: { id }, query: { from, to } }, signal }));
}

export function restoreVersion(id: string, version: number, base: number): Promise<WrittenDocument> {
  const body = { version, base_version: base };
  return call(client.POST("/api/v1/documents/{id}/restore", { params: { path: { id } }, body }));
}

export function startDraft(id: string, body: DraftBody): Promise<Job> {
  return call(client.POST("/api/v1/documents/{id}/draft", { params: { path: { id } }, body }));
}

export function listStyles(signal?: AbortSignal): Promise<Styles> {
  return call(client.GET("/api/v1/styles", { signal }));
}

/** The text of a `.csl` file. */
export function addStyle(csl: string): Promise<CitationStyle> {
  const headers = { "content-type": "application/xml" };
  return call(client.POST("/api/v1/styles", { body: csl, bodySerializer: (text) => text, headers }));
}

export async function deleteStyle(id: string): Promise<void> {
  await call(client.DELETE("/api/v1/styles/{style_id}", { params: { path: { style_id: id } } }));
}

/** One source as the references of a document have it. */
export function formatSource(
  source: string,
  { style, locale, missing }: Pick<WrittenDocument, "style" | "locale" | "missing">,
): Promise<FormattedReference> {
  const body = { style, kind: "bibliography", locale, missing } as const;
  return call(client.POST("/api/v1/sources/{id}/format", { params: { path: { id: source } }, body }));
}

/*
 * Files that can be made of a document, fetched: a refusal is a `Problem` and not a broken download.
 */

export function renderDocument(id: string, format: RenderFormat): Promise<Blob> {
  const params = { path: { id }, query: { format } };
  return call(client.GET("/api/v1/documents/{id}/render", { params, parseAs: "blob" }));
}

export function getReferences(id: string, format: ReferenceFormat): Promise<Blob> {
  const params = { path: { id }, query: { format } };
  return call(client.GET("/api/v1/documents/{id}/references", { params, parseAs: "blob" }));
}

export function getEvidenceZip(id: string): Promise<Blob> {
  const params = { path: { kind: "document", id } };
  return call(client.GET("/api/v1/evidence/{kind}/{id}", { params, parseAs: "blob" }));
}
