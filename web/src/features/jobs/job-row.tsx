import { Link } from "@tanstack/react-router";
import type { Job, JobState } from "@/api/types";
import { Cell, Row, rowLink } from "@/components/table";
import { Time } from "@/components/time";
import { JobActions } from "@/features/jobs/job-actions";
import { JobOutcome, JobStateWord } from "@/features/jobs/job-state";
import { jobTitle } from "@/features/jobs/job-words";
import styles from "@/features/jobs/jobs.module.css";

export function JobRow({ job, open, search }: { job: Job; open: boolean; search: { state?: JobState } }) {
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
        </Link>
      </Cell>
      <Cell>
        <JobStateWord job={job} />
      </Cell>
      <Cell className={styles.progress}>
        <div className={styles.outcome}>
          <JobOutcome job={job} />
        </div>
        <JobActions job={job} />
      </Cell>
      <Cell dim end className={styles.when}>
        <Time iso={job.finished_at ?? job.started_at ?? job.created_at} />
      </Cell>
    </Row>
  );
}
