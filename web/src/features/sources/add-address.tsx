import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { createSource } from "@/api/sources";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { Field } from "@/components/field";
import { ErrorNote } from "@/components/states";
import { fieldMessage } from "@/features/sources/source-words";
import { rememberSource } from "@/features/sources/remember-source";
import { Problem } from "@/lib/problem";
import styles from "@/features/sources/forms.module.css";

export function AddressDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Add an address" onClose={onClose}>
      <AddressForm onAdded={onClose} focus />
    </Dialog>
  );
}

/** Takes the address of a page or a file on the web, which the server then fetches. */
export function AddressForm({ onAdded, focus = false }: { onAdded: () => void; focus?: boolean }) {
  const queries = useQueryClient();
  const [url, setUrl] = useState("");
  const add = useMutation({
    mutationFn: createSource,
    onSuccess: ({ isNew, source }) => {
      rememberSource(queries, source);
      if (!isNew) return;
      setUrl("");
      onAdded();
    },
  });
  const problem = add.error ? Problem.from(add.error) : null;
  const known = add.data && !add.data.isNew ? add.data.source : null;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!add.isPending) add.mutate({ url: withScheme(url.trim()) });
  }

  return (
    <form className={styles.form} onSubmit={submit}>
      <div className={styles.oneLine}>
        <Field
          label="Address"
          // Not the type `url`: what a browser takes for one is not what people paste, and the server says what is wrong.
          inputMode="url"
          value={url}
          onChange={(value) => {
            setUrl(value);
            add.reset();
          }}
          isRequired
          // eslint-disable-next-line jsx-a11y/no-autofocus
          autoFocus={focus}
          note="A page or a file on the web, such as https://example.org/report.pdf"
          error={problem?.field === "url" ? [fieldMessage(problem), problem.hint].filter(Boolean).join(" ") : null}
        />
        <Button look={focus ? "primary" : "plain"} type="submit" isDisabled={!url.trim()}>
          {add.isPending ? "Adding…" : "Add"}
        </Button>
      </div>
      {known && (
        <p className={styles.about} role="status">
          This is here already:{" "}
          <Link to="/sources/$sourceId" params={{ sourceId: known.id }}>
            {known.title}
          </Link>
        </p>
      )}
      {problem && problem.field !== "url" && <ErrorNote error={problem} what="The address was not added." />}
    </form>
  );
}

/** People leave out what every address begins with. */
function withScheme(url: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(url) || !url.includes(".") ? url : `https://${url}`;
}
