import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type CSSProperties } from "react";
import { getManifest, manifestKeys } from "@/api/manifests";
import type { TreeEntry } from "@/api/types";
import { ShortHash } from "@/components/hash";
import { ChevronIcon } from "@/components/icons";
import { ErrorNote, Skeleton } from "@/components/states";
import { Time } from "@/components/time";
import { formatPlural, formatSize } from "@/lib/format";
import { treeOf, type Folder } from "@/lib/tree";
import styles from "@/features/snapshots/snapshots.module.css";

/** The tree of one manifest. */
export function Contents({
  sha256,
  current,
  open,
}: {
  sha256: string;
  current: string | null;
  open: string | undefined;
}) {
  const manifest = useQuery({
    queryKey: manifestKeys.one(sha256),
    queryFn: ({ signal }) => getManifest(sha256, signal),
    staleTime: Infinity,
  });
  if (manifest.isPending) return <Skeleton label="Loading the files of the snapshot" />;
  if (manifest.isError) {
    return (
      <ErrorNote error={manifest.error} what="The files could not be read." onRetry={() => void manifest.refetch()} />
    );
  }
  const { message, entry_count, total_size_bytes, created_at, tree } = manifest.data;
  return (
    <>
      <div className={styles.summary}>
        <span>{formatPlural(entry_count, "file")}</span>·<span>{formatSize(total_size_bytes)}</span>·
        <ShortHash sha256={sha256} />·
        <Time iso={created_at} />
        {sha256 !== current && (
          <span>
            · an earlier state.{" "}
            <Link from="/library/snapshots/$namespace/$" to="." search={{}}>
              Show the current one
            </Link>
          </span>
        )}
      </div>
      {message && <p className={styles.message}>{message}</p>}
      <ul className={styles.tree} aria-label="Files">
        <FolderItems folder={treeOf(tree)} depth={0} open={open} />
      </ul>
    </>
  );
}

interface Level {
  folder: Folder<TreeEntry>;
  depth: number;
  open: string | undefined;
}

function FolderItems({ folder, depth, open }: Level) {
  return (
    <>
      {folder.folders.map((inner) => (
        <FolderItem key={inner.path} folder={inner} depth={depth} open={open} />
      ))}
      {folder.files.map(({ name, path, entry }) => (
        <li key={path} className={styles.node} style={{ "--depth": depth } as CSSProperties}>
          <Link
            data-row=""
            from="/library/snapshots/$namespace/$"
            to="."
            search={(previous) => ({ ...previous, file: entry.sha256 })}
            resetScroll={false}
            className={styles.file}
            activeOptions={{ includeSearch: true }}
            aria-current={entry.sha256 === open ? "true" : undefined}
          >
            {name}
          </Link>
          <span>{formatSize(entry.size_bytes)}</span>
        </li>
      ))}
    </>
  );
}

function FolderItem({ folder, depth, open }: Level) {
  const [expanded, setExpanded] = useState(true);
  return (
    <>
      <li className={styles.node} style={{ "--depth": depth } as CSSProperties}>
        <button type="button" className={styles.folder} aria-expanded={expanded} onClick={() => setExpanded(!expanded)}>
          <ChevronIcon />
          {folder.name}
        </button>
        <span>{formatPlural(folder.count, "file")}</span>
      </li>
      {expanded && <FolderItems folder={folder} depth={depth + 1} open={open} />}
    </>
  );
}
