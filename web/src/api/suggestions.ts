import { call, client } from "@/api/client";

export const suggestionKeys = {
  // Among the sources, so that whatever changes those has these asked for again.
  list: (total: number, pending: number) => ["sources", "list", "suggestions", total, pending] as const,
};

/** Questions about one's own sources, each of which the library can answer. */
export async function listSuggestions(signal?: AbortSignal): Promise<string[]> {
  return (await call(client.GET("/api/v1/suggestions", { signal }))).questions;
}
