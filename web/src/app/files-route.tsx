import { lazy, Suspense } from "react";
import { SampleWay } from "@/features/sample/sample-way";
import { FilesPage, type SnapshotDialog as SnapshotDialogType } from "@/features/library/files-page";

const LazyDialog = lazy(() =>
  import("@/features/snapshots/snapshot-dialog").then(({ SnapshotDialog }) => ({ default: SnapshotDialog })),
);

const SnapshotDialog: SnapshotDialogType = (props) => (
  <Suspense fallback={null}>
    <LazyDialog {...props} />
  </Suspense>
);

/** The library's files, with snapshots and the sample library put in: they do not know each other. */
export function FilesRoute() {
  return <FilesPage SnapshotDialog={SnapshotDialog} way={<SampleWay />} />;
}
