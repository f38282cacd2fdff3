import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate, useParams } from "@tanstack/react-router";
import { jobKeys, listJobs, startFsck, startGcDryRun } from "@/api/jobs";
import type { JobState } from "@/api/types";
import { Button } from "@/components/button";
import { Page, PageHead } from "@/components/page";
import { Empty, ErrorNote, More, Skeleton } from "@/components/states";
import { Table } from "@/components/table";
import { Tabs, tabClass } from "@/components/tabs";
import { JobPanel } from "@/features/jobs/job-panel";
import { JobRow } from "@/features/jobs/job-row";
import { sourceOf, STATE_WORDS } from "@/features/jobs/job-words";
import { rememberJob, useJobEvents } from "@/features/jobs/use-job-events";
import { useSourceTitles } from "@/features/jobs/use-source-titles";
import { usePageTitle } from "@/lib/page-title";
import { usePages } from "@/lib/use-pages";
import styles from "@/features/jobs/jobs.module.css";

const route = getRouteApi("/jobs");
const STATES: (JobState | null)[] = [null, "queued", "running", "succeeded", "dead", "cancelled"];
const COLUMNS = [
  { label: "Job" },
  { label: "State" },
  { label: "Progress and result" },
  { label: "Changed", end: true },
];

export function JobsPage() {
  usePageTitle("Jobs");
  const { state = null } = route.useSearch();
  const { jobId: open } = useParams({ strict: false });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const live = useJobEvents();
  const jobs = usePages(jobKeys.list(state), (cursor, signal) => listJobs(state, cursor, signal));

  const start = useMutation({
    mutationFn: (run: typeof startFsck) => run(),
    onSuccess: (job) => rememberJob(queries, job),
  });

  const titles = useSourceTitles(jobs.items ?? []);
  const search = state ? { state } : {};
  const panel = open && (
    <JobPanel id={open} onClose={() => void navigate({ to: "/jobs", search, resetScroll: false })} />
  );

  return (
    <Page panel={panel}>
      <PageHead
        title="Jobs"
        actions={
          <>
            <Button isDisabled={start.isPending} onPress={() => start.mutate(startFsck)}>
              Check everything
            </Button>
            <Button isDisabled={start.isPending} onPress={() => start.mutate(startGcDryRun)}>
              Clean up (dry run)
            </Button>
          </>
        }
      />
      <Tabs label="Jobs by state">
        {STATES.map((key) => (
          <Link
            key={key ?? "all"}
            to="/jobs"
            search={key ? { state: key } : {}}
            className={tabClass}
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={state === key ? "page" : undefined}
          >
            {key ? STATE_WORDS[key].word : "All"}
          </Link>
        ))}
      </Tabs>
      <p className={styles.toolbar} aria-live="polite">
        {live ? "Live: this list changes as the work goes on." : "Connecting for live changes…"}
      </p>
      {start.isError && <ErrorNote error={start.error} what="The job was not started." />}
      {jobs.items === undefined && jobs.error && (
        <ErrorNote error={jobs.error} what="The jobs could not be listed." onRetry={jobs.retry} />
      )}
      {jobs.items === undefined && !jobs.error && <Skeleton label="Loading jobs" rows={4} />}
      {jobs.items?.length === 0 && (
        <Empty title={state ? "No job is in this state" : "No jobs yet"}>
          <p>
            {state
              ? "Choose another state, or All."
              : "Long work runs here in the background. “Check everything” reads every kept byte again and compares it with its hash; “Clean up” says what nothing refers to any more, without removing it."}
          </p>
        </Empty>
      )}
      {jobs.items && jobs.items.length > 0 && (
        <Table label="Jobs" columns={COLUMNS} className={styles.jobs}>
          {jobs.items.map((job) => (
            <JobRow
              key={job.id}
              job={job}
              about={titles.get(sourceOf(job) ?? "") ?? null}
              open={job.id === open}
              search={search}
            />
          ))}
        </Table>
      )}
      {jobs.items !== undefined && jobs.error && (
        <ErrorNote error={jobs.error} what="More jobs could not be listed." onRetry={jobs.retry} />
      )}
      {jobs.hasMore && <More onPress={jobs.more} loading={jobs.loadingMore} label="Older jobs" />}
    </Page>
  );
}
