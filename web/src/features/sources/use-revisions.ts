import { listRevisions, sourceKeys } from "@/api/sources";
import type { Revision, Source } from "@/api/types";
import { usePages } from "@/lib/use-pages";

/** The versions of a source, newest first. */
export function useRevisions(source: Source) {
  return usePages<Revision>(sourceKeys.revisions(source.id, source.revision_id), (cursor, signal) =>
    // The one that there is needs no asking.
    source.revision !== null && source.revision > 1
      ? listRevisions(source.id, cursor, signal)
      : Promise.resolve({ items: [], next_cursor: null }),
  );
}

/** One of the versions, once it is known. */
export function useRevision(source: Source, id: string | null): Revision | undefined {
  return useRevisions(source).items?.find((revision) => revision.id === id);
}
