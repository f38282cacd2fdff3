import { decoderFor, fetchBytes } from "@/api/bytes";
import { call, client } from "@/api/client";
import type {
  Chunk,
  ImportResult,
  NewSource,
  Page,
  Revision,
  Source,
  SourceCounts,
  SourceImpact,
  SourcePatch,
  SourceStatus,
  SourceText,
} from "@/api/types";
import { sendForm } from "@/api/upload";
import { Problem } from "@/lib/problem";

export interface SourceFilter {
  q?: string;
  status?: SourceStatus;
}

export const sourceKeys = {
  all: ["sources"] as const,
  lists: ["sources", "list"] as const,
  list: (filter: SourceFilter) => ["sources", "list", filter] as const,
  counts: ["sources", "counts"] as const,
  one: (id: string) => ["sources", "one", id] as const,
  /** A text never changes for a revision; one without a revision never is. */
  text: (id: string, revision: string) => ["sources", "text", id, revision] as const,
  original: (id: string, revision: string) => ["sources", "original", id, revision] as const,
  chunks: (id: string, revision: string) => ["sources", "chunks", id, revision] as const,
  revisions: (id: string, current: string | null) => ["sources", "revisions", id, current] as const,
  impact: (id: string, artifact: string | null) => ["sources", "impact", id, artifact] as const,
  citedIn: (conversation: string) => ["sources", "cited in", conversation] as const,
};

const PAGE = 50;

export async function listSources(
  filter: SourceFilter,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<Page<Source>> {
  const query = { limit: PAGE, ...filter, ...(cursor && { cursor }) };
  const page = await call(client.GET("/api/v1/sources", { params: { query }, signal }));
  // Without `view`, every item is a source.
  return page as Page<Source>;
}

export function countSources(signal?: AbortSignal): Promise<SourceCounts> {
  return call(client.GET("/api/v1/sources/counts", { signal }));
}

export async function getSource(id: string, signal?: AbortSignal): Promise<Source> {
  return (await call(client.GET("/api/v1/sources/{id}", { params: { path: { id } }, signal }))) as Source;
}

/** `isNew` is false for one that was here already. */
export async function createSource(body: NewSource): Promise<{ isNew: boolean; source: Source }> {
  let status = 0;
  const source = await call(
    client.POST("/api/v1/sources", { body }).then((answer) => {
      status = answer.response.status;
      return answer;
    }),
  );
  return { isNew: status === 201, source };
}

/** Brings one file; `onProgress` hears the bytes sent so far. */
export async function sendSource(file: File, onProgress: (sent: number) => void, signal: AbortSignal) {
  const { body } = await sendForm("/api/v1/sources/upload", file, onProgress, signal);
  const { items, added, failed } = body as ImportResult;
  const source = items[0];
  // One file of several may be refused while the others are taken, so the answer as a whole is not an error.
  if (!source)
    throw new Problem(422, { code: "import_failed", detail: failed[0]?.reason ?? "The file was not taken." });
  return { isNew: added > 0, source };
}

export function changeSource(id: string, body: SourcePatch): Promise<Source> {
  return call(client.PATCH("/api/v1/sources/{id}", { params: { path: { id } }, body }));
}

export async function deleteSource(id: string): Promise<void> {
  await call(client.DELETE("/api/v1/sources/{id}", { params: { path: { id } } }));
}

/** Fetches the address of a source again, or takes bytes that are kept already for its new content; gives the job that does it. */
export async function refreshSource(id: string, artifact: string | null = null): Promise<string> {
  const body = { artifact_sha256: artifact };
  return (await call(client.POST("/api/v1/sources/{id}/refresh", { params: { path: { id } }, body }))).job_id;
}

/** What deleting a source would do to what cites it, or replacing its content with an artifact's; claims by the page. */
export function getImpact(
  id: string,
  artifact: string | null,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<SourceImpact> {
  const query = { limit: PAGE, ...(artifact && { artifact_sha256: artifact }), ...(cursor && { cursor }) };
  return call(client.GET("/api/v1/sources/{id}/impact", { params: { path: { id }, query }, signal }));
}

/** What a conversation is called, for those that cite a source. */
export async function getConversationTitle(id: string, signal?: AbortSignal): Promise<string | null> {
  return (await call(client.GET("/api/v1/conversations/{id}", { params: { path: { id } }, signal }))).title ?? null;
}

export function getText(id: string, revision: string, signal?: AbortSignal): Promise<SourceText> {
  return call(client.GET("/api/v1/sources/{id}/text", { params: { path: { id }, query: { revision } }, signal }));
}

export function listChunks(
  id: string,
  revision: string,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<Page<Chunk>> {
  const query = { limit: PAGE, revision, ...(cursor && { cursor }) };
  return call(client.GET("/api/v1/sources/{id}/chunks", { params: { path: { id }, query }, signal }));
}

export function listRevisions(id: string, cursor: string | null, signal?: AbortSignal): Promise<Page<Revision>> {
  const query = { limit: PAGE, ...(cursor && { cursor }) };
  return call(client.GET("/api/v1/sources/{id}/revisions", { params: { path: { id }, query }, signal }));
}

/** The version is in the address, because the browser keeps what it got for good. */
function versioned(id: string, revision: string | null, part: string): string {
  return `/api/v1/sources/${encodeURIComponent(id)}/${part}${revision ? `?revision=${revision}` : ""}`;
}

/** The bytes of one version, as they came. */
export function originalUrl(id: string, revision: string | null): string {
  return versioned(id, revision, "content");
}

const MOST_HTML_BYTES = 8 * 1024 * 1024;

/** The text of a saved page, in the characters that its type or its head names. */
export async function readOriginal(
  id: string,
  revision: string,
  mediaType: string,
  signal?: AbortSignal,
): Promise<string> {
  const params = { path: { id }, query: { revision } };
  const bytes = await fetchBytes(
    (options) => client.GET("/api/v1/sources/{id}/content", { params, signal, ...options }),
    MOST_HTML_BYTES,
  );
  const head = new TextDecoder("latin1").decode(bytes.slice(0, 2048));
  return decoderFor(/charset=["']?[\w-]+/i.test(mediaType) ? mediaType : head).decode(bytes);
}

export function thumbnailUrl(source: Source): string {
  return versioned(source.id, source.revision_id, "thumbnail");
}
