import { useMutation, useQueryClient } from "@tanstack/react-query";
import { cancelJob, retryJob } from "@/api/jobs";
import type { Job } from "@/api/types";
import { Button } from "@/components/button";
import { jobTitle } from "@/features/jobs/job-words";
import { rememberJob } from "@/features/jobs/use-job-events";
import { asSentence } from "@/lib/format";
import { Problem } from "@/lib/problem";
import styles from "@/features/jobs/jobs.module.css";

/** What can be done with a job now: cancel one that has not ended, retry one that failed or was cancelled. */
export function JobActions({ job, about = null }: { job: Job; about?: string | null }) {
  const queries = useQueryClient();
  const act = useMutation({
    mutationFn: (action: typeof retryJob) => action(job.id),
    onSuccess: (changed) => rememberJob(queries, changed),
  });
  if (job.state === "succeeded") return null;
  const action = job.state === "queued" || job.state === "running" ? cancelJob : retryJob;
  const word = action === retryJob ? "Retry" : "Cancel";
  return (
    <>
      <Button
        isDisabled={act.isPending}
        aria-label={[word, jobTitle(job), about].filter(Boolean).join(" ")}
        onPress={() => act.mutate(action)}
      >
        {word}
      </Button>
      {act.isError && (
        <p className={styles.error} role="alert">
          {asSentence(Problem.from(act.error).message)}
        </p>
      )}
    </>
  );
}
