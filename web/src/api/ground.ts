import { call, client } from "@/api/client";
import type { GroundAnswer } from "@/api/types";

/** Binds each statement of a draft to the passage of the library that says it best. */
export function groundDraft(text: string): Promise<GroundAnswer> {
  return call(client.POST("/api/v1/citations/ground", { body: { text, style: "markdown" } }));
}
