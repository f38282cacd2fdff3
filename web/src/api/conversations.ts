import { call, client } from "@/api/client";
import type { Conversation, Message, Page } from "@/api/types";

export const conversationKeys = {
  all: ["conversations"] as const,
  list: ["conversations", "list"] as const,
  one: (id: string) => ["conversations", "one", id] as const,
  messages: (id: string) => ["conversations", "messages", id] as const,
};

const PAGE = 30;
const MESSAGES = 500;

export function listConversations(cursor: string | null, signal?: AbortSignal): Promise<Page<Conversation>> {
  return call(
    client.GET("/api/v1/conversations", { params: { query: { limit: PAGE, ...(cursor && { cursor }) } }, signal }),
  );
}

export function getConversation(id: string, signal?: AbortSignal): Promise<Conversation> {
  return call(client.GET("/api/v1/conversations/{id}", { params: { path: { id } }, signal }));
}

/** It is called by its first question. */
export function beginConversation(): Promise<Conversation> {
  return call(client.POST("/api/v1/conversations", { body: { title: null } }));
}

export function renameConversation(id: string, title: string): Promise<Conversation> {
  return call(client.PATCH("/api/v1/conversations/{id}", { params: { path: { id } }, body: { title } }));
}

export async function deleteConversation(id: string): Promise<void> {
  await call(client.DELETE("/api/v1/conversations/{id}", { params: { path: { id } } }));
}

/** All that was said, in the order in which it was said: the branches are known only when all of it is. */
export async function listMessages(id: string, signal?: AbortSignal): Promise<Message[]> {
  const messages: Message[] = [];
  let cursor: string | null = null;
  do {
    const query: { limit: number; cursor?: string } = { limit: MESSAGES, ...(cursor && { cursor }) };
    const page: Page<Message> = await call(
      client.GET("/api/v1/conversations/{id}/messages", { params: { path: { id }, query }, signal }),
    );
    messages.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor);
  return messages;
}

/** A zip of an answer, its citations, and every byte that it cites. */
export function evidenceUrl(messageId: string): string {
  return `/api/v1/evidence/message/${encodeURIComponent(messageId)}`;
}
