import { call, client } from "@/api/client";
import type { Deliverable, DeliverableKind } from "@/api/types";

export const deliverableKeys = { ofRun: (run: string) => ["runs", "deliverables", run] as const };

export async function listDeliverables(run: string, signal?: AbortSignal): Promise<Deliverable[]> {
  const { items } = await call(client.GET("/api/v1/runs/{id}/deliverables", { params: { path: { id: run } }, signal }));
  return items;
}

export function makeDeliverable(run: string, kind: DeliverableKind): Promise<Deliverable> {
  return call(client.POST("/api/v1/runs/{id}/deliverables", { params: { path: { id: run } }, body: { kind } }));
}
