import { useMutation, useQuery } from "@tanstack/react-query";
import { compareVersions, documentKeys, getDocument, restoreVersion } from "@/api/documents";
import { Button } from "@/components/button";
import { ErrorNote, Skeleton } from "@/components/states";
import { useDesk } from "@/features/documents/desk";
import { DiffText } from "@/features/documents/diff-text";
import type { DocumentSearch } from "@/features/documents/documents-search";
import styles from "@/features/documents/diff.module.css";

interface Props {
  version: number;
  against: DocumentSearch["against"];
  show: (changed: Partial<DocumentSearch>) => void;
}

/** What changed with a version, or since it. */
export function VersionView({ version, against, show }: Props) {
  const { id, document, make } = useDesk();
  const [from, to] = against === "now" ? [version, document.version] : [version - 1, version];
  const changed = useQuery({
    queryKey: documentKeys.diff(id, from, to),
    queryFn: async ({ signal }) => {
      if (from >= 1) return (await compareVersions(id, from, to, signal)).parts;
      // Before the first there was nothing.
      return [{ kind: "added" as const, text: (await getDocument(id, to, signal)).text }];
    },
    staleTime: Infinity,
  });
  const close = () => show({ version: undefined, against: undefined });
  const restore = useMutation({
    mutationFn: () => make((base) => restoreVersion(id, version, base)),
    onSuccess: close,
  });
  const isNewest = version === document.version;
  const same = changed.data?.every(({ kind }) => kind === "same");
  return (
    <div className={styles.version}>
      <div className={styles.head}>
        <h2>{against === "now" ? `Since version ${version}` : `Version ${version}`}</h2>
        <div className={styles.actions}>
          {!isNewest && (
            <Button look="quiet" onPress={() => show({ against: against === "now" ? undefined : "now" })}>
              {against === "now" ? "Compare with the one before" : "Compare with now"}
            </Button>
          )}
          {!isNewest && (
            <Button isDisabled={restore.isPending} onPress={() => restore.mutate()}>
              {restore.isPending ? "Restoring…" : `Restore version ${version}`}
            </Button>
          )}
          <Button look="primary" onPress={close}>
            Back to the text
          </Button>
        </div>
      </div>
      {restore.isError && <ErrorNote error={restore.error} what="The version was not restored." />}
      {changed.isError && (
        <ErrorNote
          error={changed.error}
          what="The versions could not be compared."
          onRetry={() => void changed.refetch()}
        />
      )}
      {changed.isPending && <Skeleton label="Comparing the versions" />}
      {same && <p className={styles.quiet}>The text is the same; something else was changed.</p>}
      {changed.data && <DiffText label="Changes" parts={changed.data} />}
    </div>
  );
}
