import { call, client } from "@/api/client";
import type { SearchAnswer, SearchBody } from "@/api/types";

export const searchKeys = { answer: (body: SearchBody) => ["search", body] as const };

export function search(body: SearchBody, signal?: AbortSignal): Promise<SearchAnswer> {
  return call(client.POST("/api/v1/search", { body, signal }));
}
