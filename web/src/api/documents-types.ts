/** What the server says of documents, by names that do not clash with those of the browser. */
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type DocumentSummary = Schemas["DocumentSummary"];
/** A text that cites; the browser has a `Document` of its own. */
export type WrittenDocument = Schemas["Document"];
export type DocumentCitation = Schemas["DocumentCitation"];
export type DocumentCitations = Schemas["CitationsAnswer"];
export type DocumentSource = Schemas["DocumentSource"];
export type DocumentPassage = Schemas["DocumentPassage"];
export type BibliographyEntry = Schemas["BibliographyLine"];
export type Bibliography = Schemas["BibliographyAnswer"];
/** An error or a warning of the typesetter about the text. */
export type TextDiagnostic = Schemas["TextDiagnostic"];
export type PreviewPage = Schemas["PreviewPage"];
export type PreviewAnswer = Schemas["PreviewAnswer"];
export type DocumentClaim = Schemas["ClaimSupport"];
export type DocumentSupport = Schemas["SupportAnswer"];
export type DocumentVersion = Schemas["DocumentVersionSummary"];
export type DocumentDiff = Schemas["DiffAnswer"];
export type DiffPart = Schemas["DiffPart"];
export type CitationStyle = Schemas["StyleView"];
export type Styles = Schemas["StylesAnswer"];
export type FormattedReference = Schemas["FormattedSource"];

/** The parts of a document that can be set. One that is left out stays as it is; a `date` of null removes the date. */
export type DocumentPatch = Schemas["DocumentPatch"];
export type NewDocument = Schemas["NewDocument"];
/** Settings to render instead of the saved ones; `known` are hashes of pages that need not be sent again. */
export type PreviewBody = Schemas["PreviewBody"];
export type NewCitation = Schemas["NewCitation"];
export type CitationPatch = Schemas["CitationPatch"];
export type BibliographyBody = Schemas["BibliographyBody"];
export type DraftBody = Schemas["DraftBody"];
