import { Link } from "@tanstack/react-router";
import { documentKeys, listVersions } from "@/api/documents";
import { Button } from "@/components/button";
import { CloseIcon } from "@/components/icons";
import { ErrorNote, More, Skeleton } from "@/components/states";
import { Time } from "@/components/time";
import { useDesk } from "@/features/documents/desk";
import type { DocumentSearch } from "@/features/documents/documents-search";
import { formatCount } from "@/lib/format";
import { usePages } from "@/lib/use-pages";
import styles from "@/features/documents/side.module.css";

/** The versions of a document, the newest first; each opens what changed with it. */
export function History({
  search,
  show,
}: {
  search: DocumentSearch;
  show: (changed: Partial<DocumentSearch>) => void;
}) {
  const { id } = useDesk();
  const versions = usePages(documentKeys.history(id), (cursor, signal) => listVersions(id, cursor, signal), {
    keepPrevious: true,
  });
  return (
    <>
      <div className={styles.head}>
        <h2>History</h2>
        <Button
          look="icon"
          aria-label="Close history"
          data-panel="hide"
          onPress={() => show({ panel: undefined, version: undefined, against: undefined })}
        >
          <CloseIcon />
        </Button>
      </div>
      {versions.items === undefined && !versions.error && <Skeleton label="Loading versions" />}
      {versions.error && (
        <ErrorNote error={versions.error} what="The versions could not be listed." onRetry={versions.retry} />
      )}
      <ol className={styles.list} aria-label="Versions">
        {versions.items?.map(({ version, created_at, message, added, removed }) => (
          <li key={version} className={styles.version} data-open={search.version === version || undefined}>
            <Link
              to="/documents/$documentId"
              params={{ documentId: id }}
              search={{ ...search, version, against: undefined, view: undefined }}
              resetScroll={false}
              activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
              aria-current={search.version === version ? "true" : undefined}
              data-row=""
            >
              Version {version}
            </Link>
            <span className={styles.dim}>
              <Time iso={created_at} />
            </span>
            {message && <p className={styles.message}>{message}</p>}
            <p className={styles.dim} aria-label={`${added} characters added, ${removed} removed`}>
              +{formatCount(added)} −{formatCount(removed)}
            </p>
          </li>
        ))}
      </ol>
      {versions.hasMore && <More onPress={versions.more} loading={versions.loadingMore} label="Older versions" />}
    </>
  );
}
