import { useMutation } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { WrittenDocument } from "@/api/documents-types";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/copy-button";
import { Dialog } from "@/components/dialog";
import { ErrorNote } from "@/components/states";
import { Time } from "@/components/time";
import { useDesk } from "@/features/documents/desk";
import { DiffText } from "@/features/documents/diff-text";
import { sideOf, textDiff } from "@/features/documents/text-diff";
import styles from "@/features/documents/diff.module.css";

/** Two have written at once: both texts side by side, and a choice that loses neither without being asked. */
export function ConflictDialog({ current, onClose }: { current: WrittenDocument; onClose: () => void }) {
  const { saver, editor } = useDesk();
  const [mine] = useState(saver.text);
  const parts = useMemo(() => textDiff(current.text, mine), [current.text, mine]);
  const keep = useMutation({ mutationFn: () => saver.keepMine() });

  function takeTheirs() {
    saver.adopt(current);
    editor.current?.replaceText(current.text);
  }

  return (
    <Dialog wide title="Changed elsewhere" onClose={onClose}>
      <div className={styles.wide}>
        <p className={styles.quiet}>
          Version {current.version} was saved elsewhere <Time iso={current.updated_at} />, while you were writing.
          Nothing of yours is lost: it is kept in this browser until you choose.
        </p>
        <div className={styles.sides}>
          <section>
            <h3>Theirs: version {current.version}</h3>
            {/* A region that scrolls has to be reachable by keyboard. */}
            {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
            <div className={styles.side} tabIndex={0} role="group" aria-label="Their text">
              <DiffText side label="Theirs" parts={sideOf(parts, "removed")} />
            </div>
          </section>
          <section>
            <h3>Yours: not saved</h3>
            {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
            <div className={styles.side} tabIndex={0} role="group" aria-label="Your text">
              <DiffText side label="Yours" parts={sideOf(parts, "added")} />
            </div>
          </section>
        </div>
        {keep.isError && <ErrorNote error={keep.error} what="Yours was not saved." />}
        <div className={styles.choices}>
          <CopyButton text={() => saver.text} label="Copy mine" />
          <Button onPress={takeTheirs}>Take theirs</Button>
          <Button look="primary" isDisabled={keep.isPending} onPress={() => keep.mutate()}>
            Keep mine
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
