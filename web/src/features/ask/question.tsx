import { useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { Button } from "@/components/button";
import { fitHeight, isSend } from "@/features/ask/composer";
import styles from "@/features/ask/ask.module.css";

interface Props {
  id: string;
  text: string;
  /** Asks it in other words; not while another answer is on its way. */
  onEdit?: (text: string) => void;
  children?: ReactNode;
}

/** What was asked. Asking it in other words begins a branch beside it. */
export function Question({ id, text, onEdit, children }: Props) {
  const [editing, setEditing] = useState(false);
  if (editing && onEdit) {
    return (
      <EditQuestion
        text={text}
        onCancel={() => setEditing(false)}
        onSave={(next) => {
          setEditing(false);
          if (next !== text) onEdit(next);
        }}
      />
    );
  }
  return (
    <div className={styles.question} data-message={id}>
      <h2>{text}</h2>
      <div className={styles.questionActions}>
        {children}
        {onEdit && (
          <Button look="quiet" aria-label="Edit question" onPress={() => setEditing(true)}>
            Edit
          </Button>
        )}
      </div>
    </div>
  );
}

function EditQuestion({
  text,
  onSave,
  onCancel,
}: {
  text: string;
  onSave: (text: string) => void;
  onCancel: () => void;
}) {
  const [draft, setDraft] = useState(text);
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    fitHeight(box.current);
  }, [draft]);
  useLayoutEffect(() => {
    box.current?.focus();
    box.current?.select();
  }, []);
  const save = () => draft.trim() && onSave(draft.trim());
  return (
    <div className={styles.editing}>
      <textarea
        ref={box}
        aria-label="Question"
        maxLength={20_000}
        rows={1}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onCancel();
          else if (isSend(event)) save();
          else return;
          event.preventDefault();
        }}
      />
      <div className={styles.formActions}>
        <Button onPress={onCancel}>Cancel</Button>
        <Button look="primary" isDisabled={!draft.trim()} onPress={save}>
          Ask
        </Button>
      </div>
    </div>
  );
}
