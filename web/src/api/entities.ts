import { call, client } from "@/api/client";
import type { Entity, EntityAnswer, EntityType, Mention, Neighborhood, Page, Pair, ReviewDecision } from "@/api/types";

/** In the order of the menu. */
export const ENTITY_TYPES = [
  "person",
  "org",
  "project",
  "place",
  "object",
  "other",
] as const satisfies readonly EntityType[];

export interface EntityFilter {
  q?: string;
  type?: EntityType;
}

export const entityKeys = {
  all: ["entities"] as const,
  list: (filter: EntityFilter) => ["entities", "list", filter] as const,
  one: (id: string) => ["entities", "one", id] as const,
  /** Of one state of the entity: `at` is when that was fetched. */
  events: (id: string, at: number) => ["entities", "events", id, at] as const,
  mentions: (id: string, at: number) => ["entities", "mentions", id, at] as const,
  neighborhood: (id: string) => ["entities", "neighborhood", id] as const,
  review: ["entities", "review"] as const,
};

const PAGE = 50;
/** As many as the server gives at once. */
const EVENTS_IN_PICTURE = 200;

export function listEntities(filter: EntityFilter, cursor: string | null, signal?: AbortSignal): Promise<Page<Entity>> {
  const query = { limit: PAGE, ...filter, ...(cursor && { cursor }) };
  return call(client.GET("/api/v1/entities", { params: { query }, signal }));
}

export function getEntity(id: string, signal?: AbortSignal): Promise<EntityAnswer> {
  return call(client.GET("/api/v1/entities/{id}", { params: { path: { id } }, signal }));
}

export function listMentions(id: string, cursor: string | null, signal?: AbortSignal): Promise<Page<Mention>> {
  const query = { limit: 200, ...(cursor && { cursor }) };
  return call(client.GET("/api/v1/entities/{id}/mentions", { params: { path: { id }, query }, signal }));
}

export function getNeighborhood(id: string, signal?: AbortSignal): Promise<Neighborhood> {
  return call(
    client.GET("/api/v1/graph/neighborhood", {
      params: { query: { entity_id: id, limit: EVENTS_IN_PICTURE } },
      signal,
    }),
  );
}

/** Says that one is another: what is known of it counts as the other's from then on. */
export function mergeEntity(id: string, into: string): Promise<EntityAnswer> {
  return call(client.POST("/api/v1/entities/{id}/merge", { params: { path: { id } }, body: { into } }));
}

/** Undoes that for one of those who were merged into it. */
export async function splitEntity(id: string, merged: string): Promise<void> {
  await call(client.POST("/api/v1/entities/{id}/split", { params: { path: { id } }, body: { entity_id: merged } }));
}

/** Pairs that nobody has decided, the likeliest first. */
export function listReview(cursor: string | null, signal?: AbortSignal): Promise<Page<Pair>> {
  const query = { limit: PAGE, ...(cursor && { cursor }) };
  return call(client.GET("/api/v1/entities/review", { params: { query }, signal }));
}

export function decidePair(pairId: string, decision: ReviewDecision): Promise<Pair> {
  return call(
    client.POST("/api/v1/entities/review/{pair_id}", { params: { path: { pair_id: pairId } }, body: { decision } }),
  );
}
