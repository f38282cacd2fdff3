import { call, client } from "@/api/client";
import { send } from "@/api/send";
import type { Page, Source } from "@/api/types";

/** The few documents that come with Ibid to try it with. */
export interface Sample {
  /** How many there are, and how many of them are in the library. */
  documents: number;
  loaded: number;
  /** What can be asked of them. */
  questions: string[];
}

/** What each of its sources is filed under. */
export const SAMPLE_TAG = "sample";

export const sampleKeys = {
  about: ["sample"] as const,
  // Among the sources, so that whatever changes those has these asked for again.
  sources: ["sources", "list", "sample"] as const,
};

const PATH = "/api/v1/sample";

export function getSample(signal?: AbortSignal): Promise<Sample> {
  return send<Sample>("GET", PATH, undefined, signal);
}

/** Brings them in; those that are there already stay. */
export async function loadSample(): Promise<Source[]> {
  return (await send<{ items: Source[] }>("POST", PATH)).items;
}

export async function removeSample(): Promise<void> {
  await send<unknown>("DELETE", PATH);
}

export async function listSampleSources(signal?: AbortSignal): Promise<Source[]> {
  const page = await call(client.GET("/api/v1/sources", { params: { query: { tag: SAMPLE_TAG, limit: 100 } }, signal }));
  return (page as Page<Source>).items;
}
