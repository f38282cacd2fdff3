import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type Artifact = Schemas["Artifact"];
export type Manifest = Schemas["Manifest"];
export type ManifestDiff = Schemas["ManifestDiff"];
export type NewManifest = Schemas["NewManifest"];
export type TreeEntry = Schemas["TreeEntry"];
export type NewTreeEntry = Schemas["NewTreeEntry"];
export type Pointer = Schemas["Pointer"];
export type PointerMove = Schemas["PointerMove"];
export type Job = Schemas["Job"];
export type JobState = Schemas["JobState"];
export type JobEvent = Schemas["JobEvent"];
export type Ready = Schemas["Readiness"];
export type Check = Schemas["ReadinessCheck"];
export type Health = Schemas["HealthStatus"];

export type Source = Schemas["Source"];
export type NewSource = Schemas["NewSource"];
export type SourcePatch = Schemas["SourcePatch"];
export type SourceCounts = Schemas["SourceCounts"];
export type SourceImpact = Schemas["SourceImpact"];
export type LostSupport = Schemas["AffectedClaimView"];
export type SourceText = Schemas["SourceText"];
export type Brought = Schemas["ImportResult"];
export type Revision = Schemas["Revision"];
export type Chunk = Schemas["Chunk"];
export type Mark = Schemas["Mark"];

export type Conversation = Schemas["Conversation"];
export type Message = Schemas["Message"];
export type NewMessage = Schemas["NewMessage"];
export type Citation = Schemas["Citation"];
export type CitedFile = Schemas["CitedFile"];
export type Run = Schemas["Run"];
export type SearchBody = Schemas["SearchBody"];
export type SearchAnswer = Schemas["SearchAnswer"];
export type SearchResult = Schemas["SearchResult"];
export type ExpandOption = Schemas["ExpandOption"];
export type Evidence = Schemas["ResultEvidence"];
export type GroundAnswer = Schemas["GroundAnswer"];
export type UncitedClaim = Schemas["UncitedClaim"];
export type BoundClaim = Schemas["BoundClaim"];

export type Entity = Schemas["Entity"];
export type EntityAnswer = Schemas["EntityAnswer"];
export type Mention = Schemas["Mention"];
/** Something that happened; the browser has an `Event` of its own. */
export type KnownEvent = Schemas["Event"];
export type Participant = Schemas["Participant"];
export type EventEvidence = Schemas["EventEvidence"];
export type RelatedItem = Schemas["RelatedItem"];
export type Pair = Schemas["EntityPair"];
export type PossiblySame = Schemas["PossibleDuplicate"];
export type Neighborhood = Schemas["NeighborhoodAnswer"];

/** One page of a list, as each `Page_*` of the schema; `next_cursor` is null on the last one. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}
