import { essence } from "@/lib/media";

/** How the original of a source can be shown; null where only its text can. */
export type OriginalKind = "pdf" | "page" | "picture";

const PICTURES = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
  "image/svg+xml",
  "image/x-icon",
]);

export function originalKind(mediaType: string | null): OriginalKind | null {
  const type = essence(mediaType ?? "");
  if (type === "application/pdf") return "pdf";
  if (type === "text/html" || type === "application/xhtml+xml") return "page";
  return PICTURES.has(type) ? "picture" : null;
}

/**
 * What opens if the address does not say: the original, unless a place is asked for that only the text can show. A
 * picture has no words to mark, and a saved page is brought to them by a property that not every browser knows.
 */
export function opensOriginal(kind: OriginalKind | null, hasPlace: boolean): boolean {
  if (!kind) return false;
  if (!hasPlace || kind === "pdf") return true;
  return kind === "page" && typeof CSS !== "undefined" && CSS.supports("scroll-initial-target", "nearest");
}
