import { Link } from "@tanstack/react-router";
import { listPointers, pointerKeys } from "@/api/pointers";
import type { Pointer } from "@/api/types";
import { buttonClass } from "@/components/button";
import { ShortHash } from "@/components/hash";
import { LibraryHead } from "@/components/library-head";
import { Page } from "@/components/page";
import { Empty, ErrorNote, More, Skeleton } from "@/components/states";
import { Cell, Row, rowLink, Table } from "@/components/table";
import { Time } from "@/components/time";
import { humanise } from "@/lib/format";
import { usePageTitle } from "@/lib/page-title";
import { usePages } from "@/lib/use-pages";
import styles from "@/features/snapshots/snapshots.module.css";

const COLUMNS = [{ label: "Name" }, { label: "Type" }, { label: "Manifest" }, { label: "Moved", end: true }];

export function SnapshotsPage() {
  usePageTitle("Snapshots");
  const pointers = usePages(pointerKeys.list, listPointers);

  return (
    <Page>
      <LibraryHead view="snapshots" />
      {pointers.items === undefined && pointers.error && (
        <ErrorNote error={pointers.error} what="The snapshots could not be listed." onRetry={pointers.retry} />
      )}
      {pointers.items === undefined && !pointers.error && <Skeleton label="Loading snapshots" rows={4} />}
      {pointers.items?.length === 0 && (
        <Empty
          title="No snapshots yet"
          actions={
            <Link to="/library" className={buttonClass("primary")}>
              Go to files
            </Link>
          }
        >
          <p>
            A snapshot gives a set of files a name, so that work can point at exactly these versions for ever. Select
            files in the library and choose “Make a snapshot”.
          </p>
        </Empty>
      )}
      {groupByNamespace(pointers.items ?? []).map(([namespace, members]) => (
        <section key={namespace} className={styles.group}>
          <h2>{namespace}</h2>
          <Table label={`Snapshots in ${namespace}`} columns={COLUMNS} className={styles.pointers}>
            {members.map((pointer) => (
              <PointerRow key={pointer.id} pointer={pointer} />
            ))}
          </Table>
        </section>
      ))}
      {pointers.items !== undefined && pointers.error && (
        <ErrorNote error={pointers.error} what="More snapshots could not be listed." onRetry={pointers.retry} />
      )}
      {pointers.hasMore && <More onPress={pointers.more} loading={pointers.loadingMore} label="More snapshots" />}
    </Page>
  );
}

function PointerRow({ pointer }: { pointer: Pointer }) {
  const { namespace, name, manifest_sha256: manifest } = pointer;
  return (
    <Row>
      <Cell>
        <Link {...rowLink} to="/library/snapshots/$namespace/$" params={{ namespace, _splat: name }}>
          {name}
        </Link>
        {pointer.description && <div className={styles.about}>{pointer.description}</div>}
        <div className={styles.small}>
          {humanise(pointer.pointer_type)} · {manifest ? <ShortHash sha256={manifest} /> : "empty"} ·{" "}
          <Time iso={pointer.updated_at} />
        </div>
      </Cell>
      <Cell dim className={styles.wide}>
        {humanise(pointer.pointer_type)}
      </Cell>
      <Cell dim className={styles.wide}>
        {manifest ? <ShortHash sha256={manifest} /> : "empty"}
      </Cell>
      <Cell dim end className={styles.wide}>
        <Time iso={pointer.updated_at} />
      </Cell>
    </Row>
  );
}

function groupByNamespace(pointers: readonly Pointer[]): [namespace: string, members: Pointer[]][] {
  const groups = new Map<string, Pointer[]>();
  for (const pointer of pointers) {
    const group = groups.get(pointer.namespace);
    if (group) group.push(pointer);
    else groups.set(pointer.namespace, [pointer]);
  }
  return [...groups];
}
