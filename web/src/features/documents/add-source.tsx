import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { addDocumentSource } from "@/api/documents";
import { findSources, titleKeys } from "@/api/titles";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { Field } from "@/components/field";
import { SearchField } from "@/components/search-field";
import { ErrorNote } from "@/components/states";
import { useDesk } from "@/features/documents/desk";
import { asSentence } from "@/lib/format";
import { Problem } from "@/lib/problem";
import forms from "@/features/documents/documents.module.css";
import styles from "@/features/documents/side.module.css";

const MOST = 8;

/** A source for the document: one of the library, an address, or one that is typed in. */
export function AddSourceDialog({ onByHand, onClose }: { onByHand: () => void; onClose: () => void }) {
  const { id, sources, alter } = useDesk();
  const [words, setWords] = useState("");
  const [url, setUrl] = useState("");
  const found = useQuery({
    queryKey: titleKeys.sources(words),
    queryFn: ({ signal }) => findSources(words, signal),
    placeholderData: keepPreviousData,
  });
  const add = useMutation({
    mutationFn: (body: { source_id: string } | { url: string }) => alter(() => addDocumentSource(id, body)),
  });
  const byUrl = add.variables && "url" in add.variables;
  const problem = add.error && byUrl ? Problem.from(add.error) : null;

  function submit(event: FormEvent) {
    event.preventDefault();
    const address = url.trim();
    if (!address || add.isPending) return;
    add.mutate({ url: /^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `https://${address}` }, { onSuccess: onClose });
  }

  return (
    <Dialog title="Add a source" onClose={onClose}>
      <div className={forms.form}>
        <SearchField label="Search the library" words="" onSearch={setWords} />
        <ul className={styles.found} aria-label="Sources of the library">
          {found.data?.slice(0, MOST).map((source) => {
            const has = sources?.some(({ source_id }) => source_id === source.id);
            return (
              <li key={source.id}>
                <span>{source.title}</span>
                <Button
                  look="quiet"
                  aria-label={has ? `${source.title} is added` : `Add ${source.title}`}
                  isDisabled={has || add.isPending}
                  onPress={() => add.mutate({ source_id: source.id })}
                >
                  {has ? "Added" : "Add"}
                </Button>
              </li>
            );
          })}
        </ul>
        {found.data?.length === 0 && (
          <p className={forms.quiet}>{words ? "No source has these words." : "The library is empty."}</p>
        )}
        {found.isError && (
          <ErrorNote
            error={found.error}
            what="The library could not be searched."
            onRetry={() => void found.refetch()}
          />
        )}
        {add.isError && !byUrl && <ErrorNote error={add.error} what="The source was not added." />}
        <form className={styles.oneLine} onSubmit={submit}>
          <Field
            label="Or an address"
            inputMode="url"
            value={url}
            onChange={(value) => {
              setUrl(value);
              add.reset();
            }}
            note="A page or a file on the web."
            error={problem && asSentence(problem.message)}
          />
          <Button type="submit" isDisabled={!url.trim() || add.isPending}>
            {add.isPending && byUrl ? "Adding…" : "Add"}
          </Button>
        </form>
        <div className={forms.actions}>
          <Button look="quiet" onPress={onByHand}>
            Type one in
          </Button>
          <Button look="primary" onPress={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
