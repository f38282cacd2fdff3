import { useMutation } from "@tanstack/react-query";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { ErrorNote } from "@/components/states";
import { useDesk } from "@/features/documents/desk";
import { StyleField } from "@/features/documents/style-field";
import styles from "@/features/documents/documents.module.css";

/** Chooses the style of the citations; what is chosen is set at once, behind the dialog. */
export function StyleDialog({ onClose }: { onClose: () => void }) {
  const { document, change } = useDesk();
  const set = useMutation({ mutationFn: (style: string) => change({ style }) });
  return (
    <Dialog title="Citation style" onClose={onClose}>
      <div className={styles.form}>
        <StyleField
          focus
          value={(set.isPending && set.variables) || document.style}
          onChange={(style) => style !== document.style && set.mutate(style)}
        />
        {set.isError && <ErrorNote error={set.error} what="The style was not set." />}
        <div className={styles.actions}>
          <Button look="primary" onPress={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
