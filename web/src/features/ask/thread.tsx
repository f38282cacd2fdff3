import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { conversationKeys, getConversation, listMessages } from "@/api/conversations";
import type { Citation, Conversation } from "@/api/types";
import { Button } from "@/components/button";
import { EvidencePanel } from "@/components/evidence/evidence-panel";
import { Page } from "@/components/page";
import { ErrorNote, Skeleton } from "@/components/states";
import { tabClass } from "@/components/tabs";
import type { Answering } from "@/features/ask/answering";
import type { AskSearch } from "@/features/ask/ask-search";
import { branchOf } from "@/features/ask/branches";
import { Composer } from "@/features/ask/composer";
import { DeleteDialog, RenameDialog, titleOf } from "@/features/ask/conversation-dialogs";
import { unanswered, withLive, type Live, type Shown } from "@/features/ask/live";
import { Turns } from "@/features/ask/turns";
import { useReadingPlace } from "@/features/ask/use-reading-place";
import { usePageTitle } from "@/lib/page-title";
import { useMedia } from "@/lib/use-media";
import styles from "@/features/ask/ask.module.css";

const LOOK_MS = 2000;
const NOTHING: Citation[] = [];
/** From here on the evidence has room beside the text. */
const WIDE = "(min-width: 1120px)";

interface Props {
  id: string;
  live: Live | null;
  answering: Answering;
}

/** One conversation: the branch that is shown, the evidence of one of its answers, and a place to ask on. */
export function Thread({ id, live, answering }: Props) {
  const search: AskSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const wide = useMedia(WIDE);
  const [asked, setAsked] = useState(0);
  const messages = useQuery({
    queryKey: conversationKeys.messages(id),
    queryFn: ({ signal }) => listMessages(id, signal),
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ has_async_entities_in_progress: busy }) => busy) ? LOOK_MS : false,
  });
  const conversation = useQuery({
    queryKey: conversationKeys.one(id),
    queryFn: ({ signal }) => getConversation(id, signal),
  });
  usePageTitle(conversation.data ? titleOf(conversation.data) : "Ask");

  const shown = useMemo(() => withLive(messages.data ?? [], live), [messages.data, live]);
  const turns = useMemo(() => branchOf(shown, search.at ?? null), [shown, search.at]);
  const going = live?.state === "going";
  const thread = useRef<HTMLDivElement>(null);
  useReadingPlace(thread, turns.length > 0, search.at ?? search.of ?? null);

  useEffect(() => {
    // An answer that was on its way when this page was left, or is being written elsewhere.
    const waiting = messages.data && unanswered(messages.data);
    if (waiting && live?.runId !== waiting.runId) answering.resume(id, waiting.runId, waiting.question);
  }, [messages.data, live?.runId, answering, id]);

  useEffect(() => {
    // The question goes to the top once, and the answer grows below it without moving anything.
    if (asked > 0) document.querySelector("[data-turn=last]")?.scrollIntoView({ block: "start" });
  }, [asked]);

  const change = (next: Partial<AskSearch>) =>
    void navigate({
      to: "/ask/$conversation",
      params: { conversation: id },
      search: (previous: AskSearch) => ({ ...previous, ...next }),
      replace: true,
      resetScroll: false,
    });

  function ask(question: string, parent: string | null | undefined) {
    if (going) return;
    answering.ask(id, question, parent);
    change({ at: undefined, of: undefined });
    setAsked((count) => count + 1);
  }
  /** What a new question follows: the last message of the shown branch that is kept. */
  const last = turns.findLast(({ message }) => message.kept !== null)?.message.id;

  const answers = turns.flatMap(({ message }) => (message.role === "assistant" && message.kept ? [message] : []));
  const selected = answers.find((answer) => answer.id === search.of) ?? answers.at(-1) ?? null;
  const open = search.evidence ? search.evidence === "shown" : wide;

  return (
    <Page
      foot={
        <Composer
          label={turns.length > 0 ? "Ask on…" : "Ask your library…"}
          onAsk={(question) => ask(question, last)}
          onStop={going ? () => void answering.stop(id).catch(() => undefined) : undefined}
        />
      }
      panel={
        open && (
          <Evidence
            id={id}
            search={search}
            answer={selected}
            onClose={() => change({ evidence: wide ? "hidden" : undefined })}
          />
        )
      }
    >
      <div className={styles.thread} ref={thread}>
        <Head
          conversation={conversation.data ?? null}
          onShow={open ? undefined : () => change({ evidence: wide ? undefined : "shown" })}
        />
        {messages.data === undefined && messages.isPending && <Skeleton label="Loading the conversation" rows={3} />}
        {messages.data === undefined && messages.isError && (
          <ErrorNote
            error={messages.error}
            what="The conversation could not be opened."
            onRetry={() => void messages.refetch()}
          />
        )}
        <Turns
          turns={turns}
          selected={open ? (selected?.id ?? null) : null}
          roomy={asked > 0}
          onSwitch={(at) => change({ at, of: undefined })}
          onEvidence={(of) => change({ of, part: undefined, evidence: wide ? undefined : "shown" })}
          onEdit={going ? undefined : ({ parent_message_id: parent }, text) => ask(text, parent ?? null)}
          onAgain={going ? undefined : (question, answer) => again(question, answer)}
        />
      </div>
    </Page>
  );

  /** Follows an answer that was cut off once more, or asks its question again. */
  function again(question: Shown | null, answer: Shown) {
    const { live: cut } = answer;
    if (cut?.runId && cut.questionId) {
      answering.resume(id, cut.runId, { id: cut.questionId, content: cut.question, parent_message_id: cut.parent });
    } else if (cut) {
      ask(cut.question, cut.parent);
    } else if (question) {
      ask(question.content, question.parent_message_id ?? null);
    }
  }
}

