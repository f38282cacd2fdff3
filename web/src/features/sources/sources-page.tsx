import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback, useState, type ReactNode } from "react";
import { countSources, listSources, sourceKeys } from "@/api/sources";
import type { SourceStatus } from "@/api/types";
import { Button } from "@/components/button";
import { Page, PageHead } from "@/components/page";
import { SearchField } from "@/components/search-field";
import { Empty, ErrorNote, More, Skeleton } from "@/components/states";
import { Table } from "@/components/table";
import { Tabs, tabClass } from "@/components/tabs";
import { useUploads } from "@/components/uploads/uploads";
import { AddressDialog, AddressForm } from "@/features/sources/add-address";
import { ByHandDialog } from "@/features/sources/add-by-hand";
import { SourceRow } from "@/features/sources/source-row";
import { STATUSES } from "@/features/sources/source-search";
import { countsBusy, lookAgain, STATUS_NAMES } from "@/features/sources/source-words";
import { formatCount } from "@/lib/format";
import { usePageTitle } from "@/lib/page-title";
import { usePages } from "@/lib/use-pages";
import styles from "@/features/sources/sources.module.css";

const route = getRouteApi("/sources");
const COLUMNS = [
  { label: "Cover", quiet: true },
  { label: "Title" },
  { label: "Status" },
  { label: "Added", end: true },
];
const CHOICES: (SourceStatus | null)[] = [null, ...STATUSES];
const LOOK_MS = 1000;

interface Props {
  /** Another way in, for an empty list. */
  way: ReactNode;
  /** What stands above a list that is not. */
  line: ReactNode;
}

/** Everything that can be cited. */
export function SourcesPage({ way, line }: Props) {
  usePageTitle("Sources");
  const filter = route.useSearch();
  const { q = "", status = null } = filter;
  const navigate = route.useNavigate();
  const { choose } = useUploads();
  const [adding, setAdding] = useState<"address" | "by hand" | null>(null);

  const counts = useQuery({
    queryKey: sourceKeys.counts,
    queryFn: ({ signal }) => countSources(signal),
    refetchInterval: ({ state: { data } }) => (countsBusy(data) ? LOOK_MS : false),
  });
  const sources = usePages(sourceKeys.list(filter), (cursor, signal) => listSources(filter, cursor, signal), {
    // What is not in this part of the list yet may come into it.
    lookAgain: (items) => lookAgain(items) || (status && countsBusy(counts.data) ? LOOK_MS : false),
    keepPrevious: true,
  });
  const search = useCallback(
    (words: string) =>
      void navigate({
        search: (previous) => ({ ...(previous.status && { status: previous.status }), ...(words && { q: words }) }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );

  const count = (key: SourceStatus | null) => counts.data && formatCount(key ? counts.data[key] : counts.data.total);
  const nothing = sources.items?.length === 0;
  const first = nothing && !q && !status;

  return (
    <Page>
      <PageHead
        title="Sources"
        actions={
          <>
            <Button onPress={() => setAdding("by hand")}>Add by hand</Button>
            <Button onPress={() => setAdding("address")}>Add address</Button>
            <Button look="primary" onPress={choose}>
              Add files
            </Button>
          </>
        }
      />
      {!first && (
        <>
          <div className={styles.search}>
            <SearchField label="Search titles, names and texts" words={q} onSearch={search} />
          </div>
          <Tabs label="Sources by status">
            {CHOICES.map((key) => (
              <Link
                key={key ?? "all"}
                to="/sources"
                search={{ ...(q && { q }), ...(key && { status: key }) }}
                className={tabClass}
                activeOptions={{ exact: true, includeSearch: true }}
                aria-current={status === key ? "page" : undefined}
              >
                {key ? STATUS_NAMES[key] : "All"}
                {/* The counts are of all sources, which is not what a search shows. */}
                {!q && <span className={styles.count}> {count(key)}</span>}
              </Link>
            ))}
          </Tabs>
        </>
      )}
      {sources.items === undefined && sources.error && (
        <ErrorNote error={sources.error} what="The sources could not be listed." onRetry={sources.retry} />
      )}
      {sources.items === undefined && !sources.error && <Skeleton label="Loading sources" />}
      {first && (
        <Empty
          title="No sources yet"
          actions={
            <div className={styles.inlineForm}>
              <AddressForm onAdded={() => undefined} />
              {way}
            </div>
          }
        >
          <p>
            A source is anything that can be cited: a report, a letter, a table, a web page. Ibid reads its text, keeps
            the original, and finds every passage again at its exact place.
          </p>
          <div className={styles.choose}>
            <Button look="primary" onPress={choose}>
              Choose files
            </Button>
            <span>or drop files and folders anywhere on this page.</span>
          </div>
        </Empty>
      )}
      {nothing && !first && (
        <Empty title={q ? "Nothing found" : "No source is in this state"}>
          <p>
            {q
              ? `No source ${status ? "in this state " : ""}has all these words: ${q}`
              : "Choose another state, or All."}
          </p>
        </Empty>
      )}
      {sources.items && sources.items.length > 0 && !q && !status && line}
      {sources.items && sources.items.length > 0 && (
        <Table label="Sources" columns={COLUMNS} className={styles.sources}>
          {sources.items.map((source) => (
            <SourceRow key={source.id} source={source} />
          ))}
        </Table>
      )}
      {sources.items !== undefined && sources.error && (
        <ErrorNote error={sources.error} what="The list could not be renewed." onRetry={sources.retry} />
      )}
      {sources.hasMore && <More onPress={sources.more} loading={sources.loadingMore} label="Older sources" />}
      {adding === "address" && <AddressDialog onClose={() => setAdding(null)} />}
      {adding === "by hand" && <ByHandDialog onClose={() => setAdding(null)} />}
    </Page>
  );
}
