import { call, client } from "@/api/client";
import type { components } from "@/api/schema";
import type { Page, Source } from "@/api/types";

/** The few documents that come with Ibid to try it with. */
export type Sample = components["schemas"]["SampleStatus"];

/** What each of its sources is filed under. */
export const SAMPLE_TAG = "sample";

export const sampleKeys = {
  about: ["sample"] as const,
  // Among the sources, so that whatever changes those has these asked for again.
  sources: ["sources", "list", "sample"] as const,
};

export function getSample(signal?: AbortSignal): Promise<Sample> {
  return call(client.GET("/api/v1/sample", { signal }));
}

/** Brings them in; those that are there already stay. */
export async function loadSample(): Promise<Source[]> {
  return (await call(client.POST("/api/v1/sample"))).items;
}

export async function removeSample(): Promise<void> {
  await call(client.DELETE("/api/v1/sample"));
}

export async function listSampleSources(signal?: AbortSignal): Promise<Source[]> {
  const page = await call(
    client.GET("/api/v1/sources", { params: { query: { tag: SAMPLE_TAG, limit: 100 } }, signal }),
  );
  return (page as Page<Source>).items;
}
