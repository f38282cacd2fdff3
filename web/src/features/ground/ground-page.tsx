import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useState } from "react";
import { groundDraft } from "@/api/ground";
import type { GroundAnswer } from "@/api/types";
import { Button } from "@/components/button";
import { Page, PageHead } from "@/components/page";
import { Empty, ErrorNote, Skeleton } from "@/components/states";
import { GroundedDraft } from "@/features/ground/grounded-draft";
import { usePageTitle } from "@/lib/page-title";
import styles from "@/features/ground/ground.module.css";

const KEPT = "ibid.draft";
const LAST = ["ground", "last"];

interface Grounded {
  draft: string;
  answer: GroundAnswer;
}

/** A draft in, every claim of it bound to the words of the library that say it, or listed as said by none. */
export function GroundPage() {
  usePageTitle("Check a draft");
  const id = useId();
  const [draft, setDraft] = useState(keptDraft);
  // What was found stays while it is looked for again, so that nothing on the page moves.
  const queries = useQueryClient();
  const [grounded, setGrounded] = useState(() => queries.getQueryData<Grounded>(LAST) ?? null);
  const ground = useMutation({
    mutationFn: (text: string) => groundDraft(text),
    onSuccess: (answer, text) => {
      setGrounded({ draft: text, answer });
      // For the way back from a source.
      queries.setQueryData<Grounded>(LAST, { draft: text, answer });
    },
  });
  useEffect(() => keepDraft(draft), [draft]);

  function start() {
    if (draft.trim() && !ground.isPending) ground.mutate(draft);
  }
  const changed = grounded !== null && grounded.draft !== draft;

  return (
    <Page>
      <PageHead title="Check a draft" />
      <div className={styles.write}>
        <label htmlFor={id} className={styles.label}>
          Your text, plain or in Markdown
        </label>
        <textarea
          id={id}
          className={styles.draft}
          rows={10}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            start();
          }}
        />
        <div className={styles.actions}>
          <Button look="primary" onPress={start} isDisabled={!draft.trim() || ground.isPending}>
            {ground.isPending ? "Looking…" : grounded ? "Ground again" : "Find the evidence"}
          </Button>
          <span className={styles.hint} role="status">
            {ground.isPending
              ? "Looking for the words behind each claim"
              : changed
                ? "The text has changed since this was found."
                : "Ctrl+Enter does the same."}
          </span>
        </div>
      </div>
      {ground.isError && <ErrorNote error={ground.error} what="The draft could not be grounded." onRetry={start} />}
      {grounded && <GroundedDraft draft={grounded.draft} answer={grounded.answer} />}
      {!grounded && ground.isPending && <Skeleton label="Looking for the evidence" rows={4} />}
      {!grounded && !ground.isPending && !ground.isError && (
        <Empty title="What in it can be shown?">
          <p>
            Paste any text: an essay, a report, an answer of a chat program. Each statement in it is looked up in your
            sources, and bound to the exact words that support it; what nothing supports is listed.
          </p>
        </Empty>
      )}
    </Page>
  );
}

/** The draft is too long for the address, so it is kept by the browser until its tab is closed. */
function keptDraft(): string {
  try {
    return sessionStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

function keepDraft(draft: string): void {
  try {
    sessionStorage.setItem(KEPT, draft);
  } catch {
    // Without storage, or beyond its limit, the draft lives as long as the page.
  }
}
