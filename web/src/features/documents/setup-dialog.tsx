import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { Field } from "@/components/field";
import { Select } from "@/components/select";
import { ErrorNote } from "@/components/states";
import { Choices } from "@/features/documents/choices";
import { useDesk } from "@/features/documents/desk";
import { CITE_AS, MISSING, namesOf, TEMPLATES } from "@/features/documents/document-words";
import { useStyles } from "@/features/documents/style-field";
import styles from "@/features/documents/documents.module.css";

const languages = new Intl.DisplayNames(["en"], { type: "language" });

/** What a document is called, by whom, and how it is set; everything but its style. */
export function SetupDialog({ onClose }: { onClose: () => void }) {
  const { document, change } = useDesk();
  const known = useStyles();
  const [title, setTitle] = useState(document.title);
  const [authors, setAuthors] = useState(document.authors.join("; "));
  const [date, setDate] = useState(document.date ?? "");
  const [locale, setLocale] = useState(document.locale);
  const [template, setTemplate] = useState(document.template);
  const [citeAs, setCiteAs] = useState(document.cite_as);
  const [missing, setMissing] = useState(document.missing);
  const save = useMutation({
    mutationFn: () =>
      change({
        title: title.trim(),
        authors: namesOf(authors),
        date: date.trim() || null,
        locale,
        template,
        cite_as: citeAs,
        missing,
      }),
    onSuccess: onClose,
  });
  const locales = (known.data?.locales ?? []).map(({ tag }) => [tag, languages.of(tag) ?? tag] as const);
  function submit(event: FormEvent) {
    event.preventDefault();
    if (title.trim() && !save.isPending) save.mutate();
  }
  return (
    <Dialog title="Set up" onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <Field label="Title" value={title} onChange={setTitle} isRequired />
        <div className={styles.halves}>
          <Field
            label="Authors"
            note="Several names are parted by a semicolon."
            value={authors}
            onChange={setAuthors}
          />
          <Field label="Date" note="As it is to be printed." value={date} onChange={setDate} />
        </div>
        <div className={styles.halves}>
          <Select
            label="Template"
            value={template}
            options={TEMPLATES}
            onChange={(value) => setTemplate(TEMPLATES.find(([one]) => one === value)?.[0] ?? template)}
          />
          <Select
            label="Language"
            value={locale}
            options={locales.some(([tag]) => tag === locale) ? locales : [[locale, locale], ...locales]}
            onChange={setLocale}
          />
        </div>
        <Choices label="Citations stand" options={CITE_AS} value={citeAs} onChange={setCiteAs} />
        <Choices
          label="Details of a source that are not known"
          options={MISSING}
          value={missing}
          onChange={setMissing}
        />
        {save.isError && <ErrorNote error={save.error} what="Nothing was changed." />}
        <div className={styles.actions}>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isDisabled={!title.trim()}>
            {save.isPending ? "Saving…" : "Save"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
