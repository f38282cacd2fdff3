import { useQuery } from "@tanstack/react-query";
import { findSources, titleKeys } from "@/api/titles";
import type { Job } from "@/api/types";
import { sourceOf } from "@/features/jobs/job-words";

/** What the sources are called that jobs are about. Jobs of late are about sources of late, so one list of those will do. */
export function useSourceTitles(jobs: readonly Job[]): ReadonlyMap<string, string> {
  const ids = new Set(jobs.flatMap((job) => sourceOf(job) ?? []));
  const sources = useQuery({
    queryKey: [...titleKeys.sources(""), "of jobs", ids.size],
    queryFn: ({ signal }) => findSources("", signal),
    enabled: ids.size > 0,
    placeholderData: (previous) => previous,
  });
  return new Map(sources.data?.filter(({ id }) => ids.has(id)).map(({ id, title }) => [id, title]));
}
