import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { createDocument, documentKeys } from "@/api/documents";
import type { DocumentFormat } from "@/api/types";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { Field } from "@/components/field";
import { ErrorNote } from "@/components/states";
import { Choices } from "@/features/documents/choices";
import { FORMATS } from "@/features/documents/document-words";
import { StyleField } from "@/features/documents/style-field";
import styles from "@/features/documents/documents.module.css";

export function NewDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [title, setTitle] = useState("");
  const [format, setFormat] = useState<DocumentFormat>("markdown");
  const [style, setStyle] = useState("apa");
  const make = useMutation({
    mutationFn: () => createDocument({ title: title.trim(), format, style }),
    onSuccess: ({ document_id }) => {
      void queries.invalidateQueries({ queryKey: documentKeys.lists });
      onClose();
      void navigate({ to: "/documents/$documentId", params: { documentId: document_id } });
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (title.trim() && !make.isPending) make.mutate();
  }
  return (
    <Dialog title="New document" onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        {/* The dialog was opened to be filled in. */}
        {/* eslint-disable-next-line jsx-a11y/no-autofocus */}
        <Field label="Title" value={title} onChange={setTitle} isRequired autoFocus />
        <Choices label="Written in" options={FORMATS} value={format} onChange={setFormat} />
        <StyleField value={style} onChange={setStyle} />
        {make.isError && <ErrorNote error={make.error} what="The document was not made." />}
        <div className={styles.actions}>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isDisabled={!title.trim()}>
            {make.isPending ? "Making…" : "Begin"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
