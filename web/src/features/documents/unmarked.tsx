import { useState } from "react";
import type { DocumentCitation } from "@/api/documents-types";
import { Button } from "@/components/button";
import { RemoveCitationDialog } from "@/features/documents/citation-dialogs";
import { useDesk } from "@/features/documents/desk";
import { markerOf } from "@/features/documents/markers";
import styles from "@/features/documents/side.module.css";

/** Citations whose number stands nowhere in the text: set at a place without one, or taken out by hand. */
export function Unmarked() {
  const { citations, document, editor } = useDesk();
  const [removing, setRemoving] = useState<DocumentCitation | null>(null);
  const items = citations?.items.filter(({ is_marked }) => !is_marked) ?? [];
  if (items.length === 0) return null;
  return (
    <section className={styles.unmarked} aria-label="Citations without a number in the text">
      <h3>Not in the text</h3>
      <ul>
        {items.map((citation) => (
          <li key={citation.citation_number} className={styles.source}>
            <p>
              <span className={styles.number}>{citation.citation_number}</span>
              {citation.title}
            </p>
            <p className={styles.dim}>
              {citation.is_attached ? "Set at its place, without a number" : "Its number was taken out"}
            </p>
            <div className={styles.actions}>
              <Button
                look="quiet"
                aria-label={`Insert citation ${citation.citation_number} at the cursor`}
                onPress={() => editor.current?.insert(markerOf(citation.citation_number, document.format))}
              >
                Insert
              </Button>
              <Button
                look="quiet"
                aria-label={`Remove citation ${citation.citation_number}`}
                onPress={() => setRemoving(citation)}
              >
                Remove
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {removing && <RemoveCitationDialog citation={removing} onClose={() => setRemoving(null)} />}
    </section>
  );
}
