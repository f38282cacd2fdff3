import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { getJob, jobKeys } from "@/api/jobs";
import { getSource, sourceKeys } from "@/api/sources";
import type { Job } from "@/api/types";
import { Fact, Facts, SidePanel } from "@/components/side-panel";
import { ErrorNote, Skeleton } from "@/components/states";
import { Time } from "@/components/time";
import { JobActions } from "@/features/jobs/job-actions";
import { JobOutcome, JobStateWord } from "@/features/jobs/job-state";
import { facts, hasMore, jobTitle, sourceOf } from "@/features/jobs/job-words";
import { formatCount, formatTook } from "@/lib/format";
import { Problem } from "@/lib/problem";
import styles from "@/features/jobs/jobs.module.css";

/** Everything about one job. */
export function JobPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const job = useQuery({ queryKey: jobKeys.one(id), queryFn: ({ signal }) => getJob(id, signal) });
  return (
    <SidePanel kind="Job" onClose={onClose}>
      {job.isPending && <Skeleton label="Loading the job" />}
      {job.isError && (
        <ErrorNote error={job.error} what="The job could not be opened." onRetry={() => void job.refetch()} />
      )}
      {job.data && <JobDetails job={job.data} />}
    </SidePanel>
  );
}

function JobDetails({ job }: { job: Job }) {
  const sourceId = sourceOf(job);
  // Its source has a line of its own.
  const rest = Object.fromEntries(Object.entries(job.payload).filter(([key]) => key !== "source_id"));
  return (
    <>
      <h2>{jobTitle(job)}</h2>
      <div className={styles.section}>
        <JobStateWord job={job} />
        <JobOutcome job={job} />
        <div className={styles.actions}>
          <JobActions job={job} />
        </div>
      </div>
      {job.result != null && (
        <section className={styles.section}>
          <h3>Result</h3>
          <Facts>
            <JsonFacts value={job.result} />
          </Facts>
          {hasMore(job.result) && <Raw label="Result as JSON" value={job.result} />}
        </section>
      )}
      <section className={styles.section}>
        <h3>About</h3>
        <Facts>
          <Fact name="Kind">{job.kind}</Fact>
          {sourceId && (
            <Fact name="Source">
              <JobSource id={sourceId} />
            </Fact>
          )}
          <JsonFacts value={rest} />
          <Fact name="Attempts">
            {formatCount(job.attempt)} of {formatCount(job.max_attempts)}
          </Fact>
          <Fact name="Queued">
            <Time iso={job.created_at} />
          </Fact>
          {job.started_at && (
            <Fact name="Started">
              <Time iso={job.started_at} />
            </Fact>
          )}
          {job.finished_at && (
            <Fact name="Finished">
              <Time iso={job.finished_at} />
            </Fact>
          )}
          {job.started_at && job.finished_at && (
            <Fact name="Took">
              {formatTook(new Date(job.finished_at).getTime() - new Date(job.started_at).getTime())}
            </Fact>
          )}
          <Fact name="Id">{job.id}</Fact>
        </Facts>
        {hasMore(job.payload) && <Raw label="Payload as JSON" value={job.payload} />}
      </section>
    </>
  );
}

/** The source that a job is about, as long as it is there. */
function JobSource({ id }: { id: string }) {
  const source = useQuery({ queryKey: sourceKeys.one(id), queryFn: ({ signal }) => getSource(id, signal) });
  if (source.isError) return Problem.from(source.error).status === 404 ? "No longer in the library" : id;
  return (
    <Link to="/sources/$sourceId" params={{ sourceId: id }}>
      {source.data?.title ?? id}
    </Link>
  );
}

function JsonFacts({ value }: { value: unknown }) {
  return facts(value).map(([name, words]) => (
    <Fact key={name} name={name}>
      {words}
    </Fact>
  ));
}

function Raw({ label, value }: { label: string; value: unknown }) {
  return (
    // A region that scrolls has to be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className={styles.raw} tabIndex={0} aria-label={label}>
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}
