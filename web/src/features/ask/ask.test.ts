import { describe, expect, it, vi } from "vitest";
import type { MarkerPlace, Message, RunEvent } from "@/api/types";
import { Answering, type Runs } from "@/features/ask/answering";
import { parseAskSearch } from "@/features/ask/ask-search";
import { branchOf } from "@/features/ask/branches";
import { applyEvent, begin, unanswered, withLive } from "@/features/ask/live";
import { isPossible, Modes } from "@/features/ask/modes";
import { Problem } from "@/lib/problem";

const said = (id: string, parent: string | null, role: Message["role"], more: Partial<Message> = {}): Message =>
  ({ id, parent_message_id: parent, role, content: id, status: "complete", ...more }) as Message;

const thread = [
  said("q1", null, "user"),
  said("a1", "q1", "assistant"),
  said("q2", "a1", "user"),
  said("a2", "q2", "assistant"),
  said("q2b", "a1", "user"),
  said("a2b", "q2b", "assistant"),
];
const path = (messages: Message[], through: string | null) =>
  branchOf(messages, through).map(({ message }) => message.id);

describe("branches", () => {
  it("show the newest, or the one through a message", () => {
    expect(path(thread, null)).toEqual(["q1", "a1", "q2b", "a2b"]);
    expect(path(thread, "q2")).toEqual(["q1", "a1", "q2", "a2"]);
    expect(path(thread, "a1")).toEqual(["q1", "a1", "q2b", "a2b"]);
    expect(path(thread, "gone")).toEqual(["q1", "a1", "q2b", "a2b"]);
    expect(path([...thread, said("q3", "a2", "user")], null)).toEqual(["q1", "a1", "q2", "a2", "q3"]);
    expect(path([], null)).toEqual([]);
  });

  it("know what could stand in a place", () => {
    const turns = branchOf(thread, "q2");
    expect(turns.map(({ siblings }) => siblings.map(({ id }) => id))).toEqual([["q1"], ["a1"], ["q2", "q2b"], ["a2"]]);
  });

  it("can begin with the first question, asked in other words", () => {
    const edited = [...thread, said("q1b", null, "user"), said("a1b", "q1b", "assistant")];
    expect(path(edited, null)).toEqual(["q1b", "a1b"]);
    expect(path(edited, "q1")).toEqual(["q1", "a1", "q2b", "a2b"]);
    expect(branchOf(edited, null)[0]?.siblings.map(({ id }) => id)).toEqual(["q1", "q1b"]);
    expect(branchOf(withLive(edited, begin("c", "?", null)), null)[0]?.siblings).toHaveLength(3);
  });

  it("end even where messages follow each other, or nothing that is there", () => {
    expect(path([said("a", "b", "user"), said("b", "a", "assistant")], null)).toHaveLength(2);
    expect(path([said("a", "lost", "user"), said("b", "a", "assistant")], null)).toEqual(["a", "b"]);
  });
});

const run = { run_id: "r", at: "2026-10-07T09:00:00Z" };
const identity = { run_id: "r", message_id: "a9", conversation_id: "c" };
const started: RunEvent = {
  ...run,
  seq: 1,
  type: "run_started",
  data: { ...identity, question_id: "q9", mode: "extractive" },
};
const delta = (seq: number, text: string, markers: MarkerPlace[] = []): RunEvent => ({
  ...run,
  seq,
  type: "content_delta",
  data: { text, markers },
});
const completed = (seq: number): RunEvent => ({
  ...run,
  seq,
  type: "run_completed",
  data: { ...identity, cited_files: [], has_async_entities_in_progress: false },
});

