import { useMutation, useQueryClient } from "@tanstack/react-query";
import { deleteDocument, documentKeys } from "@/api/documents";
import type { DocumentSummary } from "@/api/documents-types";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { ErrorNote } from "@/components/states";
import { dropText } from "@/features/documents/kept-text";
import { formatPlural } from "@/lib/format";
import styles from "@/features/documents/documents.module.css";

export function DeleteDialog({
  document,
  onClose,
  onDeleted,
}: {
  document: DocumentSummary;
  onClose: () => void;
  onDeleted: () => void;
}) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteDocument(document.document_id),
    onSuccess: () => {
      dropText(document.document_id);
      onDeleted();
      void queries.invalidateQueries({ queryKey: documentKeys.lists });
    },
  });
  return (
    <Dialog title="Delete this document" onClose={onClose}>
      <div className={styles.form}>
        <p className={styles.subject}>{document.title}</p>
        <p className={styles.quiet}>
          With it{" "}
          {document.version === 1 ? "goes its text" : `go all ${formatPlural(document.version, "version")} of its text`}
          {document.citation_count > 0 && ` and ${formatPlural(document.citation_count, "citation")}`}. What it cites
          stays in the library.
        </p>
        {remove.isError && <ErrorNote error={remove.error} what="It was not deleted." />}
        <div className={styles.actions}>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="danger" isDisabled={remove.isPending} onPress={() => remove.mutate()}>
            {remove.isPending ? "Deleting…" : "Delete"}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
