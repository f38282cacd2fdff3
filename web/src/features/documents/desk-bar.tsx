import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "@/components/button";
import { useDesk, useSaveState } from "@/features/documents/desk";
import { stateWords, styleName } from "@/features/documents/document-words";
import type { DocumentSearch } from "@/features/documents/documents-search";
import { Downloads } from "@/features/documents/downloads";
import { SetupDialog } from "@/features/documents/setup-dialog";
import { StyleDialog } from "@/features/documents/style-dialog";
import { useStyles } from "@/features/documents/style-field";
import styles from "@/features/documents/desk.module.css";

interface Props {
  onCite: () => void;
  search: DocumentSearch;
  show: (changed: Partial<DocumentSearch>) => void;
  wide: boolean;
}

/** Above the text: what it is called, whether it is saved, and what can be done with it. */
export function DeskBar({ onCite, search, show, wide }: Props) {
  const { document } = useDesk();
  const known = useStyles();
  const [open, setOpen] = useState<"style" | "setup" | null>(null);
  const isHistory = search.panel === "history" && (wide || search.view === "sources");
  return (
    <header className={styles.bar}>
      <div className={styles.name}>
        <Link to="/documents" className={styles.up}>
          Documents
        </Link>
        <h1>
          <button type="button" className={styles.title} title="Rename" onClick={() => setOpen("setup")}>
            {document.title}
          </button>
        </h1>
        <SaveLine />
      </div>
      <div className={styles.tools} role="group" aria-label="Document">
        <Button onPress={onCite} aria-keyshortcuts="Control+Shift+C Meta+Shift+C">
          Cite
        </Button>
        <Button
          look="quiet"
          onPress={() => setOpen("style")}
          aria-label={`Style: ${styleName(known.data?.items, document.style)}`}
        >
          <span className={styles.style}>{styleName(known.data?.items, document.style)}</span>
        </Button>
        <Button look="quiet" onPress={() => setOpen("setup")}>
          Set up
        </Button>
        <Button
          look="quiet"
          aria-pressed={isHistory}
          onPress={() =>
            show(
              isHistory
                ? { panel: undefined, version: undefined, against: undefined }
                : { panel: "history", view: "sources" },
            )
          }
        >
          History
        </Button>
        {wide && search.panel === "hidden" && (
          <Button look="quiet" data-panel="show" onPress={() => show({ panel: undefined })}>
            Sources
          </Button>
        )}
        <Downloads />
      </div>
      {open === "style" && <StyleDialog onClose={() => setOpen(null)} />}
      {open === "setup" && <SetupDialog onClose={() => setOpen(null)} />}
    </header>
  );
}

function SaveLine() {
  const desk = useDesk();
  const state = useSaveState(desk);
  return (
    <p className={styles.state} data-state={state.kind}>
      <span role="status">{stateWords(state)}</span>
      {state.kind === "failed" && (
        <button type="button" className={styles.retry} onClick={() => void desk.saver.flush().catch(() => undefined)}>
          Retry
        </button>
      )}
    </p>
  );
}
