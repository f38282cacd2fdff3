import { call, client } from "@/api/client";
import type { components } from "@/api/schema";

export type Deliverable = components["schemas"]["Deliverable"];

/** What an answer can be made into. */
export type DeliverableKind = "report" | "website" | "presentation";

export const deliverableKeys = { ofRun: (run: string) => ["runs", "deliverables", run] as const };

export async function listDeliverables(run: string, signal?: AbortSignal): Promise<Deliverable[]> {
  const { items } = await call(client.GET("/api/v1/runs/{id}/deliverables", { params: { path: { id: run } }, signal }));
  return items;
}

export function makeDeliverable(run: string, kind: DeliverableKind): Promise<Deliverable> {
  return call(client.POST("/api/v1/runs/{id}/deliverables", { params: { path: { id: run } }, body: { kind } }));
}
