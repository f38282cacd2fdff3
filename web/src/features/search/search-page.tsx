import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback, type ReactNode } from "react";
import { search, searchKeys } from "@/api/search";
import type { SearchAnswer } from "@/api/types";
import { Button } from "@/components/button";
import { Related } from "@/components/knowledge/related";
import { Page, PageHead } from "@/components/page";
import { SidePanel } from "@/components/side-panel";
import { SearchField } from "@/components/search-field";
import { Empty, ErrorNote, More, Skeleton } from "@/components/states";
import { ResultOf } from "@/features/search/search-result";
import { SearchControls } from "@/features/search/search-controls";
import { filterCount, nextLimit, searchBody, type SearchParams } from "@/features/search/search-params";
import { formatLatency, formatPlural } from "@/lib/format";
import { usePageTitle } from "@/lib/page-title";
import { useMedia } from "@/lib/use-media";
import styles from "@/features/search/search.module.css";

const route = getRouteApi("/search");
/** From here on what is connected has room beside the results. */
const WIDE = "(min-width: 1120px)";

/** The passages of the library that answer, each with its exact words. */
export function SearchPage() {
  const params = route.useSearch();
  const navigate = route.useNavigate();
  const { q } = params;
  usePageTitle(q ? `${q} · Search` : "Search");
  const body = searchBody(params);
  const answer = useQuery({
    queryKey: searchKeys.answer(body),
    queryFn: ({ signal }) => search(body, signal),
    enabled: q !== undefined,
    placeholderData: keepPreviousData,
  });
  const change = useCallback(
    (changed: Partial<SearchParams>) =>
      void navigate({
        // Another question begins at its best results again.
        search: (previous) => ({ ...previous, limit: undefined, ...changed }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const onWords = useCallback((words: string) => change({ q: words || undefined }), [change]);
  const shown = q === undefined ? undefined : answer.data;
  const wide = useMedia(WIDE);
  const [related, entities] = [shown?.related_context ?? [], shown?.entities ?? []];
  const connected = related.length + entities.length > 0 && !answer.isError;
  const beside = connected && wide && params.beside !== "hidden";

  return (
    <Page
      panel={
        beside && (
          <SidePanel kind="Connected" onClose={() => change({ limit: params.limit, beside: "hidden" })}>
            <Related under={3} related={related} entities={entities} />
          </SidePanel>
        )
      }
    >
      <PageHead title="Search" />
      <div className={styles.box}>
        <SearchField label="Words or a question" words={q ?? ""} onSearch={onWords} />
      </div>
      <SearchControls params={params} options={answer.data?.expand_options} onChange={change} />
      {q === undefined && <Start />}
      {q !== undefined && answer.isPending && <Skeleton label="Searching" />}
      {q !== undefined && answer.isError && (
        <ErrorNote error={answer.error} what="The search failed." onRetry={() => void answer.refetch()} />
      )}
      {shown && !answer.isError && (
        <div className={answer.isPlaceholderData ? styles.stale : undefined} aria-busy={answer.isPlaceholderData}>
          <Summary answer={shown}>
            {connected && wide && !beside && (
              <Button look="quiet" data-panel="show" onPress={() => change({ limit: params.limit, beside: undefined })}>
                Connected
              </Button>
            )}
            {connected && !wide && <a href="#connected">What is connected</a>}
          </Summary>
          {shown.primary_results.length === 0 ? (
            <Empty title="Nothing found">
              <p>
                {filterCount(params) > 0
                  ? "No passage within these filters has these words or means this. Take a filter away, or use other words."
                  : "No passage has these words or means this. Try fewer or other words."}
              </p>
            </Empty>
          ) : (
            <ol className={styles.results} aria-label="Results">
              {shown.primary_results.map((result) => (
                <ResultOf key={result.id} result={result} />
              ))}
            </ol>
          )}
          {shown.primary_results.length >= (params.limit ?? 10) && nextLimit(params) > (params.limit ?? 10) && (
            <More
              label="More results"
              loading={answer.isPlaceholderData}
              onPress={() => change({ limit: nextLimit(params) })}
            />
          )}
          {connected && !wide && (
            <div id="connected" tabIndex={-1} className={styles.connected}>
              <Related related={related} entities={entities} />
            </div>
          )}
        </div>
      )}
    </Page>
  );
}

function Start() {
  return (
    <Empty title="Find the exact words">
      <p>
        Write words or a question. Passages are found by their words and by their meaning; “words in quotes” must stand
        together, and <code>-word</code> must not stand.
      </p>
      <p>
        What is searched is the text of your <Link to="/sources">sources</Link>.
      </p>
    </Empty>
  );
}

function Summary({ answer, children }: { answer: SearchAnswer; children: ReactNode }) {
  const { took_ms, total_chunks_searched, notes } = answer.search_metadata;
  return (
    <div className={styles.summary}>
      <p role="status">
        {formatPlural(answer.primary_results.length, "result")} from {formatPlural(total_chunks_searched, "passage")} in{" "}
        {formatLatency(took_ms)}
      </p>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      {children}
    </div>
  );
}
