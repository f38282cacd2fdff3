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
export type Ready = Schemas["Ready"];
export type Check = Schemas["Check"];
export type Health = Schemas["Health"];

/** One page of a list, as each `Page_*` of the schema; `next_cursor` is null on the last one. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}
