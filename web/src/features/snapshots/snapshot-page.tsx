import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { archiveUrl } from "@/api/manifests";
import { getPointer, pointerHistory, pointerKeys } from "@/api/pointers";
import { ArtifactPanel } from "@/components/artifact-panel/artifact-panel";
import { LinkButton } from "@/components/button";
import { Page, PageHead } from "@/components/page";
import { Empty, ErrorNote, Skeleton } from "@/components/states";
import { Tabs, tabClass } from "@/components/tabs";
import { usePageTitle } from "@/lib/page-title";
import { usePages } from "@/lib/use-pages";
import { Compare } from "@/features/snapshots/compare";
import { Contents } from "@/features/snapshots/contents";
import { History } from "@/features/snapshots/history";
import type { SnapshotView } from "@/features/snapshots/snapshot-search";
import styles from "@/features/snapshots/snapshots.module.css";

const route = getRouteApi("/library/snapshots/$namespace/$");
const VIEWS: [view: SnapshotView, label: string][] = [
  ["contents", "Contents"],
  ["history", "History"],
  ["compare", "Compare"],
];

/** One snapshot: what is in it, how it got there, and what changed between two of its states. */
export function SnapshotPage() {
  const { namespace, _splat: name = "" } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  usePageTitle(name);

  const pointer = useQuery({
    queryKey: pointerKeys.one(namespace, name),
    queryFn: ({ signal }) => getPointer(namespace, name, signal),
  });
  const history = usePages(pointerKeys.history(namespace, name), (cursor, signal) =>
    pointerHistory(namespace, name, cursor, signal),
  );

  const view = search.view ?? "contents";
  const current = pointer.data?.manifest_sha256 ?? null;
  const shown = search.at ?? current;
  const panel = search.file && (
    <ArtifactPanel
      sha256={search.file}
      onClose={() => void navigate({ search: (previous) => ({ ...previous, file: undefined }), resetScroll: false })}
    />
  );

  return (
    <Page panel={panel}>
      <nav aria-label="Where this is" className={styles.crumbs}>
        <Link to="/library/snapshots">Snapshots</Link>
        <span aria-hidden="true">/</span>
        <span>{namespace}</span>
      </nav>
      <PageHead
        title={name}
        actions={
          shown && (
            <LinkButton href={archiveUrl(shown)} download={`${name.replaceAll("/", "-")}.zip`}>
              Download as zip
            </LinkButton>
          )
        }
      />
      {pointer.data?.description && <p className={styles.about}>{pointer.data.description}</p>}
      <Tabs label="Views of this snapshot">
        {VIEWS.map(([key, label]) => (
          <Link
            key={key}
            from={route.id}
            to="."
            search={(previous) => ({ ...previous, view: key === "contents" ? undefined : key })}
            className={tabClass}
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={view === key ? "page" : undefined}
          >
            {label}
          </Link>
        ))}
      </Tabs>
      {pointer.isPending && <Skeleton label="Loading the snapshot" />}
      {pointer.isError && (
        <ErrorNote
          error={pointer.error}
          what="The snapshot could not be opened."
          onRetry={() => void pointer.refetch()}
        />
      )}
      {pointer.data && view === "contents" && shown && <Contents sha256={shown} current={current} open={search.file} />}
      {pointer.data && view === "contents" && !shown && (
        <Empty title="Nothing in it yet">
          <p>This name points at no files. Select files in the library and make a snapshot with this name.</p>
        </Empty>
      )}
      {pointer.data && view === "history" && <History history={history} current={current} />}
      {pointer.data && view === "compare" && (
        <Compare history={history.items ?? []} from={search.from} to={search.to} current={current} />
      )}
    </Page>
  );
}
