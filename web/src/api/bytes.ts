import { openResponse, type Answer } from "@/api/client";

interface BytesOptions {
  headers: { Range: string };
  parseAs: "stream";
}

/** The first `bytes` bytes of what `get` asks for, which has to pass the options on. */
export async function fetchBytes(
  get: (options: BytesOptions) => Promise<Answer<unknown>>,
  bytes: number,
): Promise<ArrayBuffer> {
  const response = await openResponse(get({ headers: { Range: `bytes=0-${bytes - 1}` }, parseAs: "stream" }));
  // A server may send all of it.
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
