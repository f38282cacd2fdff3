import { Link } from "@tanstack/react-router";
import type { Job, JobState } from "@/api/types";
import { Cell, Row, rowLink } from "@/components/table";
import { Time } from "@/components/time";
import { JobActions } from "@/features/jobs/job-actions";
import { JobOutcome, JobStateWord } from "@/features/jobs/job-state";
import { jobTitle } from "@/features/jobs/job-words";
import styles from "@/features/jobs/jobs.module.css";

interface Props {
  job: Job;
  /** What the source is called that it is about. */
  about: string | null;
  open: boolean;
  search: { state?: JobState };
}

export function JobRow({ job, about, open, search }: Props) {
  return (
    <Row>
      <Cell>
        <Link
          {...rowLink}
          to="/jobs/$jobId"
          params={{ jobId: job.id }}
          search={search}
          resetScroll={false}
          aria-current={open ? "true" : undefined}
        >
          {jobTitle(job)}
          {about && <span className={styles.about}> {about}</span>}
        </Link>
      </Cell>
      <Cell>
        <JobStateWord job={job} />
      </Cell>
      <Cell className={styles.progress}>
        <div className={styles.outcome}>
          <JobOutcome job={job} />
        </div>
        <JobActions job={job} about={about} />
      </Cell>
      <Cell dim end className={styles.when}>
        <Time iso={job.finished_at ?? job.started_at ?? job.created_at} />
      </Cell>
    </Row>
  );
}
