import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { diffManifests, manifestKeys } from "@/api/manifests";
import type { ManifestDiff, PointerMove } from "@/api/types";
import { Empty, ErrorNote, Skeleton } from "@/components/states";
import { useNow } from "@/lib/clock";
import { formatPlural, formatRelative, formatSize, shortHash } from "@/lib/format";
import { knownStates, type KnownState } from "@/features/snapshots/known-states";
import styles from "@/features/snapshots/snapshots.module.css";

interface Choice {
  history: readonly PointerMove[];
  current: string | null;
  from: string | undefined;
  to: string | undefined;
}

/** Two states of a snapshot, and what differs. Without a choice: the last move. */
export function Compare({ history, current, ...chosen }: Choice) {
  const navigate = useNavigate({ from: "/library/snapshots/$namespace/$" });
  const states = knownStates(history);
  const to = chosen.to ?? current ?? states[0]?.sha256;
  const from = chosen.from ?? states.find(({ sha256 }) => sha256 !== to)?.sha256;

  if (states.length < 2 || !from || !to) {
    return (
      <Empty title="Only one state so far">
        <p>Once this name has moved to a second state, the two can be compared here.</p>
      </Empty>
    );
  }
  const choose = (side: "from" | "to") => (sha256: string) =>
    void navigate({ search: { view: "compare", from, to, [side]: sha256 }, replace: true });

  return (
    <>
      <div className={styles.choices}>
        <StateChoice label="From" value={from} states={states} onChange={choose("from")} />
        <StateChoice label="To" value={to} states={states} onChange={choose("to")} />
      </div>
      <Difference from={from} to={to} />
    </>
  );
}

function StateChoice({
  label,
  value,
  states,
  onChange,
}: {
  label: string;
  value: string;
  states: KnownState[];
  onChange: (sha256: string) => void;
}) {
  const now = useNow();
  return (
    <label className={styles.choice}>
      {label}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {states.every(({ sha256 }) => sha256 !== value) && <option value={value}>{shortHash(value)}</option>}
        {states.map(({ sha256, reason, since }) => (
          <option key={sha256} value={sha256}>
            {shortHash(sha256)}
            {since && ` · ${formatRelative(since, now)}`}
            {reason && ` · ${reason}`}
          </option>
        ))}
      </select>
    </label>
  );
}

function Difference({ from, to }: { from: string; to: string }) {
  const diff = useQuery({
    queryKey: manifestKeys.diff(from, to),
    queryFn: ({ signal }) => diffManifests(from, to, signal),
    staleTime: Infinity,
  });
  if (diff.isPending) return <Skeleton label="Comparing" rows={3} />;
  if (diff.isError) {
    return <ErrorNote error={diff.error} what="The two could not be compared." onRetry={() => void diff.refetch()} />;
  }
  return <Changes diff={diff.data} />;
}

function Changes({ diff: { added, removed, changed, unchanged_count } }: { diff: ManifestDiff }) {
  const same = unchanged_count === 0 ? "No file is unchanged" : `${formatPlural(unchanged_count, "file")} unchanged`;
  if (added.length + removed.length + changed.length === 0) return <p>Nothing differs. {same}.</p>;
  return (
    <div className={styles.changes}>
      <p>{same}.</p>
      <ChangeList title="Added" mark="+" items={added.map(({ path, entry }) => [path, formatSize(entry.size_bytes)])} />
      <ChangeList
        title="Removed"
        mark="−"
        items={removed.map(({ path, entry }) => [path, formatSize(entry.size_bytes)])}
      />
      <ChangeList
        title="Changed"
        mark="~"
        items={changed.map(({ path, before, after }) => [
          path,
          `${formatSize(before.size_bytes)} → ${formatSize(after.size_bytes)}`,
        ])}
      />
    </div>
  );
}

function ChangeList({ title, mark, items }: { title: string; mark: string; items: [path: string, size: string][] }) {
  if (items.length === 0) return null;
  return (
    <section>
      <h3>
        {title} ({items.length})
      </h3>
      <ul>
        {items.map(([path, size]) => (
          <li key={path}>
            <span aria-hidden="true">{mark}</span>
            <span>{path}</span>
            <span>{size}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
