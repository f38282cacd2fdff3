/** What the server says of documents, by names that do not clash with those of the browser. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type DocumentFormat = "markdown" | "typst";
export type DocumentTemplate = "article" | "report" | "essay" | "none";
export type CiteAs = "footnotes" | "in_text";
/** What stands for a detail of a source that is not known: a word for it, or what the style has for that. */
export type Missing = "placeholders" | "csl";

/** What the schema has as any words. */
interface Look {
  format: DocumentFormat;
  template: DocumentTemplate;
  cite_as: CiteAs;
  missing: Missing;
}

export type DocumentSummary = Omit<Schemas["DocumentSummary"], keyof Look> & Look;
/** A text that cites; the browser has a `Document` of its own. */
export type WrittenDocument = Omit<Schemas["Document"], keyof Look> & Look;

/** What of a document can be set, each part on its own. */
export type DocumentChange = Partial<
  Pick<WrittenDocument, "title" | "text" | "style" | "locale" | "template" | "cite_as" | "missing" | "authors" | "date">
>;
export type NewDocument = { title: string; format?: DocumentFormat; source_ids?: string[] } & DocumentChange;

export type DocumentCitation = Schemas["DocumentCitation"];
export type DocumentCitations = Schemas["CitationsAnswer"];
export type NewDocumentCitation = Partial<Schemas["NewCitation"]> & { source_id: string };
export type CitationChange = Partial<Omit<Schemas["CitationPatch"], "source_id">> & { source_id?: string };
export type DocumentSource = Schemas["DocumentSource"];
export type DocumentPassage = Schemas["DocumentPassage"];
export type BibliographyEntry = Schemas["BibliographyLine"];
export type Bibliography = Schemas["BibliographyAnswer"];
export type Fault = Omit<Schemas["TextDiagnostic"], "severity"> & { severity: "error" | "warning" };
export type PreviewPage = Schemas["PreviewPage"];
export type PreviewAnswer = Omit<Schemas["PreviewAnswer"], "faults"> & { faults: Fault[] };
export type PreviewBody = DocumentChange & { known?: string[]; from?: number; to?: number };
export type DocumentClaim = Schemas["ClaimSupport"];
export type DocumentSupport = Schemas["SupportAnswer"];
export type DocumentVersion = Schemas["DocumentVersionSummary"];
export type DocumentDiff = Omit<Schemas["DiffAnswer"], "parts"> & {
  parts: { kind: "same" | "added" | "removed"; text: string }[];
};
export type CitationStyle = Schemas["StyleView"];
export type Styles = Schemas["StylesAnswer"];
export type FormattedReference = Schemas["FormattedSource"];

export type RenderFormat = "pdf" | "typ" | "md" | "html";
export type ReferenceFormat = "bibtex" | "ris" | "csl_json";
