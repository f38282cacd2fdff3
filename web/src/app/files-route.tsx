import { lazy, Suspense } from "react";
import { FilesPage, type SnapshotDialog as SnapshotDialogType } from "@/features/library/files-page";

const LazyDialog = lazy(() =>
  import("@/features/snapshots/snapshot-dialog").then(({ SnapshotDialog }) => ({ default: SnapshotDialog })),
);

const SnapshotDialog: SnapshotDialogType = (props) => (
  <Suspense fallback={null}>
    <LazyDialog {...props} />
  </Suspense>
);

/** The library's files, with the snapshots feature put in: the two do not know each other. */
export function FilesRoute() {
  return <FilesPage SnapshotDialog={SnapshotDialog} />;
}
