import { getRouteApi } from "@tanstack/react-router";
import type { Revision, Source } from "@/api/types";
import { Select } from "@/components/select";
import { ErrorNote, More } from "@/components/states";
import { useRevisions } from "@/features/sources/use-revisions";
import { formatCount, formatRelative } from "@/lib/format";
import { useNow } from "@/lib/clock";
import styles from "@/features/sources/source-page.module.css";

const route = getRouteApi("/sources/$sourceId");

/** Which version is shown, and with which it is compared; both are in the address. */
export function RevisionPicker({ source, shown, compares }: { source: Source; shown: string; compares: boolean }) {
  const navigate = route.useNavigate();
  const { against } = route.useSearch();
  const revisions = useRevisions(source);
  const now = useNow();
  if (!revisions.items) {
    return revisions.error ? (
      <ErrorNote error={revisions.error} what="The versions could not be listed." onRetry={revisions.retry} />
    ) : null;
  }
  const items = revisions.items;
  const options = items.map(({ id, number, created_at }): [string, string] => [
    id,
    `Version ${formatCount(number)}${id === source.revision_id ? " (current)" : ""}, ${formatRelative(created_at, now)}`,
  ]);
  // One that is on none of the pages that are loaded.
  if (!items.some(({ id }) => id === shown)) options.push([shown, "Another version"]);
  const isEarlier = shown !== source.revision_id;

  return (
    <div className={styles.versionBar}>
      <Select
        label={compares ? "What changed up to" : "Version"}
        options={options}
        value={shown}
        onChange={(id) =>
          void navigate({
            search: (previous) => ({ ...previous, revision: id === source.revision_id ? undefined : id }),
            hash: true,
            resetScroll: false,
          })
        }
      />
      {compares && (
        <Select
          label="since"
          options={options.filter(([id]) => id !== shown)}
          value={against !== undefined && against !== shown ? against : (comparedWith(items, shown)?.id ?? "")}
          onChange={(id) =>
            void navigate({ search: (previous) => ({ ...previous, against: id }), hash: true, resetScroll: false })
          }
        />
      )}
      {isEarlier && !compares && (
        <span role="status">This is an earlier version. What was cited in it stays as it was.</span>
      )}
      {revisions.hasMore && <More onPress={revisions.more} loading={revisions.loadingMore} label="Older versions" />}
    </div>
  );
}

/** The version before, or the one after the first. */
export function comparedWith(revisions: readonly Revision[], shown: string): Revision | undefined {
  const number = revisions.find(({ id }) => id === shown)?.number;
  if (number === undefined) return revisions.find(({ id }) => id !== shown);
  const earlier = revisions.filter((revision) => revision.number < number).sort((a, b) => b.number - a.number);
  return earlier[0] ?? revisions.filter((revision) => revision.number > number).sort((a, b) => a.number - b.number)[0];
}
