import { Link } from "@tanstack/react-router";
import type { PointerMove } from "@/api/types";
import { ShortHash } from "@/components/hash";
import { Empty, ErrorNote, More, Skeleton } from "@/components/states";
import { Cell, Row, rowLink, Table } from "@/components/table";
import { Time } from "@/components/time";
import type { usePages } from "@/lib/use-pages";
import styles from "@/features/snapshots/snapshots.module.css";

const COLUMNS = [
  { label: "When" },
  { label: "Why" },
  { label: "From and to" },
  { label: "Compare", quiet: true, end: true },
];
const HERE = "/library/snapshots/$namespace/$";

/** Every move of the pointer, newest first. */
export function History({
  history,
  current,
}: {
  history: ReturnType<typeof usePages<PointerMove>>;
  current: string | null;
}) {
  if (history.items === undefined) {
    if (!history.error) return <Skeleton label="Loading the history" rows={3} />;
    return <ErrorNote error={history.error} what="The history could not be read." onRetry={history.retry} />;
  }
  if (history.items.length === 0) {
    return (
      <Empty title="No moves yet">
        <p>Each time this name moves to another state, the move is written down here with when and why.</p>
      </Empty>
    );
  }
  return (
    <>
      <Table label="History" columns={COLUMNS} className={styles.history}>
        {history.items.map((move) => (
          <Move key={move.id} move={move} current={current} />
        ))}
      </Table>
      {history.hasMore && <More onPress={history.more} loading={history.loadingMore} label="Older moves" />}
    </>
  );
}

function Move({ move, current }: { move: PointerMove; current: string | null }) {
  const from = move.from_manifest_sha256;
  const to = move.to_manifest_sha256;
  const reason = move.reason ?? <span className={styles.none}>No reason given</span>;
  return (
    <Row>
      <Cell dim className={styles.when}>
        <Time iso={move.created_at} />
      </Cell>
      <Cell className={styles.reason}>
        {to ? (
          <Link
            {...rowLink}
            from={HERE}
            to="."
            search={to === current ? {} : { at: to }}
            activeOptions={{ exact: true, includeSearch: true }}
          >
            {reason}
          </Link>
        ) : (
          reason
        )}
      </Cell>
      <Cell dim className={styles.move}>
        {from ? <ShortHash sha256={from} /> : "nothing"} → {to ? <ShortHash sha256={to} /> : "nothing"}
      </Cell>
      <Cell end>
        {from && to && (
          <Link from={HERE} to="." search={{ view: "compare", from, to }}>
            Compare
          </Link>
        )}
      </Cell>
    </Row>
  );
}