describe("an answer on its way", () => {
  it("knows what happened", () => {
    const events: RunEvent[] = [
      started,
      { ...run, seq: 2, type: "phase_started", data: { phase: "research" } },
      { ...run, seq: 3, type: "tool_result", data: { tool_name: "hybrid_search", request_id: "t", count: 1 } },
      { ...run, seq: 4, type: "references_found", data: { references: [] } },
      delta(5, "The mole"),
      delta(6, " stood [1]", [{ start_index: 15, end_index: 18, numbers: [1] }]),
      delta(7, " and fell [1, 3].", [{ start_index: 28, end_index: 34, numbers: [1, 3] }]),
    ];
    const live = events.reduce(applyEvent, begin("c", "?", "a1"));
    expect(live).toMatchObject({
      runId: "r",
      questionId: "q9",
      messageId: "a9",
      text: "The mole stood [1] and fell [1, 3].",
      // Their places are those in the whole text.
      markers: [
        { start_index: 15, end_index: 18, numbers: [1] },
        { start_index: 28, end_index: 34, numbers: [1, 3] },
      ],
      step: "Reading 1 passage…",
      state: "going",
    });
    expect(applyEvent(live, delta(8, " It is gone.")).markers).toBe(live.markers);
    expect(applyEvent(live, completed(8)).state).toBe("completed");
    const usage = { input_tokens: 1, output_tokens: 1, cost: null };
    expect(applyEvent(live, { ...run, seq: 8, type: "usage", data: usage })).toBe(live);
  });

  it("knows which of its claims were checked, until it is rewritten", () => {
    const checked = (start_index: number, end_index: number): RunEvent => ({
      ...run,
      seq: 2,
      type: "claim_checked",
      data: {
        start_index,
        end_index,
        numbers: [1],
        verdict: "unsupported",
        score: 0.1,
        number: 1,
        source_id: null,
        revision_id: null,
        quote: null,
        start_char: null,
        end_char: null,
        why: [],
      },
    });
    const places = (live: ReturnType<typeof begin>) => live.checks.map(({ start_index }) => start_index);
    const live = [delta(1, "So. It is. It was."), checked(0, 3), checked(11, 18), checked(4, 18)].reduce(
      applyEvent,
      begin("c", "?"),
    );
    expect(places(live)).toEqual([0, 4]);
    const rewritten = [{ start_index: 0, end_index: 7, before: "So.", verdict: "unsupported" as const }];
    const markers = [{ start_index: 3, end_index: 6, numbers: [1] }];
    const data = { text: "No [1]. It is. It was.", markers, rewritten };
    const revised = applyEvent(live, { ...run, seq: 5, type: "answer_revised", data });
    expect(revised).toMatchObject({ ...data, checks: [] });
    expect(places(applyEvent(revised, checked(8, 14)))).toEqual([8]);
  });

  it("stands where it will be kept, and gives way to what is kept", () => {
    const live = { ...applyEvent(begin("c", "How?", "a1"), started), text: "So" };
    const ids = (messages: Message[]) => withLive(messages, live).map(({ id, content }) => `${id} ${content}`);
    expect(ids(thread.slice(0, 2))).toEqual(["q1 q1", "a1 a1", "q9 How?", "a9 So"]);
    const kept = [...thread.slice(0, 2), said("q9", "a1", "user"), said("a9", "q9", "assistant")];
    expect(ids(kept.slice(0, 3))).toEqual(["q1 q1", "a1 a1", "q9 q9", "a9 So"]);
    expect(ids(kept)).toEqual(["q1 q1", "a1 a1", "q9 q9", "a9 a9"]);
    expect(ids([...kept.slice(0, 3), said("a9", "q9", "assistant", { status: "streaming" })]).at(-1)).toBe("a9 So");
    expect(withLive([], begin("c", "?", null)).map(({ id, parent_message_id }) => [id, parent_message_id])).toEqual([
      ["asked", null],
      ["answering", "asked"],
    ]);
  });

  it("is found again after a reload", () => {
    const open = said("q9", "a1", "user", { run_id: "r" });
    expect(unanswered([...thread, open])?.runId).toBe("r");
    expect(unanswered([...thread, open, said("a9", "q9", "assistant", { status: "streaming" })])?.runId).toBe("r");
    expect(unanswered([...thread, open, said("a9", "q9", "assistant", { status: "failed" })])).toBeNull();
    expect(unanswered(thread)).toBeNull();
  });
});

/** Runs whose events come from the test. */
function scripted(events: RunEvent[], fault?: Error) {
  async function* stream(): AsyncGenerator<RunEvent> {
    for (const event of events) {
      await Promise.resolve();
      yield event;
    }
    if (fault) throw fault;
  }
  const runs = { ask: vi.fn(stream), watch: vi.fn(stream), cancel: vi.fn(() => Promise.resolve()) };
  return runs as typeof runs & Runs;
}
const settle = () => new Promise((resolve) => setTimeout(resolve, 60));

