import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Source } from "@/api/types";
import { Empty, ErrorNote, Skeleton } from "@/components/states";
import { comparedWith } from "@/features/sources/revision-picker";
import { useRevisions } from "@/features/sources/use-revisions";
import { useText } from "@/features/sources/use-text";
import { formatPlural } from "@/lib/format";
import { isChanged, textChanges, type Change, type Part } from "@/lib/text-changes";
import styles from "@/features/sources/source-changes.module.css";

const route = getRouteApi("/sources/$sourceId");

/** What changed between two versions of the text. */
export function SourceChanges({ source, revision }: { source: Source; revision: string }) {
  const { against } = route.useSearch();
  const revisions = useRevisions(source);
  const other =
    against !== undefined && against !== revision
      ? against
      : revisions.items && comparedWith(revisions.items, revision)?.id;
  if (!other) return revisions.items ? null : <Skeleton label="Loading the versions" />;
  return <Comparison id={source.id} before={other} after={revision} language={source.language} />;
}

function Comparison({
  id,
  before,
  after,
  language,
}: {
  id: string;
  before: string;
  after: string;
  language: string | null;
}) {
  const [old, current] = [useText(id, before), useText(id, after)];
  const changes = useMemo(
    () => (old.data && current.data ? textChanges(old.data.text, current.data.text) : null),
    [old.data, current.data],
  );
  const failed = [old, current].find(({ isError }) => isError);
  if (failed) {
    return (
      <ErrorNote
        error={failed.error}
        what="The versions could not be compared."
        onRetry={() => void failed.refetch()}
      />
    );
  }
  if (!changes) return <Skeleton label="Comparing the versions" />;
  if (!isChanged(changes)) {
    return (
      <Empty title="The same words">
        <p>The text of these two versions is the same.</p>
      </Empty>
    );
  }
  const count = changes.filter(({ kind }) => kind === "changed").length;
  return (
    <article className={styles.changes} aria-label="Changes" lang={language ?? undefined}>
      <p className={styles.summary} lang="en">
        {formatPlural(count, "place")} changed. <del className={styles.removed}>Struck out</del> is what is gone,{" "}
        <ins className={styles.added}>underlined</ins> what is new.
      </p>
      {changes.map((change, index) => (
        <ChangeOf key={index} change={change} />
      ))}
    </article>
  );
}

function ChangeOf({ change }: { change: Change }) {
  if (change.kind === "changed") {
    return (
      <p className={styles.changed}>
        {change.parts.map((part, index) => (
          <PartOf key={index} part={part} />
        ))}
      </p>
    );
  }
  return (
    <div className={styles.same}>
      {change.above.map((line, index) => (
        <p key={index}>{line}</p>
      ))}
      {change.hidden > 0 && <p className={styles.hidden}>{formatPlural(change.hidden, "line")} unchanged</p>}
      {change.below.map((line, index) => (
        <p key={index}>{line}</p>
      ))}
    </div>
  );
}

function PartOf({ part }: { part: Part }) {
  if (part.kind === "removed") return <del className={styles.removed}>{part.text}</del>;
  if (part.kind === "added") return <ins className={styles.added}>{part.text}</ins>;
  return part.text;
}
