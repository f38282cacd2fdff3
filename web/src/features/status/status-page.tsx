import { useQuery } from "@tanstack/react-query";
import { getHealth, getReady, statusKeys } from "@/api/status";
import type { BlobStorageKind, LibraryEngine, Ready } from "@/api/types";
import { Button } from "@/components/button";
import { Page, PageHead } from "@/components/page";
import { Fact, Facts } from "@/components/side-panel";
import { ErrorNote, Skeleton } from "@/components/states";
import { asSentence, formatDuration, formatLatency, humanise } from "@/lib/format";
import { usePageTitle } from "@/lib/page-title";
import styles from "@/features/status/status.module.css";

const ENGINES: Record<LibraryEngine, string> = { sqlite: "SQLite", postgres: "PostgreSQL" };
const BLOBS: Record<BlobStorageKind, string> = { folder: "A folder on the server", s3: "S3" };

export function StatusPage() {
  usePageTitle("Status");
  const ready = useQuery({
    queryKey: statusKeys.ready,
    queryFn: ({ signal }) => getReady(signal),
    refetchInterval: 15_000,
  });
  const health = useQuery({ queryKey: statusKeys.health, queryFn: ({ signal }) => getHealth(signal) });

  return (
    <Page>
      <PageHead
        title="Status"
        actions={
          <Button isDisabled={ready.isFetching} onPress={() => void ready.refetch()}>
            Check again
          </Button>
        }
      />
      {ready.isPending && <Skeleton label="Asking the server" rows={3} />}
      {ready.isError && (
        <ErrorNote error={ready.error} what="The server’s state is unknown." onRetry={() => void ready.refetch()} />
      )}
      {ready.data && <Checks ready={ready.data} />}
      {ready.data && (
        <section className={`${styles.section} ${styles.facts}`}>
          <h2>Server</h2>
          <Facts>
            <Fact name="Version">{ready.data.version}</Fact>
            <Fact name="Database">{ENGINES[ready.data.engine]}</Fact>
            <Fact name="Files">{BLOBS[ready.data.blobs]}</Fact>
            {health.data && <Fact name="Up for">{formatDuration(health.data.uptime_seconds)}</Fact>}
            <Fact name="Address">{location.origin}</Fact>
          </Facts>
        </section>
      )}
      <section className={styles.section}>
        <h2>For programs</h2>
        <div className={styles.links}>
          <a href="/docs">API reference</a>
          <a href="/openapi.json">OpenAPI description</a>
          <a href="/metrics">Metrics</a>
        </div>
      </section>
    </Page>
  );
}

function Checks({ ready }: { ready: Ready }) {
  const failed = ready.checks.filter(({ status }) => status !== "ok").length;
  return (
    <>
      <p className={styles.verdict} role="status">
        {ready.status === "ready"
          ? "Ready: everything Ibid needs answers."
          : `Not ready: ${failed} of ${ready.checks.length} checks failed.`}
      </p>
      <ul className={styles.checks} aria-label="Checks">
        {ready.checks.map((check) => (
          <li key={check.name} className={styles.check}>
            <span>{humanise(check.name)}</span>
            <span className={check.status === "ok" ? undefined : styles.failed}>
              <span className={styles.sign} aria-hidden="true">
                {check.status === "ok" ? "●" : "✕"}
              </span>
              {check.status === "ok" ? "Ok" : "Failed"}
            </span>
            <span>{check.detail && asSentence(check.detail)}</span>
            <span>{formatLatency(check.latency_ms)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
