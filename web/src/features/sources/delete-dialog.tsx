import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { artifactKeys } from "@/api/artifacts";
import { deleteSource, sourceKeys } from "@/api/sources";
import type { Source } from "@/api/types";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { ErrorNote, Skeleton } from "@/components/states";
import { LostClaims } from "@/features/sources/lost-claims";
import { impactLines } from "@/features/sources/source-words";
import { useImpact } from "@/features/sources/use-impact";
import styles from "@/features/sources/forms.module.css";

/** Says what goes with a source before it goes. */
export function DeleteDialog({ source, onClose }: { source: Source; onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const impact = useImpact(source.id);
  const remove = useMutation({
    mutationFn: () => deleteSource(source.id),
    onSuccess: async () => {
      await navigate({ to: "/sources" });
      queries.removeQueries({ queryKey: sourceKeys.one(source.id) });
      void queries.invalidateQueries({ queryKey: sourceKeys.lists });
      void queries.invalidateQueries({ queryKey: sourceKeys.counts });
      void queries.invalidateQueries({ queryKey: artifactKeys.all });
    },
  });
  const lines = impact.data && impactLines(impact.data);

  return (
    <Dialog title="Delete this source" onClose={onClose}>
      <div className={styles.form}>
        <p className={styles.subject}>{source.title}</p>
        {!impact.data && !impact.error && <Skeleton label="Looking what would go with it" rows={2} />}
        {impact.error && (
          <ErrorNote error={impact.error} what="What would go with it is not known." onRetry={impact.retry} />
        )}
        {lines?.length === 0 && <p className={styles.about}>Nothing else goes with it.</p>}
        {lines && lines.length > 0 && (
          <div>
            <p className={styles.about}>With it go:</p>
            <ul className={styles.losses} aria-label="What goes with it">
              {lines.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </div>
        )}
        <LostClaims impact={impact} />
        {remove.isError && <ErrorNote error={remove.error} what="The source was not deleted." />}
        <div className={styles.actions}>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="danger" isDisabled={!impact.data || remove.isPending} onPress={() => remove.mutate()}>
            {remove.isPending ? "Deleting…" : "Delete"}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
