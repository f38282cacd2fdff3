import { Problem } from "@/lib/problem";

/** The first `bytes` bytes of what is at an address of this server. */
export async function fetchBytes(url: string, bytes: number, signal?: AbortSignal): Promise<ArrayBuffer> {
  let response: Response;
  try {
    response = await fetch(url, { headers: { Range: `bytes=0-${bytes - 1}` }, signal });
  } catch (thrown) {
    if (signal?.aborted) throw thrown;
    throw Problem.from(thrown);
  }
  if (!response.ok) {
    throw Problem.fromBody(response.status, await response.text(), response.headers.get("x-request-id"));
  }
  return (await response.arrayBuffer()).slice(0, bytes);
}

/** For the charset that a media type, or the head of a page, names; UTF-8 otherwise. */
export function decoderFor(said: string): TextDecoder {
  const charset = /charset=["']?([^"';\s/>]+)/i.exec(said)?.[1];
  try {
    return new TextDecoder(charset ?? "utf-8");
  } catch {
    return new TextDecoder("utf-8");
  }
}
