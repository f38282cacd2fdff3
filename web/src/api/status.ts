import { call, client } from "@/api/client";
import type { Health, Ready } from "@/api/types";
import { Problem } from "@/lib/problem";

export const statusKeys = { ready: ["status", "ready"] as const, health: ["status", "health"] as const };

/** A server that is up but not ready answers 503 with the same body, which is news and not a failure. */
export async function getReady(signal?: AbortSignal): Promise<Ready> {
  try {
    return await call(client.GET("/ready", { signal }));
  } catch (thrown) {
    if (thrown instanceof Problem && thrown.status === 503 && Array.isArray(thrown.body.checks)) {
      return thrown.body as unknown as Ready;
    }
    throw thrown;
  }
}

export function getHealth(signal?: AbortSignal): Promise<Health> {
  return call(client.GET("/health", { signal }));
}
