import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { conversationKeys, deleteConversation, renameConversation } from "@/api/conversations";
import type { Conversation } from "@/api/types";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { Field } from "@/components/field";
import { ErrorNote } from "@/components/states";
import styles from "@/features/ask/ask.module.css";

export function titleOf({ title }: Pick<Conversation, "title">): string {
  return title?.trim() || "Without a title";
}

export function RenameDialog({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const queries = useQueryClient();
  const [title, setTitle] = useState(conversation.title ?? "");
  const rename = useMutation({
    mutationFn: () => renameConversation(conversation.id, title.trim()),
    onSuccess: (renamed) => {
      queries.setQueryData(conversationKeys.one(renamed.id), renamed);
      void queries.invalidateQueries({ queryKey: conversationKeys.list });
      onClose();
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (title.trim() && !rename.isPending) rename.mutate();
  }
  return (
    <Dialog title="Rename" onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        {/* The dialog was opened to be filled in. */}
        {/* eslint-disable-next-line jsx-a11y/no-autofocus */}
        <Field label="Title" value={title} onChange={setTitle} isRequired autoFocus />
        {rename.isError && <ErrorNote error={rename.error} what="It was not renamed." />}
        <div className={styles.formActions}>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isDisabled={!title.trim()}>
            {rename.isPending ? "Saving…" : "Save"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export function DeleteDialog({
  conversation,
  onClose,
  onDeleted,
}: {
  conversation: Conversation;
  onClose: () => void;
  onDeleted: () => void;
}) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteConversation(conversation.id),
    onSuccess: () => {
      onDeleted();
      queries.removeQueries({ queryKey: conversationKeys.one(conversation.id) });
      queries.removeQueries({ queryKey: conversationKeys.messages(conversation.id) });
      void queries.invalidateQueries({ queryKey: conversationKeys.list });
    },
  });
  return (
    <Dialog title="Delete this conversation" onClose={onClose}>
      <div className={styles.form}>
        <p className={styles.subject}>{titleOf(conversation)}</p>
        <p className={styles.quiet}>This deletes all its messages. The sources it cites stay in the library.</p>
        {remove.isError && <ErrorNote error={remove.error} what="It was not deleted." />}
        <div className={styles.formActions}>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="danger" isDisabled={remove.isPending} onPress={() => remove.mutate()}>
            {remove.isPending ? "Deleting…" : "Delete"}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
