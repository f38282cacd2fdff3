import type { Job, JobKind } from "@/api/types";
import { Progress } from "@/components/progress";
import { Time } from "@/components/time";
import { formatCount, formatPlural, humanise } from "@/lib/format";
import { isInVain, jobSummary, jobTitle, STATE_WORDS } from "@/features/jobs/job-words";
import styles from "@/features/jobs/jobs.module.css";

export function JobStateWord({ job }: { job: Job }) {
  const { word, sign } = STATE_WORDS[job.state];
  return (
    <span className={`${styles.state} ${styles[job.state] ?? ""}`}>
      <span className={styles.sign} aria-hidden="true">
        {sign}
      </span>
      {word}
    </span>
  );
}

/** How far a job is, what came of it, or what went wrong. */
export function JobOutcome({ job }: { job: Job }) {
  return (
    <>
      {job.state === "running" && <JobProgressLine job={job} />}
      {job.state === "queued" && new Date(job.run_at) > new Date() && (
        <div className={styles.attempt}>
          {isSoon(job.run_at) ? (
            "Runs within a minute"
          ) : (
            <>
              Runs <Time iso={job.run_at} />
            </>
          )}
        </div>
      )}
      {job.state === "succeeded" && (
        <div className={isInVain(job) ? styles.error : styles.result}>{jobSummary(job)}</div>
      )}
      {job.last_error && job.state !== "succeeded" && <div className={styles.error}>{job.last_error}</div>}
      {job.attempt > 1 && (
        <div className={styles.attempt}>
          Attempt {formatCount(job.attempt)} of {formatCount(job.max_attempts)}
        </div>
      )}
    </>
  );
}

/** What is nearer than a minute is "just now" in all other words for times. */
function isSoon(iso: string): boolean {
  return new Date(iso).getTime() - Date.now() < 60_000;
}

/** What is counted. */
const UNITS: Partial<Record<JobKind, string>> = { embed: "passage", fsck: "file", import: "file" };

function JobProgressLine({ job }: { job: Job }) {
  if (!job.progress) return <div className={styles.attempt}>Started</div>;
  const { done, total, message } = job.progress;
  const unit = UNITS[job.kind];
  return (
    <Progress
      label={`Progress of ${jobTitle(job)}`}
      words={message ? humanise(message) : ""}
      count={
        total == null
          ? formatPlural(done, "done", "done")
          : `${formatCount(done)} of ${unit ? formatPlural(total, unit) : formatCount(total)}`
      }
      done={done}
      total={total ?? null}
    />
  );
}
