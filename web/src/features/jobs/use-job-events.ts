import { useIsFetching, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { JOB_EVENTS_URL, jobKeys } from "@/api/jobs";
import type { Job, JobEvent, JobState } from "@/api/types";
import { applyJob, isOlder, type JobPages } from "@/features/jobs/apply-event";

const REOPEN_MS = 3000;

/** Writes a job that changed into everything that is cached about jobs. */
export function rememberJob(queries: QueryClient, job: Job): void {
  queries.setQueryData<Job>(jobKeys.one(job.id), (cached) => (cached && isOlder(job, cached) ? cached : job));
  for (const [key, pages] of queries.getQueriesData<JobPages>({ queryKey: jobKeys.lists })) {
    if (pages) queries.setQueryData<JobPages>(key, applyJob(pages, (key[2] ?? null) as JobState | null, job));
  }
}

/** Keeps the jobs in the cache live. Tells whether the stream is open. */
export function useJobEvents(): boolean {
  const queries = useQueryClient();
  const [live, setLive] = useState(false);
  // An answer that was on its way while an event came may be older than the event: it is asked for once more.
  const overtaken = useRef(false);
  const loading = useIsFetching({ queryKey: jobKeys.all }) > 0;

  useEffect(() => {
    if (loading || !overtaken.current) return;
    overtaken.current = false;
    void queries.invalidateQueries({ queryKey: jobKeys.all });
  }, [loading, queries]);

  useEffect(() => {
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;

    function open() {
      source = new EventSource(JOB_EVENTS_URL);
      // From here on every change is told; what happened before, or while the stream was gone, is in the lists only.
      source.addEventListener("ready", () => {
        setLive(true);
        void queries.invalidateQueries({ queryKey: jobKeys.all });
      });
      source.addEventListener("job", (event: MessageEvent<string>) => {
        overtaken.current ||= queries.isFetching({ queryKey: jobKeys.all }) > 0;
        rememberJob(queries, (JSON.parse(event.data) as JobEvent).job);
      });
      source.onerror = () => {
        setLive(false);
        // The browser reconnects by itself after a lost connection, but gives up on a refusal.
        if (source?.readyState === EventSource.CLOSED) timer = setTimeout(open, REOPEN_MS);
      };
    }

    open();
    return () => {
      source?.close();
      clearTimeout(timer);
    };
  }, [queries]);

  return live;
}
