import { call, client } from "@/api/client";
import { listSources } from "@/api/sources";
import type { Conversation, Source } from "@/api/types";

/** What sources and conversations are called, to find them by it. */
export const titleKeys = {
  // Below the keys of the lists, so that what has those asked for again has these asked for, too.
  conversations: ["conversations", "list", "titles"] as const,
  sources: (words: string) => ["sources", "list", "titles", words] as const,
};

const CONVERSATIONS = 200;

export async function listConversationTitles(signal?: AbortSignal): Promise<Conversation[]> {
  const page = await call(client.GET("/api/v1/conversations", { params: { query: { limit: CONVERSATIONS } }, signal }));
  return page.items;
}

/** The newest ones without words. */
export async function findSources(words: string, signal?: AbortSignal): Promise<Source[]> {
  return (await listSources(words ? { q: words } : {}, null, signal)).items;
}
