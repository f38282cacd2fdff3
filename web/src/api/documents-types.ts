/** What the server says of documents. These stand in for types of the schema of the API, by whose names they are called. */

export type DocumentFormat = "markdown" | "typst";
export type DocumentTemplate = "article" | "report" | "essay" | "none";
export type CiteAs = "footnotes" | "in_text";
/** What stands for a detail of a source that is not known: a word for it, or what the style has for that. */
export type Missing = "placeholders" | "csl";

export interface DocumentSummary {
  document_id: string;
  title: string;
  format: DocumentFormat;
  style: string;
  locale: string;
  template: DocumentTemplate;
  cite_as: CiteAs;
  missing: Missing;
  authors: string[];
  date: string | null;
  version: number;
  citation_count: number;
  source_count: number;
  created_at: string;
  updated_at: string;
}

export interface DocumentAsset {
  name: string;
  media_type: string;
  size_bytes: number;
  sha256: string;
}

/** A text that cites; the browser has a `Document` of its own. */
export interface WrittenDocument extends DocumentSummary {
  text: string;
  manifest_sha256: string;
  assets: DocumentAsset[];
}

/** What of a document can be set, each part on its own. */
export type DocumentChange = Partial<Pick<WrittenDocument, "title" | "text" | "style" | "locale" | "template" | "cite_as" | "missing" | "authors" | "date">>;

export type NewDocument = { title: string; format?: DocumentFormat; source_ids?: string[] } & DocumentChange;

export interface DocumentCitation {
  citation_id: string;
  citation_number: number;
  source_id: string | null;
  title: string;
  source_type: string;
  url: string | null;
  is_deleted: boolean;
  position: number;
  /** Its marker stands in the text. */
  is_marked: boolean;
  /** It is set: marked, or never marked and set at its position. */
  is_attached: boolean;
  locator: string | null;
  prefix: string | null;
  suffix: string | null;
  quote: string | null;
  /** Its footnote in the style of the document. */
  formatted: string;
  created_at: string;
}

export interface DocumentCitations {
  items: DocumentCitation[];
  /** The numbers of markers that stand for nothing. */
  dangling: number[];
}

export interface NewDocumentCitation {
  source_id: string;
  citation_number?: number;
  position?: number;
  locator?: string;
  prefix?: string;
  suffix?: string;
  quote?: string;
  insert?: boolean;
}

export interface CitationChange {
  source_id?: string;
  locator?: string | null;
  prefix?: string | null;
  suffix?: string | null;
}

export interface DocumentSource {
  source_id: string;
  title: string;
  source_type: string;
  origin: string;
  url: string | null;
  authors: string[];
  date: string | null;
  is_available: boolean;
  citation_count: number;
  added_at: string;
}

export interface DocumentPassage {
  source_id: string;
  title: string;
  text: string;
  similarity_score: number;
  start_char: number;
  end_char: number;
  page?: number | null;
}

export interface BibliographyEntry {
  source_id: string | null;
  citation_numbers: number[];
  text: string;
  html: string;
}

export interface Bibliography {
  bibliography: string;
  entries: BibliographyEntry[];
  citation_count: number;
  style: string;
}

export interface Fault {
  message: string;
  hints: string[];
  line: number | null;
  column: number | null;
  severity: "error" | "warning";
}

export interface PreviewPage {
  number: number;
  width: number;
  height: number;
  hash: string;
  /** Null where the asker has it already. */
  svg: string | null;
}

export interface PreviewAnswer {
  page_count: number;
  pages: PreviewPage[];
  faults: Fault[];
  elapsed_ms: number;
}

export interface PreviewBody {
  text?: string;
  style?: string;
  template?: DocumentTemplate;
  cite_as?: CiteAs;
  known?: string[];
  from?: number;
  to?: number;
}

export interface DocumentClaim {
  text: string;
  start_index: number;
  end_index: number;
  verdict: string;
  score: number | null;
  citation_numbers: number[];
}

export interface DocumentSupport {
  claims: DocumentClaim[];
  uncited: { text: string; start_index: number; end_index: number }[];
}

export interface DocumentVersion {
  version: number;
  manifest_sha256: string;
  created_at: string;
  message: string | null;
  title: string;
  char_count: number;
  added: number;
  removed: number;
}

export interface DocumentDiff {
  from: number;
  to: number;
  parts: { kind: "same" | "added" | "removed"; text: string }[];
}

export interface CitationStyle {
  style_id: string;
  title: string;
  kind: string;
  aliases: string[];
  is_own: boolean;
}

export interface Styles {
  items: CitationStyle[];
  locales: { tag: string }[];
}

export interface FormattedReference {
  text: string;
  html: string;
  markdown: string;
  style: string;
  kind: string;
}

export type RenderFormat = "pdf" | "typ" | "md" | "html";
export type ReferenceFormat = "bibtex" | "ris" | "csl_json";
