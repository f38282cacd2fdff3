/** How a file can be shown here. Never as HTML: what others wrote does not run in this page. */
export type Preview = "image" | "text" | "none";

const IMAGES = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
  "image/svg+xml",
  "image/x-icon",
]);
const TEXTUAL = new Set([
  "application/json",
  "application/ld+json",
  "application/x-ndjson",
  "application/xml",
  "application/xhtml+xml",
  "application/javascript",
  "application/toml",
  "application/yaml",
  "application/x-yaml",
  "application/x-sh",
  "application/sql",
  "message/rfc822",
]);

export function essence(mediaType: string): string {
  return (mediaType.split(";")[0] ?? "").trim().toLowerCase();
}

export function previewOf(mediaType: string): Preview {
  const type = essence(mediaType);
  if (IMAGES.has(type)) return "image";
  if (type.startsWith("text/") || TEXTUAL.has(type) || type.endsWith("+json") || type.endsWith("+xml")) return "text";
  return "none";
}

const NAMES: Record<string, string> = {
  "application/pdf": "PDF",
  "application/json": "JSON",
  "application/zip": "ZIP",
  "application/xml": "XML",
  "application/octet-stream": "Binary",
  "application/msword": "Word",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint",
  "message/rfc822": "E-mail",
  "text/plain": "Text",
  "text/markdown": "Markdown",
  "text/html": "HTML",
  "text/csv": "CSV",
  "image/svg+xml": "SVG",
  "image/jpeg": "JPEG",
};

/** A short name for a column; the full type is in the details. */
export function mediaName(mediaType: string): string {
  const type = essence(mediaType);
  const known = NAMES[type];
  if (known) return known;
  const sub = type.split("/")[1] ?? type;
  const short = sub.replace(/^(x-|vnd\.)/, "").replace(/\+.*$/, "");
  return short.length <= 6 ? short.toUpperCase() : short;
}
