import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useState, type ComponentType } from "react";
import { conversationKeys, listConversations } from "@/api/conversations";
import { countSources, sourceKeys } from "@/api/sources";
import type { Conversation } from "@/api/types";
import { Button } from "@/components/button";
import { PageHead } from "@/components/page";
import { Empty, ErrorNote, More, Skeleton } from "@/components/states";
import { Cell, Row, rowLink, Table } from "@/components/table";
import { Time } from "@/components/time";
import { useUploads } from "@/components/uploads/uploads";
import { DeleteDialog, RenameDialog, titleOf } from "@/features/ask/conversation-dialogs";
import { SuggestedQuestions } from "@/features/ask/suggested-questions";
import { usePageTitle } from "@/lib/page-title";
import { usePages } from "@/lib/use-pages";
import styles from "@/features/ask/ask.module.css";

/** How something comes into the library, as other features have it; the app puts them in. */
export interface Ways {
  /** Takes the address of a page to add. */
  AddressForm: ComponentType<{ onAdded: () => void }>;
  SampleWay: ComponentType;
  /** What can be asked of the sample library, if it is there. */
  SampleQuestions: ComponentType<{ asked: readonly (string | null)[]; onAsk: (question: string) => void }>;
}

const COLUMNS = [{ label: "Conversation" }, { label: "Last said", end: true }, { label: "Actions", quiet: true }];
const LOOK_MS = 1000;

/** The start: the ways in while the library is empty, and what was asked before. */
export function Start({ onAsk, ...ways }: Ways & { onAsk: (question: string) => void }) {
  usePageTitle("Ask");
  useBroughtQuestion(onAsk);
  const counts = useQuery({
    queryKey: sourceKeys.counts,
    queryFn: ({ signal }) => countSources(signal),
    refetchInterval: ({ state: { data } }) => (data && data.pending > 0 ? LOOK_MS : false),
  });
  return (
    <>
      <PageHead title="Ask your library" />
      {counts.data?.total === 0 ? (
        <WaysIn {...ways} />
      ) : (
        <Recent SampleQuestions={ways.SampleQuestions} library={counts.data} onAsk={onAsk} />
      )}
    </>
  );
}

/** Asks once what was written elsewhere; going back here does not ask it again. */
function useBroughtQuestion(onAsk: (question: string) => void): void {
  const question = useLocation({ select: ({ state }) => state.question });
  const navigate = useNavigate();
  useEffect(() => {
    if (!question) return;
    void navigate({ to: "/ask", replace: true, state: {} }).then(() => onAsk(question));
    // Only what was brought matters; the way to ask it is made anew at every draw.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [question]);
}

/** How something comes into an empty library. Each way is one item; more of them are added here. */
function WaysIn({ AddressForm, SampleWay }: Pick<Ways, "AddressForm" | "SampleWay">) {
  const { choose } = useUploads();
  return (
    <Empty title="The library is empty">
      <p>Ibid answers from what is in your library, and shows the exact words behind every claim.</p>
      <ul className={styles.ways} aria-label="Ways to fill it">
        <li>
          <h3>Drop files</h3>
          <div className={styles.choose}>
            <Button look="primary" onPress={choose}>
              Choose files
            </Button>
            <span>or drop files and folders anywhere on this page.</span>
          </div>
        </li>
        <li>
          <h3>Paste an address</h3>
          <AddressForm onAdded={() => undefined} />
        </li>
        <li>
          <h3>Or look around first</h3>
          <SampleWay />
        </li>
      </ul>
    </Empty>
  );
}

function Recent({
  SampleQuestions,
  library,
  onAsk,
}: Pick<Ways, "SampleQuestions"> & {
  library: { total: number; pending: number } | undefined;
  onAsk: (question: string) => void;
}) {
  const conversations = usePages(conversationKeys.list, listConversations);
  const [dialog, setDialog] = useState<{ kind: "rename" | "delete"; conversation: Conversation } | null>(null);
  const { items, error } = conversations;
  if (items === undefined) {
    return error ? (
      <ErrorNote error={error} what="What was asked before could not be listed." onRetry={conversations.retry} />
    ) : (
      <Skeleton label="Loading conversations" rows={3} />
    );
  }
  if (items.length === 0) {
    return (
      <Empty title="Nothing was asked yet">
        <p>Write a question below. The answer comes with numbers; each leads to the words that it rests on.</p>
        <SampleQuestions asked={[]} onAsk={onAsk} />
        <SuggestedQuestions library={library} asked={[]} onAsk={onAsk} />
      </Empty>
    );
  }
  const titles = items.map(({ title }) => title ?? null);
  return (
    <>
      <Table label="Conversations" columns={COLUMNS} className={styles.conversations}>
        {items.map((conversation) => (
          <Row key={conversation.id}>
            <Cell>
              <Link to="/ask/$conversation" params={{ conversation: conversation.id }} {...rowLink}>
                {titleOf(conversation)}
              </Link>
            </Cell>
            <Cell end dim className={styles.when}>
              <Time iso={conversation.updated_at} />
            </Cell>
            <Cell className={styles.rowActions}>
              <Button
                look="quiet"
                aria-label={`Rename ${titleOf(conversation)}`}
                onPress={() => setDialog({ kind: "rename", conversation })}
              >
                Rename
              </Button>
              <Button
                look="quiet"
                aria-label={`Delete ${titleOf(conversation)}`}
                onPress={() => setDialog({ kind: "delete", conversation })}
              >
                Delete
              </Button>
            </Cell>
          </Row>
        ))}
      </Table>
      {conversations.hasMore && (
        <More onPress={conversations.more} loading={conversations.loadingMore} label="Older conversations" />
      )}
      <SampleQuestions asked={titles} onAsk={onAsk} />
      <SuggestedQuestions library={library} asked={titles} onAsk={onAsk} />
      {dialog?.kind === "rename" && <RenameDialog conversation={dialog.conversation} onClose={() => setDialog(null)} />}
      {dialog?.kind === "delete" && (
        <DeleteDialog
          conversation={dialog.conversation}
          onClose={() => setDialog(null)}
          onDeleted={() => setDialog(null)}
        />
      )}
    </>
  );
}
