import type { NewSource, Source, SourcePatch } from "@/api/types";

export type BibliographyField = "title" | "author" | "publication_date" | "publisher" | "container" | "doi" | "isbn";
export type Bibliography = Record<BibliographyField, string>;

export const EMPTY: Bibliography = {
  title: "",
  author: "",
  publication_date: "",
  publisher: "",
  container: "",
  doi: "",
  isbn: "",
};

export function isBibliographyField(name: string | null): name is BibliographyField {
  return name !== null && name in EMPTY;
}

export function bibliographyOf(source: Source): Bibliography {
  const { title, author, authors, publication_date, publisher, container, doi, isbn } = source;
  return {
    title,
    author: authors.length > 0 ? authors.join("; ") : (author ?? ""),
    publication_date: publication_date ?? "",
    publisher: publisher ?? "",
    container: container ?? "",
    doi: doi ?? "",
    isbn: isbn ?? "",
  };
}

/** What was filled in, for a source that is made by hand. */
export function filledIn(values: Bibliography): NewSource {
  const filled = Object.entries(values).map(([name, value]) => [name, value.trim()] as const);
  return Object.fromEntries(filled.filter(([, value]) => value !== ""));
}

/** What is different, for one that is changed: a field that was emptied is removed. */
export function changes(before: Bibliography, after: Bibliography): SourcePatch {
  const names = Object.keys(EMPTY) as BibliographyField[];
  const changed = names.filter((name) => after[name].trim() !== before[name].trim());
  return Object.fromEntries(changed.map((name) => [name, after[name].trim() || null]));
}
