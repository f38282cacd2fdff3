import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState, type ComponentType, type ReactNode } from "react";
import { artifactKeys, listArtifacts } from "@/api/artifacts";
import type { Artifact } from "@/api/types";
import { ArtifactPanel } from "@/components/artifact-panel/artifact-panel";
import { Button } from "@/components/button";
import { Page } from "@/components/page";
import { Empty, ErrorNote, More, Skeleton } from "@/components/states";
import { Cell, Row, rowLink, Table } from "@/components/table";
import { Time } from "@/components/time";
import { LibraryHead } from "@/components/library-head";
import { useUploads } from "@/components/uploads/uploads";
import { formatCount, formatPlural, formatSize, shortHash } from "@/lib/format";
import { mediaName } from "@/lib/media";
import { usePageTitle } from "@/lib/page-title";
import { usePages } from "@/lib/use-pages";
import styles from "@/features/library/files-page.module.css";

/** What the app puts in to make a snapshot of chosen files. */
export type SnapshotDialog = ComponentType<{ files: Artifact[]; onClose: () => void; onMade: () => void }>;

const COLUMNS = [
  { label: "Selected", quiet: true },
  { label: "Name" },
  { label: "Type", className: styles.extra },
  { label: "Size", end: true },
  { label: "References", end: true, className: styles.extra },
  { label: "Kept", end: true },
];

interface Props {
  SnapshotDialog: SnapshotDialog;
  /** Another way in, for an empty list. */
  way: ReactNode;
}

export function FilesPage({ SnapshotDialog, way }: Props) {
  usePageTitle("Files");
  const navigate = useNavigate();
  const { sha256: open } = useParams({ strict: false });
  const { choose } = useUploads();
  const files = usePages(artifactKeys.list, listArtifacts);
  const [selected, setSelected] = useState<ReadonlyMap<string, Artifact>>(new Map());
  const [making, setMaking] = useState(false);

  function toggle(artifact: Artifact) {
    const next = new Map(selected);
    if (!next.delete(artifact.sha256)) next.set(artifact.sha256, artifact);
    setSelected(next);
  }

  const panel = open && (
    <ArtifactPanel sha256={open} onClose={() => void navigate({ to: "/library", resetScroll: false })} />
  );

  return (
    <Page panel={panel}>
      <LibraryHead
        view="files"
        actions={
          <Button look="primary" onPress={choose}>
            Add files
          </Button>
        }
      />
      {files.items === undefined && files.error && (
        <ErrorNote error={files.error} what="The files could not be listed." onRetry={files.retry} />
      )}
      {files.items === undefined && !files.error && <Skeleton label="Loading files" />}
      {files.items?.length === 0 && (
        <Empty
          title="Nothing is kept yet"
          actions={
            <>
              <Button look="primary" onPress={choose}>
                Choose files
              </Button>
              <span>or drop files and folders anywhere on this page.</span>
            </>
          }
        >
          <p>
            Ibid keeps every byte of what you give it, named by its own content, so that a quote can always be traced
            back to the exact words. The same file twice is kept once.
          </p>
          {way}
        </Empty>
      )}
      {files.items && files.items.length > 0 && (
        <>
          <div className={styles.toolbar}>
            {selected.size === 0 ? (
              <span>Select files to make a snapshot of them.</span>
            ) : (
              <div className={styles.selection}>
                <span aria-live="polite">{formatCount(selected.size)} selected</span>
                <Button onPress={() => setMaking(true)}>Make a snapshot</Button>
                <Button look="quiet" onPress={() => setSelected(new Map())}>
                  Clear
                </Button>
              </div>
            )}
          </div>
          <Table label="Files" columns={COLUMNS} className={styles.files}>
            {files.items.map((file) => (
              <FileRow
                key={file.sha256}
                file={file}
                open={file.sha256 === open}
                selected={selected.has(file.sha256)}
                onToggle={() => toggle(file)}
              />
            ))}
          </Table>
          {files.error && (
            <ErrorNote error={files.error} what="More files could not be listed." onRetry={files.retry} />
          )}
          {files.hasMore && <More onPress={files.more} loading={files.loadingMore} label="More files" />}
        </>
      )}
      {making && (
        <SnapshotDialog
          files={[...selected.values()]}
          onClose={() => setMaking(false)}
          onMade={() => setSelected(new Map())}
        />
      )}
    </Page>
  );
}

function FileRow({
  file,
  open,
  selected,
  onToggle,
}: {
  file: Artifact;
  open: boolean;
  selected: boolean;
  onToggle: () => void;
}) {
  const name = file.filename ?? shortHash(file.sha256);
  return (
    <Row>
      <Cell className={styles.check}>
        <input type="checkbox" checked={selected} onChange={onToggle} aria-label={`Select ${name}`} />
      </Cell>
      <Cell>
        <Link
          {...rowLink}
          to="/library/files/$sha256"
          params={{ sha256: file.sha256 }}
          resetScroll={false}
          aria-current={open ? "true" : undefined}
        >
          {name}
        </Link>
        <div className={styles.small}>
          {mediaName(file.media_type)} · {formatSize(file.size_bytes)} · <Time iso={file.created_at} />
        </div>
      </Cell>
      <Cell dim className={`${styles.wide} ${styles.extra}`}>
        <span title={file.media_type}>{mediaName(file.media_type)}</span>
      </Cell>
      <Cell dim end className={styles.wide}>
        {formatSize(file.size_bytes)}
      </Cell>
      <Cell dim end className={`${styles.wide} ${styles.extra}`}>
        <span title={formatPlural(file.reference_count, "reference")}>{formatCount(file.reference_count)}</span>
      </Cell>
      <Cell dim end className={styles.wide}>
        <Time iso={file.created_at} />
      </Cell>
    </Row>
  );
}