describe("Answering", () => {
  it("asks, follows, and tells the end", async () => {
    const runs = scripted([started, delta(2, "x"), completed(3)]);
    const ended = vi.fn();
    const answering = new Answering(ended, runs);
    const listener = vi.fn();
    answering.subscribe(listener);
    answering.ask("c", "?", "a1");
    expect(answering.current().get("c")).toMatchObject({ question: "?", state: "going" });
    await settle();
    expect(answering.current().get("c")).toMatchObject({ text: "x", state: "completed" });
    expect(runs.ask).toHaveBeenCalledWith("c", { content: "?", parent_message_id: "a1" }, expect.anything());
    expect(ended).toHaveBeenCalledOnce();
    expect(listener.mock.calls.length).toBeLessThan(5);
  });

  it("keeps what came before a fault, and can go on from there", async () => {
    const runs = scripted([started, delta(2, "half")], Problem.unreachable());
    const answering = new Answering(() => undefined, runs);
    answering.ask("c", "?", null);
    expect(runs.ask).toHaveBeenCalledWith("c", { content: "?", parent_message_id: null }, expect.anything());
    await settle();
    expect(answering.current().get("c")).toMatchObject({
      text: "half",
      state: "failed",
      problem: { code: "unreachable" },
    });
    answering.resume("c", "r", { id: "q9", content: "?" });
    expect(answering.current().get("c")).toMatchObject({ text: "", state: "going", questionId: "q9" });
    expect(runs.watch).toHaveBeenCalledWith("r", expect.anything());
    await settle();
  });

  it("stops the run that it follows, and shows nothing more of one that was left", async () => {
    const runs = scripted([started]);
    const answering = new Answering(() => undefined, runs);
    answering.ask("c", "?", null);
    await settle();
    await answering.stop("c");
    expect(runs.cancel).toHaveBeenCalledWith("r");
    const left = new Answering(vi.fn(), scripted([started]));
    left.ask("c", "?", null);
    left.leave();
    await settle();
    expect(left.current().get("c")?.runId).toBeNull();
  });
});

describe("modes", () => {
  const kept = (items = new Map<string, string>()) => ({
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  });
  const noModel = new Problem(422, { code: "model_not_configured" });

  it("are the usual one until one is chosen, which is kept", () => {
    const store = kept();
    const modes = new Modes(store);
    expect([modes.wanted(), modes.current().usual]).toEqual([null, null]);
    modes.choose("research");
    expect(new Modes(store).wanted()).toBe("research");
    modes.choose(null);
    expect(new Modes(store).wanted()).toBeNull();
    expect(new Modes(kept(new Map([["ibid.mode", "loud"]]))).wanted()).toBeNull();
    expect(new Modes(null).wanted()).toBeNull();
  });

  it("are told by the settings", () => {
    const modes = new Modes(null);
    expect(modes.current().usual).toBeNull();
    modes.told(false);
    expect(modes.current().usual).toBe("extractive");
    modes.told(true);
    expect(modes.current().usual).toBe("generated");
  });

  it("that cannot be had are not asked for again", async () => {
    const modes = new Modes(null);
    modes.choose("generated");
    const runs = scripted([], noModel);
    const answering = new Answering(() => undefined, runs, modes);
    answering.ask("c", "?");
    expect(runs.ask).toHaveBeenLastCalledWith("c", { content: "?", mode: "generated" }, expect.anything());
    await settle();
    expect(answering.current().get("c")).toMatchObject({ state: "failed", problem: { code: "model_not_configured" } });
    expect(isPossible("generated", modes.current())).toBe(false);
    answering.ask("c", "?");
    expect(runs.ask).toHaveBeenLastCalledWith("c", { content: "?" }, expect.anything());
    await settle();
  });
});

it("an address says only what it can mean", () => {
  expect(parseAskSearch({ at: 7, of: "x", part: "web", evidence: "hidden", more: 1 })).toEqual({
    at: "7",
    of: "x",
    part: "web",
    evidence: "hidden",
  });
  expect(parseAskSearch({ at: "", of: "y".repeat(256), part: "all", evidence: "maybe" })).toEqual({});
});
