import { useMutation } from "@tanstack/react-query";
import { removeDocumentSource } from "@/api/documents";
import type { DocumentSource } from "@/api/documents-types";
import type { CitationTreatment } from "@/api/types";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { ErrorNote } from "@/components/states";
import { useDesk } from "@/features/documents/desk";
import { plainSentence } from "@/features/documents/document-words";
import { findMarkers } from "@/features/documents/markers";
import { sentenceAround } from "@/features/documents/sentences";
import { formatPlural } from "@/lib/format";
import { Problem } from "@/lib/problem";
import forms from "@/features/documents/documents.module.css";
import styles from "@/features/documents/side.module.css";

/** Takes a source out of the document. Where it is cited, that says first what loses its support. */
export function RemoveSourceDialog({ source, onClose }: { source: DocumentSource; onClose: () => void }) {
  const { id, alter, citations, saver, document } = useDesk();
  const remove = useMutation({
    mutationFn: (what: CitationTreatment | undefined) => alter(() => removeDocumentSource(id, source.source_id, what)),
    onSuccess: onClose,
  });
  const cited =
    Boolean(remove.error && Problem.from(remove.error).code === "source_is_cited") || source.citation_count > 0;
  const numbers = new Set(
    citations?.items
      .filter(({ source_id }) => source_id === source.source_id)
      .map(({ citation_number }) => citation_number),
  );
  const losses = findMarkers(saver.text, document.format)
    .filter(({ number }) => numbers.has(number))
    .map(({ number, from }) => ({ number, words: plainSentence(sentenceAround(saver.text, from)) }));
  const failed = remove.error && Problem.from(remove.error).code !== "source_is_cited" ? remove.error : null;
  return (
    <Dialog title="Remove from this document" onClose={onClose}>
      <div className={forms.form}>
        <p className={forms.subject}>{source.title}</p>
        {cited ? (
          <section aria-label="What loses its support" className={styles.losses}>
            <p>
              {formatPlural(Math.max(losses.length, 1), "sentence")} would lose this support, and{" "}
              {numbers.size === 1 ? "its citation is" : `${formatPlural(numbers.size, "citation")} are`} taken out of
              the text.
            </p>
            <ul>
              {losses.map(({ number, words }, index) => (
                <li key={index}>
                  <span className={styles.number}>{number}</span>
                  {words}
                </li>
              ))}
            </ul>
          </section>
        ) : (
          <p className={forms.quiet}>It is not cited here. It stays in the library.</p>
        )}
        {failed && <ErrorNote error={failed} what="It was not removed." />}
        <div className={forms.actions}>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            look="danger"
            isDisabled={remove.isPending}
            onPress={() => remove.mutate(cited ? "remove" : undefined)}
          >
            {remove.isPending ? "Removing…" : cited ? "Remove with its citations" : "Remove"}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
