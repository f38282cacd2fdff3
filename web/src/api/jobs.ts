import { call, client } from "@/api/client";
import type { Job, JobState, Page } from "@/api/types";

export const jobKeys = {
  all: ["jobs"] as const,
  lists: ["jobs", "list"] as const,
  list: (state: JobState | null) => ["jobs", "list", state] as const,
  one: (id: string) => ["jobs", "one", id] as const,
};

export const JOB_EVENTS_URL = "/api/v1/jobs/events";

const PAGE = 50;

export function listJobs(state: JobState | null, cursor: string | null, signal?: AbortSignal): Promise<Page<Job>> {
  const query = { limit: PAGE, ...(state && { state }), ...(cursor && { cursor }) };
  return call(client.GET("/api/v1/jobs", { params: { query }, signal }));
}

export function getJob(id: string, signal?: AbortSignal): Promise<Job> {
  return call(client.GET("/api/v1/jobs/{id}", { params: { path: { id } }, signal }));
}

export function startFsck(): Promise<Job> {
  return call(client.POST("/api/v1/jobs", { body: { kind: "fsck", payload: {} } }));
}

/** Never removes anything: it says what `ibid gc --apply` would. */
export function startGcDryRun(): Promise<Job> {
  return call(client.POST("/api/v1/jobs", { body: { kind: "gc", payload: { apply: false } } }));
}

export function retryJob(id: string): Promise<Job> {
  return call(client.POST("/api/v1/jobs/{id}/retry", { params: { path: { id } } }));
}

export function cancelJob(id: string): Promise<Job> {
  return call(client.POST("/api/v1/jobs/{id}/cancel", { params: { path: { id } } }));
}
