import type { ClaimCheck, MarkerPlace, Message, RewrittenClaim, RunEvent, RunPhase } from "@/api/types";
import { withCheck } from "@/lib/flagged-claims";
import { formatPlural } from "@/lib/format";
import type { Problem } from "@/lib/problem";

/** An answer on its way. */
export interface Live {
  conversation: string;
  question: string;
  /** What the question follows: nothing if null, the last message if not said. */
  parent: string | null | undefined;
  runId: string | null;
  questionId: string | null;
  messageId: string | null;
  text: string;
  /** Where the citation markers of the text stand, in order. */
  markers: readonly MarkerPlace[];
  /** What checking its claims has come to so far. */
  checks: readonly ClaimCheck[];
  /** What of it was rewritten. */
  rewritten: readonly RewrittenClaim[];
  /** What is going on, in words. */
  step: string;
  state: "going" | "completed" | "failed";
  /** Why there is no answer, or not all of it. */
  problem: Problem | null;
}

export function begin(conversation: string, question: string, parent?: string | null): Live {
  return {
    conversation,
    question,
    parent,
    runId: null,
    questionId: null,
    messageId: null,
    text: "",
    markers: [],
    checks: [],
    rewritten: [],
    step: "Asking…",
    state: "going",
    problem: null,
  };
}

const PHASES: Record<RunPhase, string> = {
  planning: "Planning…",
  research: "Searching the library…",
  synthesis: "Writing…",
  verification: "Working…",
};

/** What is known after something happened. */
export function applyEvent(live: Live, event: RunEvent): Live {
  switch (event.type) {
    case "run_started":
      return {
        ...live,
        runId: event.data.run_id,
        questionId: event.data.question_id,
        messageId: event.data.message_id,
      };
    case "phase_started":
      return { ...live, step: PHASES[event.data.phase] };
    case "tool_called":
      return { ...live, step: event.data.tool_name.includes("web") ? "Searching the web…" : live.step };
    case "tool_result":
      return event.data.count == null
        ? live
        : { ...live, step: `Reading ${formatPlural(event.data.count, "passage")}…` };
    case "content_delta": {
      const { text, markers } = event.data;
      return {
        ...live,
        text: live.text + text,
        markers: markers.length > 0 ? [...live.markers, ...markers] : live.markers,
      };
    }
    case "claim_checked":
      return { ...live, checks: withCheck(live.checks, event.data) };
    case "answer_revised":
      // Its claims are checked anew.
      return { ...live, ...event.data, checks: [] };
    case "citations_created":
      return { ...live, step: "Checking what it cites…" };
    case "run_completed":
      return { ...live, state: "completed" };
    case "run_failed":
      return { ...live, state: "failed" };
    default:
      return live;
  }
}

/** A message as it is shown: one that the server keeps, or one that is on its way. */
export type Shown = Pick<Message, "id" | "parent_message_id" | "role" | "content" | "run_id"> & {
  /** What is kept of it. */
  kept: Message | null;
  live: Live | null;
};

const ASKED = "asked";
const ANSWERING = "answering";

/** What is kept, with what is on its way put where it belongs. */
export function withLive(messages: readonly Message[], live: Live | null): Shown[] {
  const answer = live && messages.find(({ id }) => id === live.messageId);
  // Once the answer is kept, it says more than the stream.
  const over = answer !== undefined && answer !== null && answer.status !== "streaming";
  const coming = over ? null : live;
  const shown: Shown[] = messages
    .filter(({ id }) => !coming || id !== coming.messageId)
    .map((kept) => ({ ...pick(kept), kept, live: null }));
  if (!coming) return shown;
  const questionId = coming.questionId ?? ASKED;
  if (!shown.some(({ id }) => id === questionId)) {
    shown.push({
      id: questionId,
      parent_message_id: coming.parent ?? null,
      role: "user",
      content: coming.question,
      run_id: coming.runId,
      kept: null,
      live: null,
    });
  }
  shown.push({
    id: coming.messageId ?? ANSWERING,
    parent_message_id: questionId,
    role: "assistant",
    content: coming.text,
    run_id: coming.runId,
    kept: null,
    live: coming,
  });
  return shown;
}

function pick({ id, parent_message_id, role, content, run_id }: Message) {
  return { id, parent_message_id, role, content, run_id };
}

/** The run of a question that has no answer yet, so that its answer can be followed. */
export function unanswered(messages: readonly Message[]): { runId: string; question: Message } | null {
  const question = messages.findLast(({ role }) => role === "user");
  if (!question?.run_id) return null;
  const answer = messages.find(
    ({ role, parent_message_id }) => role === "assistant" && parent_message_id === question.id,
  );
  return !answer || answer.status === "streaming" ? { runId: question.run_id, question } : null;
}
