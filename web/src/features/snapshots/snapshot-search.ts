export type SnapshotView = "contents" | "history" | "compare";

/** What of a snapshot is shown; all of it is in the address. */
export interface SnapshotSearch {
  view?: SnapshotView;
  /** A manifest other than the current one. */
  at?: string;
  from?: string;
  to?: string;
  /** The file in the side panel. */
  file?: string;
}

const HASH = /^[0-9a-f]{64}$/;

/** Anything that is not meant drops out, so a mistyped address still opens the snapshot. */
export function parseSnapshotSearch(search: Record<string, unknown>): SnapshotSearch {
  const hash = (value: unknown) => (typeof value === "string" && HASH.test(value) ? value : undefined);
  return {
    view: search.view === "history" || search.view === "compare" ? search.view : undefined,
    at: hash(search.at),
    from: hash(search.from),
    to: hash(search.to),
    file: hash(search.file),
  };
}
