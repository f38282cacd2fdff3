import { ask, cancelRun, watchRun } from "@/api/runs";
import type { RunEvent } from "@/api/types";
import { applyEvent, begin, type Live } from "@/features/ask/live";
import { modes as chosenModes, type Modes } from "@/features/ask/modes";
import { Problem } from "@/lib/problem";

/** So often, at most, are new words shown: oftener than the eye notices costs only work. */
const SHOW_MS = 40;

/** Where questions go and what happens comes from; tests have their own. */
export interface Runs {
  ask: typeof ask;
  watch: typeof watchRun;
  cancel: typeof cancelRun;
}

/**
 * The answers on their way, one for each conversation. It tells its listeners of changes with a new map. What it
 * follows goes on at the server when it is left, and can be followed again from the start.
 */
export class Answering {
  private lives: ReadonlyMap<string, Live> = new Map();
  private readonly next = new Map<string, Live>();
  private readonly aborts = new Map<string, AbortController>();
  private readonly listeners = new Set<() => void>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly onEnd: (live: Live) => void,
    private readonly runs: Runs = { ask, watch: watchRun, cancel: cancelRun },
    private readonly modes: Modes = chosenModes,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly current = (): ReadonlyMap<string, Live> => this.lives;

  /** Asks in the mode that is chosen; `parent` is what the question follows: nothing if null, the last message if not said. */
  ask(conversation: string, content: string, parent?: string | null): void {
    const mode = this.modes.wanted();
    const body = { content, ...(parent !== undefined && { parent_message_id: parent }), ...(mode && { mode }) };
    this.follow(begin(conversation, content, parent), (signal) =>
      this.learned(this.runs.ask(conversation, body, signal)),
    );
  }

  /** Follows a run that was begun before. */
  resume(
    conversation: string,
    runId: string,
    question: { id: string; content: string; parent_message_id?: string | null },
  ): void {
    if (this.aborts.has(conversation)) return;
    const live = {
      ...begin(conversation, question.content, question.parent_message_id ?? null),
      runId,
      questionId: question.id,
    };
    this.follow(live, (signal) => this.runs.watch(runId, signal));
  }

  /** Asks the server to stop; the stream then says that it has. */
  async stop(conversation: string): Promise<void> {
    const runId = this.next.get(conversation)?.runId;
    if (runId) await this.runs.cancel(runId);
  }

  leave(): void {
    for (const abort of this.aborts.values()) abort.abort();
    clearTimeout(this.timer);
  }

  /** The same events; what they tell of modes is kept. */
  private async *learned(events: AsyncIterable<RunEvent>): AsyncGenerator<RunEvent> {
    try {
      for await (const event of events) {
        yield event;
      }
    } catch (thrown) {
      if (thrown instanceof Problem) this.modes.refused(thrown);
      throw thrown;
    }
  }

  private follow(start: Live, events: (signal: AbortSignal) => AsyncIterable<RunEvent>): void {
    const { conversation } = start;
    this.aborts.get(conversation)?.abort();
    const abort = new AbortController();
    this.aborts.set(conversation, abort);
    this.next.set(conversation, start);
    this.show();
    void this.run(conversation, abort, events(abort.signal));
  }

  private async run(conversation: string, abort: AbortController, events: AsyncIterable<RunEvent>): Promise<void> {
    const current = () => this.next.get(conversation);
    try {
      for await (const event of events) {
        const live = current();
        if (abort.signal.aborted || !live) return;
        this.next.set(conversation, applyEvent(live, event));
        this.timer ??= setTimeout(() => this.show(), SHOW_MS);
      }
    } catch (thrown) {
      const live = current();
      if (abort.signal.aborted || !live) return;
      this.next.set(conversation, { ...live, state: "failed", problem: Problem.from(thrown) });
    } finally {
      if (this.aborts.get(conversation) === abort) this.aborts.delete(conversation);
    }
    const ended = current();
    if (abort.signal.aborted || !ended) return;
    this.show();
    this.onEnd(ended);
  }

  private show(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.lives = new Map(this.next);
    for (const listener of this.listeners) listener();
  }
}
