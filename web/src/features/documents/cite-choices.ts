import type { DocumentPassage, DocumentSource } from "@/api/documents-types";
import type { SearchResult } from "@/api/types";
import type { Passage } from "@/features/documents/desk";

/** Something that can be cited, as it is offered. */
export interface Choice {
  key: string;
  passage: Passage;
  /** Who, when, where. */
  line: string;
}

export interface ChoiceGroup {
  name: string;
  choices: Choice[];
}

const MOST = 8;

/**
 * What to offer. Without words the sources of the document as they are; with them its passages first, then those of
 * the rest of the library, each place once, then its sources by their titles.
 */
export function passagesOf(
  words: string,
  sources: readonly DocumentSource[],
  own: readonly DocumentPassage[],
  library: readonly Pick<SearchResult, "source_id" | "title" | "evidence" | "source">[],
): ChoiceGroup[] {
  const named = (source: DocumentSource): Choice => ({
    key: `source-${source.source_id}`,
    passage: { source_id: source.source_id, title: source.title, quote: null, page: null },
    line: [source.authors.join("; "), source.date, "as a whole"].filter(Boolean).join(" · "),
  });
  if (!words) return filled([["Sources of this document", sources.map(named)]]);

  const here = own.map((found) => ({
    key: `own-${found.source_id}-${found.start_char}`,
    passage: { source_id: found.source_id, title: found.title, quote: found.text.trim(), page: found.page ?? null },
    line: found.page == null ? "" : `Page ${found.page}`,
  }));
  const ours = new Set(sources.map(({ source_id }) => source_id));
  const known = new Set(own.map(({ source_id }) => source_id));
  const there = library.flatMap(({ source_id, title, evidence, source }) => {
    const [best] = evidence;
    // What the document's own search has found is not said twice.
    if (!best || (ours.has(source_id) && known.has(source_id))) return [];
    const line = [source.author, source.publication_date, best.page != null && `Page ${best.page}`]
      .filter(Boolean)
      .join(" · ");
    return [
      {
        key: `library-${source_id}-${best.start_char}`,
        passage: { source_id, title, quote: best.quote.trim(), page: best.page ?? null },
        line,
      },
    ];
  });
  const all = words.toLowerCase().split(/\s+/);
  const titled = sources.filter(({ title, authors }) =>
    all.every((word) => `${title} ${authors.join(" ")}`.toLowerCase().includes(word)),
  );
  return filled([
    ["In this document’s sources", here],
    ["In the library", there],
    ["Sources of this document", titled.map(named)],
  ]);
}

function filled(groups: readonly [string, Choice[]][]): ChoiceGroup[] {
  return groups
    .filter(([, choices]) => choices.length > 0)
    .map(([name, choices]) => ({ name, choices: choices.slice(0, MOST) }));
}
