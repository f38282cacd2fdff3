import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { changeCitation, removeCitation } from "@/api/documents";
import type { DocumentCitation } from "@/api/documents-types";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { Field } from "@/components/field";
import { Select } from "@/components/select";
import { ErrorNote } from "@/components/states";
import { useDesk } from "@/features/documents/desk";
import styles from "@/features/documents/documents.module.css";

/** Which place of which source is cited, and what is said around it. */
export function EditCitationDialog({ citation, onClose }: { citation: DocumentCitation; onClose: () => void }) {
  const { id, sources, alter } = useDesk();
  const [locator, setLocator] = useState(citation.locator ?? "");
  const [prefix, setPrefix] = useState(citation.prefix ?? "");
  const [suffix, setSuffix] = useState(citation.suffix ?? "");
  const [source, setSource] = useState(citation.source_id ?? "");
  const save = useMutation({
    mutationFn: () =>
      alter(() =>
        changeCitation(id, citation.citation_number, {
          locator: locator.trim() || null,
          prefix: prefix.trim() || null,
          suffix: suffix.trim() || null,
          ...(source && source !== citation.source_id && { source_id: source }),
        }),
      ),
    onSuccess: onClose,
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!save.isPending) save.mutate();
  }
  const options: [string, string][] = (sources ?? []).map((one) => [one.source_id, one.title]);
  if (!sources?.some(({ source_id }) => source_id === source)) options.unshift([source, citation.title]);
  return (
    <Dialog title={`Citation ${citation.citation_number}`} onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <Select label="Source" value={source} options={options} onChange={setSource} />
        <Field
          label="Place"
          note="The page or pages, such as 3 or 12–14; a chapter, such as ch. 2."
          value={locator}
          onChange={setLocator}
          // eslint-disable-next-line jsx-a11y/no-autofocus -- the dialog was opened to be filled in
          autoFocus
        />
        <div className={styles.halves}>
          <Field label="Said before" note="“see also”" value={prefix} onChange={setPrefix} />
          <Field label="Said after" note="“emphasis added”" value={suffix} onChange={setSuffix} />
        </div>
        {save.isError && <ErrorNote error={save.error} what="The citation was not changed." />}
        <div className={styles.actions}>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit">
            {save.isPending ? "Saving…" : "Save"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export function RemoveCitationDialog({ citation, onClose }: { citation: DocumentCitation; onClose: () => void }) {
  const { id, alter } = useDesk();
  const remove = useMutation({
    mutationFn: () => alter(() => removeCitation(id, citation.citation_number)),
    onSuccess: onClose,
  });
  return (
    <Dialog title={`Remove citation ${citation.citation_number}`} onClose={onClose}>
      <div className={styles.form}>
        <p className={styles.subject}>{citation.title}</p>
        <p className={styles.quiet}>
          Its number is taken out of the text, and the sentence loses this support. The source stays.
        </p>
        {remove.isError && <ErrorNote error={remove.error} what="It was not removed." />}
        <div className={styles.actions}>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="danger" isDisabled={remove.isPending} onPress={() => remove.mutate()}>
            {remove.isPending ? "Removing…" : "Remove"}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
