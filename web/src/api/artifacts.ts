import { decoderFor, fetchBytes } from "@/api/bytes";
import { call, client } from "@/api/client";
import type { Artifact, Page } from "@/api/types";
import { sendForm } from "@/api/upload";

export const artifactKeys = {
  all: ["artifacts"] as const,
  list: ["artifacts", "list"] as const,
  one: (sha256: string) => ["artifacts", "one", sha256] as const,
  text: (sha256: string) => ["artifacts", "text", sha256] as const,
};

const PAGE = 50;

export function listArtifacts(cursor: string | null, signal?: AbortSignal): Promise<Page<Artifact>> {
  return call(
    client.GET("/api/v1/artifacts", { params: { query: { limit: PAGE, ...(cursor && { cursor }) } }, signal }),
  );
}

export function getArtifact(sha256: string, signal?: AbortSignal): Promise<Artifact> {
  return call(client.GET("/api/v1/artifacts/{sha256}", { params: { path: { sha256 } }, signal }));
}

export function contentUrl(sha256: string): string {
  return `/api/v1/artifacts/${encodeURIComponent(sha256)}/content`;
}

/** Keeps one file; `onProgress` hears the bytes sent so far. */
export async function sendArtifact(file: File, onProgress: (sent: number) => void, signal: AbortSignal) {
  const { status, body } = await sendForm("/api/v1/artifacts", file, onProgress, signal);
  return { isNew: status === 201, artifact: body as Artifact };
}

/** The first `bytes` bytes as text. `media_type` may name a charset; UTF-8 otherwise. */
export async function readText(artifact: Artifact, bytes: number, signal?: AbortSignal): Promise<string> {
  if (artifact.size_bytes === 0) return "";
  const params = { path: { sha256: artifact.sha256 } };
  const buffer = await fetchBytes(
    (options) => client.GET("/api/v1/artifacts/{sha256}/content", { params, signal, ...options }),
    bytes,
  );
  // `stream` leaves out a character that the cut goes through.
  return decoderFor(artifact.media_type).decode(buffer, { stream: true });
}
