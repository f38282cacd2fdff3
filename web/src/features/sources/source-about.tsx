import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { refreshSource, sourceKeys } from "@/api/sources";
import type { Source } from "@/api/types";
import { Button } from "@/components/button";
import { ShortHash } from "@/components/hash";
import { Fact, Facts } from "@/components/side-panel";
import { ErrorNote } from "@/components/states";
import { Time } from "@/components/time";
import { originWords } from "@/features/sources/source-words";
import { useRevisions } from "@/features/sources/use-revisions";
import { formatCount, formatPlural, formatSize, humanise } from "@/lib/format";
import styles from "@/features/sources/source-page.module.css";

/** What is known of a source. */
export function SourceAbout({ source }: { source: Source }) {
  const said: [name: string, value: string | null][] = [
    [source.authors.length > 1 ? "Authors" : "Author", source.authors.join("; ") || source.author],
    ["Editors", source.editors.join("; ")],
    ["Date", source.publication_date],
    ["Appeared in", source.container],
    ["Site", source.site_name],
    ["Publisher", [source.publisher, source.publisher_place].filter(Boolean).join(", ")],
    ["Volume", source.volume],
    ["Issue", source.issue],
    ["Pages", source.pages],
    ["Edition", source.edition],
    ["ISBN", source.isbn],
    ["ISSN", source.issn],
    ["Language", source.language],
    ["Summary", source.summary],
    ["Note", source.note],
    ["Tags", source.tags.join(", ")],
  ];
  return (
    <div className={styles.about}>
      <section>
        <h2>As a bibliography has it</h2>
        <Facts>
          <Fact name="Title">{source.title}</Fact>
          {said.map(
            ([name, value]) =>
              value && (
                <Fact key={name} name={name}>
                  {value}
                </Fact>
              ),
          )}
          {source.doi && (
            <Fact name="DOI">
              <Outside href={`https://doi.org/${encodeURI(source.doi)}`}>{source.doi}</Outside>
            </Fact>
          )}
          {source.edited.length > 0 && <Fact name="Set by a person">{source.edited.map(humanise).join(", ")}</Fact>}
        </Facts>
      </section>
      <section>
        <h2>Where it came from</h2>
        <Facts>
          <Fact name="Origin">{originWords(source.origin)}</Fact>
          {source.url && (
            <Fact name="Address">
              <Outside href={source.url}>{source.url}</Outside>
            </Fact>
          )}
          {source.filename && <Fact name="File name">{source.filename}</Fact>}
          <Fact name="Added">
            <Time iso={source.created_at} />
          </Fact>
          {source.url && (
            <Fact name="Fetched">
              <Time iso={source.access_date} />
            </Fact>
          )}
        </Facts>
        {source.url && <Refresh source={source} />}
      </section>
      {source.artifact_sha256 && (
        <section>
          <h2>What is kept of it</h2>
          <Facts>
            <Fact name="Type">{source.media_type}</Fact>
            {source.size_bytes !== null && <Fact name="Size">{formatSize(source.size_bytes)}</Fact>}
            {source.page_count !== null && <Fact name="Length">{formatPlural(source.page_count, "page")}</Fact>}
            <Fact name="Passages">{formatCount(source.chunk_count)}</Fact>
            <Fact name="File">
              <Link to="/library/files/$sha256" params={{ sha256: source.artifact_sha256 }}>
                <ShortHash sha256={source.artifact_sha256} />
              </Link>
            </Fact>
            <Fact name="Version">{source.revision === null ? "None yet" : formatCount(source.revision)}</Fact>
          </Facts>
          {source.revision !== null && source.revision > 1 && <Versions source={source} />}
        </section>
      )}
    </div>
  );
}

/** A link out of the app, only to what a browser opens as a page. */
function Outside({ href, children }: { href: string; children: string }) {
  if (!/^https?:\/\//i.test(href)) return children;
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}

function Refresh({ source }: { source: Source }) {
  const queries = useQueryClient();
  const refresh = useMutation({
    mutationFn: () => refreshSource(source.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: sourceKeys.one(source.id) }),
  });
  return (
    <div>
      <Button isDisabled={refresh.isPending || source.status === "pending"} onPress={() => refresh.mutate()}>
        {source.status === "pending" ? "Fetching…" : "Fetch again"}
      </Button>
      {refresh.isError && <ErrorNote error={refresh.error} what="It was not fetched again." />}
    </div>
  );
}

/** Earlier versions stay as they were, because they may be cited. */
function Versions({ source }: { source: Source }) {
  const revisions = useRevisions(source);
  if (revisions.error) {
    return <ErrorNote error={revisions.error} what="The versions could not be listed." onRetry={revisions.retry} />;
  }
  return (
    <ul className={styles.versions} aria-label="Versions">
      {revisions.items?.map(({ id, number, created_at, size_bytes }) => (
        <li key={id}>
          <Link from="/sources/$sourceId" to="." search={id === source.revision_id ? {} : { revision: id }}>
            Version {formatCount(number)}
          </Link>
          <span>
            {formatSize(size_bytes)} · <Time iso={created_at} />
            {id === source.revision_id && " · current"}
          </span>
        </li>
      ))}
    </ul>
  );
}
