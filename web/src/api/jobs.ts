import { call, client } from "@/api/client";
import type { Job, JobState, Page } from "@/api/types";
import { Problem } from "@/lib/problem";

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

const LOOK_MS = 400;

/** Waits until a job is done; one that failed or was cancelled is thrown as a `Problem`. */
export async function finished(id: string): Promise<Job> {
  for (;;) {
    const job = await getJob(id);
    if (job.state === "succeeded") return job;
    if (job.state !== "queued" && job.state !== "running") {
      throw new Problem(0, { code: "job_failed", detail: job.last_error ?? `The job was ${job.state}.` });
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
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
