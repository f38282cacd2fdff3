import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useState, useSyncExternalStore } from "react";
import { beginConversation, conversationKeys } from "@/api/conversations";
import { Page } from "@/components/page";
import { ErrorNote } from "@/components/states";
import { Answering } from "@/features/ask/answering";
import { Composer } from "@/features/ask/composer";
import { Start, type Ways } from "@/features/ask/start";
import { Thread } from "@/features/ask/thread";
import styles from "@/features/ask/ask.module.css";

/** Where the library is asked: the start, and each conversation. One page, so that a question can open its thread. */
export function AskPage(ways: Ways) {
  const { conversation } = useParams({ strict: false });
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [answering] = useState(
    () =>
      new Answering(({ conversation: ended }) => {
        void queries.invalidateQueries({ queryKey: conversationKeys.messages(ended) });
        void queries.invalidateQueries({ queryKey: conversationKeys.one(ended) });
        void queries.invalidateQueries({ queryKey: conversationKeys.list });
      }),
  );
  const lives = useSyncExternalStore(answering.subscribe, answering.current);
  useEffect(() => () => answering.leave(), [answering]);

  const begin = useMutation({
    mutationFn: async (question: string) => ({ question, conversation: await beginConversation() }),
    onSuccess: async ({ question, conversation: begun }) => {
      queries.setQueryData(conversationKeys.messages(begun.id), []);
      queries.setQueryData(conversationKeys.one(begun.id), { ...begun, title: question });
      answering.ask(begun.id, question);
      await navigate({ to: "/ask/$conversation", params: { conversation: begun.id } });
    },
  });

  if (conversation) {
    return <Thread key={conversation} id={conversation} live={lives.get(conversation) ?? null} answering={answering} />;
  }
  return (
    <Page foot={<Composer label="Ask your library…" onAsk={(question) => begin.mutate(question)} focus />}>
      <div className={styles.thread}>
        <div className={styles.start}>
          <Start {...ways} onAsk={(question) => begin.mutate(question)} />
        </div>
        {begin.isError && (
          <ErrorNote
            error={begin.error}
            what="The question was not asked."
            onRetry={() => begin.mutate(begin.variables)}
          />
        )}
      </div>
    </Page>
  );
}
