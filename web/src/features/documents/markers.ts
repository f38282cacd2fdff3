import type { DocumentFormat } from "@/api/types";

/** A citation in the text: its number, and which units of the string it is. */
export interface Marker {
  number: number;
  from: number;
  to: number;
}

const PATTERNS: Record<DocumentFormat, RegExp> = {
  // What is followed by a colon at the beginning of a line says what a footnote is, and sets none.
  markdown: /\[\^(\d{1,6})\](?!:)|(?<=\S[^\n]*)\[\^(\d{1,6})\](?=:)/g,
  typst: /#footnote\[\s*(\d{1,6})\s*\]/g,
};

/** The citations in a text, or in a part of it that begins at `offset`. */
export function findMarkers(text: string, format: DocumentFormat, offset = 0): Marker[] {
  return Array.from(text.matchAll(PATTERNS[format]), (found) => ({
    number: Number(found[1] ?? found[2]),
    from: offset + found.index,
    to: offset + found.index + found[0].length,
  }));
}

/** What is written to set a citation. */
export function markerOf(number: number, format: DocumentFormat): string {
  return format === "typst" ? `#footnote[${number}]` : `[^${number}]`;
}

/** How often each number is set. */
export function markerCounts(text: string, format: DocumentFormat): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { number } of findMarkers(text, format)) counts.set(number, (counts.get(number) ?? 0) + 1);
  return counts;
}
