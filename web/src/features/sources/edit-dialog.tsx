import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { changeSource } from "@/api/sources";
import type { Source, SourcePatch } from "@/api/types";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { ErrorNote } from "@/components/states";
import { bibliographyOf, changes, isBibliographyField } from "@/features/sources/bibliography";
import { BibliographyFields } from "@/features/sources/bibliography-fields";
import { rememberSource } from "@/features/sources/remember-source";
import { Problem } from "@/lib/problem";
import styles from "@/features/sources/forms.module.css";

export function EditDialog({ source, onClose }: { source: Source; onClose: () => void }) {
  const queries = useQueryClient();
  // As it was when the dialog opened: what a reading changes meanwhile is not taken for an edit.
  const [before] = useState(() => bibliographyOf(source));
  const [values, setValues] = useState(before);
  const save = useMutation({
    mutationFn: (patch: SourcePatch) => changeSource(source.id, patch),
    onSuccess: (changed) => {
      rememberSource(queries, changed);
      onClose();
    },
  });
  const problem = save.error ? Problem.from(save.error) : null;
  const patch = changes(before, values);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (save.isPending) return;
    if (Object.keys(patch).length === 0) onClose();
    else save.mutate(patch);
  }

  return (
    <Dialog title="Edit" onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <p className={styles.about}>What you change here stays, also when the content is read again.</p>
        <BibliographyFields values={values} onChange={setValues} problem={problem} />
        {problem && !isBibliographyField(problem.field) && <ErrorNote error={problem} what="Nothing was changed." />}
        <div className={styles.actions}>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isDisabled={!values.title.trim()}>
            {save.isPending ? "Saving…" : "Save"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