function Head({ conversation, onShow }: { conversation: Conversation | null; onShow?: () => void }) {
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<"rename" | "delete" | null>(null);
  return (
    <header className={styles.head}>
      <nav aria-label="Where this is">
        <Link to="/ask" activeOptions={{ exact: true }}>
          Ask
        </Link>
      </nav>
      <h1>{conversation ? titleOf(conversation) : ""}</h1>
      <div className={styles.headActions}>
        {conversation && (
          <>
            <Button look="quiet" onPress={() => setDialog("rename")}>
              Rename
            </Button>
            <Button look="quiet" onPress={() => setDialog("delete")}>
              Delete
            </Button>
          </>
        )}
        {onShow && (
          <Button look="quiet" data-panel="show" onPress={onShow}>
            Evidence
          </Button>
        )}
      </div>
      {dialog === "rename" && conversation && (
        <RenameDialog conversation={conversation} onClose={() => setDialog(null)} />
      )}
      {dialog === "delete" && conversation && (
        <DeleteDialog
          conversation={conversation}
          onClose={() => setDialog(null)}
          onDeleted={() => void navigate({ to: "/ask" })}
        />
      )}
    </header>
  );
}

function Evidence({
  id,
  search,
  answer,
  onClose,
}: {
  id: string;
  search: AskSearch;
  answer: Shown | null;
  onClose: () => void;
}) {
  const part = search.part ?? null;
  return (
    <EvidencePanel
      citations={answer?.kept?.citations ?? NOTHING}
      empty={answer ? "This answer cites nothing." : "What an answer rests on is shown here."}
      tab={part}
      onClose={onClose}
      link={(tab, children) => (
        <Link
          key={tab ?? "all"}
          to="/ask/$conversation"
          params={{ conversation: id }}
          search={{ ...search, part: tab ?? undefined }}
          replace
          resetScroll={false}
          className={tabClass}
          activeOptions={{ exact: true, includeSearch: true }}
          aria-current={part === tab ? "page" : undefined}
        >
          {children}
        </Link>
      )}
    />
  );
}
