import type { APIRequestContext } from "@playwright/test";
import { expect } from "./test";

export interface NamedEntity {
  entity_id: string;
  name: string;
}

/** Loads the sample library and waits until its names and events are extracted. */
export async function bringSample(request: APIRequestContext): Promise<void> {
  await request.post("/api/v1/sample");
  await waitUntilRead(request);
}

export async function waitUntilRead(request: APIRequestContext): Promise<void> {
  const get = async <T>(path: string) => (await (await request.get(path)).json()) as T;
  const isRead = async () => {
    const { total, pending } = await get<{ total: number; pending: number }>("/api/v1/sources/counts");
    const { sources_read, sources_waiting } = await get<{ sources_read: number; sources_waiting: number }>(
      "/api/v1/graph/health",
    );
    return pending === 0 && sources_waiting === 0 && sources_read === total;
  };
  await expect.poll(isRead, { timeout: 90_000 }).toBe(true);
}

export async function entityNamed(request: APIRequestContext, name: string): Promise<NamedEntity> {
  const { items } = (await (await request.get("/api/v1/entities", { params: { q: name } })).json()) as {
    items: NamedEntity[];
  };
  const found = items.find((entity) => entity.name === name);
  expect(found, `${name} among ${items.map((entity) => entity.name).join(", ")}`).toBeDefined();
  return found!;
}
