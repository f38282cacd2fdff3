import type { components, operations } from "@/api/schema";

type Schemas = components["schemas"];
/** The parameters behind the `?` of an operation. */
type Query<Operation extends keyof operations> = NonNullable<operations[Operation]["parameters"]["query"]>;

export type Artifact = Schemas["Artifact"];
export type Manifest = Schemas["Manifest"];
export type ManifestDiff = Schemas["ManifestDiff"];
export type NewManifest = Schemas["NewManifest"];
export type TreeEntry = Schemas["TreeEntry"];
export type NewTreeEntry = Schemas["NewTreeEntry"];
export type Pointer = Schemas["Pointer"];
export type PointerMove = Schemas["PointerMove"];
export type Job = Schemas["Job"];
export type JobKind = Schemas["JobKind"];
export type JobState = Schemas["JobState"];
export type JobEvent = Schemas["JobEvent"];
export type Ready = Schemas["Readiness"];
export type Check = Schemas["ReadinessCheck"];
export type Health = Schemas["HealthStatus"];
export type LibraryEngine = Schemas["LibraryEngine"];
export type BlobStorageKind = Schemas["BlobStorageKind"];

export type Source = Schemas["Source"];
export type NewSource = Schemas["NewSource"];
export type SourcePatch = Schemas["SourcePatch"];
export type SourceType = Schemas["SourceType"];
export type SourceOrigin = Schemas["SourceOrigin"];
export type SourceStatus = Schemas["SourceStatus"];
export type SourceCounts = Schemas["SourceCounts"];
export type SourceImpact = Schemas["SourceImpact"];
export type AffectedClaim = Schemas["AffectedClaimView"];
export type SourceText = Schemas["SourceText"];
export type ImportResult = Schemas["ImportResult"];
export type Revision = Schemas["Revision"];
export type Chunk = Schemas["Chunk"];
export type Mark = Schemas["Mark"];

export type Conversation = Schemas["Conversation"];
export type Message = Schemas["Message"];
export type NewMessage = Schemas["NewMessage"];
export type Citation = Schemas["Citation"];
/** Where a citation marker stands in an answer. Its offsets count Unicode code points. */
export type MarkerPlace = Schemas["MarkerPlace"];
/** What checking a claim against its source came to. */
export type Verdict = Schemas["CheckVerdict"];
/** What checking a claim of an answer came to, told while the answer is being written. */
export type ClaimCheck = Schemas["ClaimCheckedData"];
/** A claim that was rewritten from its sources, with what stood there before. */
export type RewrittenClaim = Schemas["RewrittenClaim"];
export type CheckMethod = Schemas["CheckMethod"];
export type CitedFile = Schemas["CitedFile"];
export type Run = Schemas["Run"];
export type RunMode = Schemas["RunMode"];
export type RunPhase = Schemas["RunPhase"];
/** What happened in a run; `type` says which event it is. */
export type RunEvent = Schemas["RunEvent"];
export type Deliverable = Schemas["Deliverable"];
export type DeliverableKind = Schemas["DeliverableKind"];
export type SearchBody = Schemas["SearchBody"];
export type SearchAnswer = Schemas["SearchAnswer"];
export type SearchResult = Schemas["SearchResult"];
export type ExpandOption = Schemas["ExpandOption"];
export type Evidence = Schemas["ResultEvidence"];
export type GroundAnswer = Schemas["GroundAnswer"];
export type UncitedClaim = Schemas["UncitedClaim"];
export type BoundClaim = Schemas["BoundClaim"];
export type ClaimDifference = Schemas["ClaimDifference"];
export type ContradictedClaim = Schemas["ContradictedClaim"];

export type Entity = Schemas["Entity"];
export type EntityType = Schemas["EntityType"];
export type EntityAnswer = Schemas["EntityAnswer"];
export type Mention = Schemas["Mention"];
/** Something that happened; the browser has an `Event` of its own. */
export type KnownEvent = Schemas["Event"];
export type EventCategory = Schemas["EventCategory"];
export type Participant = Schemas["Participant"];
export type EventEvidence = Schemas["EventEvidence"];
export type RelatedItem = Schemas["RelatedItem"];
export type Pair = Schemas["EntityPair"];
/** What a person says of two that may be the same. */
export type ReviewDecision = Schemas["ReviewDecision"];
export type PossiblySame = Schemas["PossibleDuplicate"];
export type Neighborhood = Schemas["NeighborhoodAnswer"];

export type DocumentFormat = Schemas["DocumentFormat"];
export type Template = Schemas["Template"];
export type CiteAs = Schemas["CiteAs"];
/** What stands for a detail of a source that is not known. */
export type MissingDetails = Schemas["MissingDetails"];
export type RenderFormat = NonNullable<Query<"render_document">["format"]>;
export type ReferenceFormat = NonNullable<Query<"export_document_references">["format"]>;
/** What becomes of the citations of a source that is taken out of a document. */
export type CitationTreatment = NonNullable<Query<"remove_document_source">["citations"]>;

/** One page of a list, as each `Page_*` of the schema; `next_cursor` is null on the last one. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}
