import type { SourceText } from "@/api/types";
import { spanStretch } from "@/features/sources/text-span";
import type { Quote } from "@/lib/find-quote";
import { spanHash, type Span } from "@/lib/span";

/** Quoted words with what is known of their place. */
export interface PlacedQuote extends Quote {
  /** The pages they stand on, counted from 1; null where the text has no pages. */
  pages: { first: number; last: number } | null;
  /** The id that their first mark gets. */
  anchor: string;
}

const AROUND = 200;

/** The words of a span; null where the text ends before it. */
export function quoteAt({ text, marks }: Pick<SourceText, "text" | "marks">, span: Span | null): PlacedQuote | null {
  const stretch = spanStretch(text, span);
  if (!span || !stretch) return null;
  const pages = marks
    .filter(({ kind, start_char, end_char }) => kind === "page" && start_char < span.end && end_char > span.start)
    .flatMap(({ number }) => number ?? []);
  return {
    words: text.slice(stretch.start, stretch.end),
    before: text.slice(Math.max(0, stretch.start - AROUND), stretch.start),
    after: text.slice(stretch.end, stretch.end + AROUND),
    pages: pages.length > 0 ? { first: Math.min(...pages), last: Math.max(...pages) } : null,
    anchor: spanHash(span),
  };
}
