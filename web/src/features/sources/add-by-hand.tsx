import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { createSource } from "@/api/sources";
import type { Source } from "@/api/types";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { ErrorNote } from "@/components/states";
import { EMPTY, filledIn, isBibliographyField } from "@/features/sources/bibliography";
import { BibliographyFields } from "@/features/sources/bibliography-fields";
import { rememberSource } from "@/features/sources/remember-source";
import { Problem } from "@/lib/problem";
import styles from "@/features/sources/forms.module.css";

/** A source of which there is nothing but what is said of it, such as a book on a shelf. */
export function ByHandDialog({ onClose, onAdded }: { onClose: () => void; onAdded?: (source: Source) => void }) {
  const queries = useQueryClient();
  const [values, setValues] = useState(EMPTY);
  const add = useMutation({
    mutationFn: createSource,
    onSuccess: ({ source }) => {
      rememberSource(queries, source);
      onAdded?.(source);
      onClose();
    },
  });
  const problem = add.error ? Problem.from(add.error) : null;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!add.isPending && values.title.trim()) add.mutate(filledIn(values));
  }

  return (
    <Dialog title="Add by hand" onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <p className={styles.about}>For what is not a file or a page: a book on the shelf, a talk, a letter.</p>
        <BibliographyFields values={values} onChange={setValues} problem={problem} />
        {problem && !isBibliographyField(problem.field) && (
          <ErrorNote error={problem} what="The source was not added." />
        )}
        <div className={styles.actions}>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isDisabled={!values.title.trim()}>
            {add.isPending ? "Adding…" : "Add source"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
