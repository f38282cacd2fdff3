import { call, client } from "@/api/client";
import type { GroundAnswer, UncitedClaim } from "@/api/types";

export const groundKeys = {
  statement: (text: string) => ["ground", "statement", text] as const,
  uncited: (message: string) => ["ground", "uncited", message] as const,
};

/** Binds each statement of a draft to the passage of the library that says it best. */
export function groundDraft(text: string, signal?: AbortSignal): Promise<GroundAnswer> {
  return call(client.POST("/api/v1/citations/ground", { body: { text, style: "markdown" }, signal }));
}

/** The statements of fact in a kept message that name no source. */
export async function listUncited(message: string, signal?: AbortSignal): Promise<UncitedClaim[]> {
  return (await call(client.POST("/api/v1/citations/verify", { body: { message_id: message }, signal }))).uncited ?? [];
}
