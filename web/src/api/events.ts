import { call, client } from "@/api/client";
import type { KnownEvent, Page } from "@/api/types";

export interface EventFilter {
  entity_id?: string;
  source_id?: string;
}

export const eventKeys = { list: (filter: EventFilter) => ["events", "list", filter] as const };

const PAGE = 50;

/** The newest first; those without a time come last. */
export function listEvents(
  filter: EventFilter,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<Page<KnownEvent>> {
  const query = { limit: PAGE, ...filter, ...(cursor && { cursor }) };
  return call(client.GET("/api/v1/events", { params: { query }, signal }));
}
