import { unitPlaces } from "@/lib/scalars";
import type { Span } from "@/lib/span";
import type { Stretch } from "@/features/sources/text-layout";

/** Where the span is in the string; null where the text ends before it. */
export function spanStretch(text: string, span: Span | null): Stretch | null {
  if (!span) return null;
  const [start, end] = unitPlaces(text, [span.start, span.end]);
  return start! < end! ? { start: start!, end: end! } : null;
}
