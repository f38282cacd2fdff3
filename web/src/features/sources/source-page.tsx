import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { getSource, originalUrl, sourceKeys } from "@/api/sources";
import type { Source } from "@/api/types";
import { Button, LinkButton } from "@/components/button";
import { Page, PageHead } from "@/components/page";
import { ErrorNote, Skeleton } from "@/components/states";
import { Tabs, tabClass } from "@/components/tabs";
import { DeleteDialog } from "@/features/sources/delete-dialog";
import { EditDialog } from "@/features/sources/edit-dialog";
import { opensOriginal, originalKind } from "@/features/sources/original/original-kind";
import { SourceOriginal } from "@/features/sources/original/source-original";
import { ReplaceDialog } from "@/features/sources/replace-dialog";
import { RevisionPicker } from "@/features/sources/revision-picker";
import { SourceAbout } from "@/features/sources/source-about";
import { SourceChanges } from "@/features/sources/source-changes";
import { SourcePassages } from "@/features/sources/source-passages";
import type { SourceView } from "@/features/sources/source-search";
import { SourceStatus } from "@/features/sources/source-status";
import { SourceTells } from "@/features/sources/source-tells";
import { SourceText } from "@/features/sources/source-text";
import { byline, lookAgain } from "@/features/sources/source-words";
import { useRevision } from "@/features/sources/use-revisions";
import { useSpan } from "@/features/sources/use-text";
import { formatCount } from "@/lib/format";
import { usePageTitle } from "@/lib/page-title";
import styles from "@/features/sources/source-page.module.css";

const route = getRouteApi("/sources/$sourceId");
const VIEWS: [view: SourceView, label: string][] = [
  ["original", "Original"],
  ["text", "Text"],
  ["passages", "Passages"],
  ["tells", "What it tells"],
  ["changes", "Changes"],
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
  const { view: asked, revision } = route.useSearch();
  const [dialog, setDialog] = useState<"edit" | "replace" | "delete" | null>(null);
  const line = byline(source);
  const shown = revision ?? source.revision_id;
  const mediaType = useRevision(source, shown)?.media_type ?? source.media_type;
  const kind = shown === null ? null : originalKind(mediaType);
  const usual = opensOriginal(kind, useSpan() !== null) ? "original" : "text";
  const missing = new Set<SourceView>();
  if (kind === null) missing.add("original");
  if ((source.revision ?? 0) < 2) missing.add("changes");
  if (shown === null) missing.add("tells");
  const view = asked === undefined || missing.has(asked) ? usual : asked;

  return (
    <>
      <PageHead
        title={source.title}
        actions={
          <>
            {source.artifact_sha256 && (
              <LinkButton href={originalUrl(source.id, shown)} download={source.filename ?? ""}>
                Download
              </LinkButton>
            )}
            <Button onPress={() => setDialog("edit")}>Edit</Button>
            <Button onPress={() => setDialog("replace")}>Replace</Button>
            <Button onPress={() => setDialog("delete")}>Delete</Button>
          </>
        }
      />
      {line && <p className={styles.line}>{line}</p>}
      <SourceStatus source={source} brief={source.status === "failed" && view === "text"} />
      <Tabs label="Views of this source">
        {VIEWS.filter(([key]) => !missing.has(key)).map(([key, label]) => (
          <Link
            key={key}
            from={route.id}
            to="."
            search={(previous) => ({ ...previous, view: key === "text" && kind === null ? undefined : key })}
            hash={true}
            resetScroll={false}
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
      {shown !== null && !missing.has("changes") && (
        <RevisionPicker source={source} shown={shown} compares={view === "changes"} />
      )}
      {view === "original" && kind && shown !== null && (
        <SourceOriginal source={source} revision={shown} kind={kind} mediaType={mediaType ?? ""} />
      )}
      {view === "text" && <SourceText source={source} revision={shown} />}
      {view === "passages" && <SourcePassages source={source} revision={shown} />}
      {view === "tells" && <SourceTells id={source.id} />}
      {view === "changes" && shown !== null && <SourceChanges source={source} revision={shown} />}
      {view === "about" && <SourceAbout source={source} />}
      {dialog === "edit" && <EditDialog source={source} onClose={() => setDialog(null)} />}
      {dialog === "replace" && <ReplaceDialog source={source} onClose={() => setDialog(null)} />}
      {dialog === "delete" && <DeleteDialog source={source} onClose={() => setDialog(null)} />}
    </>
  );
}
