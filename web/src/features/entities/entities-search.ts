import { ENTITY_TYPES, type EntityFilter } from "@/api/entities";

/** What of the list is shown; all of it is in the address. What is not meant drops out. */
export function parseEntitiesSearch(search: Record<string, unknown>): EntityFilter {
  const type = ENTITY_TYPES.find((known) => known === search.type);
  // A search for a number comes parsed out of the address.
  const words = typeof search.q === "number" ? String(search.q) : search.q;
  const q = typeof words === "string" ? words.trim() : "";
  return { ...(q && { q }), ...(type && { type }) };
}

export type EntityView = "timeline" | "mentions" | "picture" | "same";
const VIEWS: readonly EntityView[] = ["timeline", "mentions", "picture", "same"];

export interface EntitySearch {
  /** The timeline, if it is not said. */
  view?: EntityView;
}

export function parseEntitySearch(search: Record<string, unknown>): EntitySearch {
  const view = VIEWS.find((known) => known === search.view);
  return view && view !== "timeline" ? { view } : {};
}
