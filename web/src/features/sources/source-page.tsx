import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { getSource, sourceContentUrl, sourceKeys } from "@/api/sources";
import type { Source } from "@/api/types";
import { Button, LinkButton } from "@/components/button";
import { Page, PageHead } from "@/components/page";
import { ErrorNote, Skeleton } from "@/components/states";
import { Tabs, tabClass } from "@/components/tabs";
import { DeleteDialog } from "@/features/sources/delete-dialog";
import { EditDialog } from "@/features/sources/edit-dialog";
import { SourceAbout } from "@/features/sources/source-about";
import { SourcePassages } from "@/features/sources/source-passages";
import type { SourceView } from "@/features/sources/source-search";
import { SourceStatus } from "@/features/sources/source-status";
import { SourceText } from "@/features/sources/source-text";
import { byline, lookAgain } from "@/features/sources/source-words";
import { formatCount } from "@/lib/format";
import { usePageTitle } from "@/lib/page-title";
import styles from "@/features/sources/source-page.module.css";

const route = getRouteApi("/sources/$sourceId");
const VIEWS: [view: SourceView, label: string][] = [
  ["text", "Text"],
  ["passages", "Passages"],
  ["about", "About"],
];

/** One source: its words at their places, what is known of it, and what can be done with it. */
export function SourcePage() {
  const { sourceId } = route.useParams();
  const source = useQuery({
    queryKey: sourceKeys.one(sourceId),
    queryFn: ({ signal }) => getSource(sourceId, signal),
    refetchInterval: ({ state: { data } }) => (data ? lookAgain([data]) : false),
  });
  usePageTitle(source.data?.title ?? "Source");

  return (
    <Page>
      <nav aria-label="Where this is" className={styles.crumbs}>
        <Link to="/sources">Sources</Link>
      </nav>
      {source.isPending && <Skeleton label="Loading the source" />}
      {source.data === undefined && source.isError && (
        <ErrorNote error={source.error} what="The source could not be opened." onRetry={() => void source.refetch()} />
      )}
      {source.data && <OpenSource source={source.data} />}
    </Page>
  );
}

function OpenSource({ source }: { source: Source }) {
  const { view = "text", revision } = route.useSearch();
  const [dialog, setDialog] = useState<"edit" | "delete" | null>(null);
  const line = byline(source);
  const shown = revision ?? source.revision_id;

  return (
    <>
      <PageHead
        title={source.title}
        actions={
          <>
            {source.artifact_sha256 && (
              <LinkButton href={sourceContentUrl(source)} download={source.filename ?? ""}>
                Download
              </LinkButton>
            )}
            <Button onPress={() => setDialog("edit")}>Edit</Button>
            <Button onPress={() => setDialog("delete")}>Delete</Button>
          </>
        }
      />
      {line && <p className={styles.line}>{line}</p>}
      <SourceStatus source={source} brief={source.status === "failed" && view !== "about"} />
      <Tabs label="Views of this source">
        {VIEWS.map(([key, label]) => (
          <Link
            key={key}
            from={route.id}
            to="."
            search={(previous) => ({ ...previous, view: key === "text" ? undefined : key })}
            className={tabClass}
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={view === key ? "page" : undefined}
          >
            {label}
            {key === "passages" && source.chunk_count > 0 && (
              <span className={styles.count}> {formatCount(source.chunk_count)}</span>
            )}
          </Link>
        ))}
      </Tabs>
      {revision && revision !== source.revision_id && (
        <p className={styles.version}>
          This is an earlier version.{" "}
          <Link from={route.id} to="." search={(previous) => ({ ...previous, revision: undefined })}>
            Show the current one
          </Link>
        </p>
      )}
      {view === "text" && <SourceText source={source} revision={shown} />}
      {view === "passages" && <SourcePassages source={source} revision={shown} />}
      {view === "about" && <SourceAbout source={source} />}
      {dialog === "edit" && <EditDialog source={source} onClose={() => setDialog(null)} />}
      {dialog === "delete" && <DeleteDialog source={source} onClose={() => setDialog(null)} />}
    </>
  );
}
