import { Field } from "@/components/field";
import { isBibliographyField, type Bibliography, type BibliographyField } from "@/features/sources/bibliography";
import { fieldMessage } from "@/features/sources/source-words";
import type { Problem } from "@/lib/problem";
import styles from "@/features/sources/forms.module.css";

interface Props {
  values: Bibliography;
  onChange: (values: Bibliography) => void;
  problem: Problem | null;
}

const HALVES: [BibliographyField, string, string?][] = [
  ["publication_date", "Date", "2024-05-01, 2024-05 or 2024"],
  ["publisher", "Publisher"],
  ["doi", "DOI"],
  ["isbn", "ISBN"],
];

/** What a bibliography says of a source, to be filled in. A problem with a field is told at the field. */
export function BibliographyFields({ values, onChange, problem }: Props) {
  const faulty = isBibliographyField(problem?.field ?? null) ? problem : null;
  const field = (name: BibliographyField, label: string, note?: string) => ({
    label,
    note,
    value: values[name],
    onChange: (value: string) => onChange({ ...values, [name]: value }),
    error: faulty?.field === name ? fieldMessage(faulty) : null,
  });
  return (
    <>
      {/* The dialog was opened to be filled in, so its first field has the focus. */}
      {/* eslint-disable-next-line jsx-a11y/no-autofocus */}
      <Field {...field("title", "Title")} isRequired autoFocus />
      <Field {...field("author", "Author", "Several names are parted by a semicolon.")} />
      <Field {...field("container", "Appeared in", "The journal, book, series or site.")} />
      <div className={styles.halves}>
        {HALVES.map(([name, label, note]) => (
          <Field key={name} {...field(name, label, note)} />
        ))}
      </div>
    </>
  );
}
