import { afterEach, describe, expect, it, vi } from "vitest";
import { ask, watchRun } from "@/api/runs";
import type { RunEvent } from "@/api/types";

afterEach(() => vi.unstubAllGlobals());

const bytes = new TextEncoder();
const event = (seq: number, type: string, data: object = {}) =>
  `event: ${type}\nid: ${seq}\ndata: ${JSON.stringify({ seq, type, data })}\n\n`;

/** A stream that breaks after what it says, if it is to. */
function said(text: string, breaks = false): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes.encode(text));
    },
    pull(controller) {
      if (breaks) controller.error(new TypeError("network error"));
      else controller.close();
    },
  });
  return new Response(body, { headers: { "ibid-run-id": "r1", "content-type": "text/event-stream" } });
}

function answers(...all: (Response | Error)[]) {
  const fetch = vi.fn((_request: Request) => {
    const next = all.shift();
    return next instanceof Response ? Promise.resolve(next) : Promise.reject(next ?? new TypeError("unreachable"));
  });
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

const waits: number[] = [];
const wait = (ms: number) => {
  waits.push(ms);
  return Promise.resolve();
};

async function all(events: AsyncIterable<RunEvent>): Promise<string[]> {
  const seen: string[] = [];
  for await (const { seq, type } of events) seen.push(`${seq} ${type}`);
  return seen;
}

const signal = () => new AbortController().signal;

describe("a run", () => {
  it("is followed to its end", async () => {
    const fetch = answers(
      said(
        event(1, "run_started") +
          event(2, "content_delta", { text: "a" }) +
          event(3, "run_completed") +
          event(4, "usage"),
      ),
    );
    expect(await all(ask("c1", { content: "?" }, signal(), wait))).toEqual([
      "1 run_started",
      "2 content_delta",
      "3 run_completed",
    ]);
    expect(fetch).toHaveBeenCalledOnce();
    const [request] = fetch.mock.calls[0]!;
    expect(request.method).toBe("POST");
    expect(new URL(request.url).pathname).toBe("/api/v1/conversations/c1/messages");
    expect(request.headers.get("accept")).toBe("text/event-stream");
    expect(await request.text()).toBe('{"content":"?"}');
  });

  it("goes on after the last event that was seen when the connection breaks, and nothing comes twice", async () => {
    const fetch = answers(
      said(event(1, "run_started") + event(2, "content_delta") + "event: content_delta\nid: 3\nda", true),
      new TypeError("still down"),
      said(event(2, "content_delta") + event(3, "content_delta")),
      said(event(4, "run_failed", { error: "no", status: "failed" })),
    );
    expect(await all(ask("c1", { content: "?" }, signal(), wait))).toEqual([
      "1 run_started",
      "2 content_delta",
      "3 content_delta",
      "4 run_failed",
    ]);
    expect(
      fetch.mock.calls.slice(1).map(([{ url, headers }]) => [new URL(url).pathname, headers.get("last-event-id")]),
    ).toEqual([
      ["/api/v1/runs/r1/events", "2"],
      ["/api/v1/runs/r1/events", "2"],
      ["/api/v1/runs/r1/events", "3"],
    ]);
  });

  it("is given up after a while, and at once when the server refuses", async () => {
    waits.length = 0;
    const down = answers();
    await expect(all(watchRun("r1", signal(), wait))).rejects.toMatchObject({ code: "unreachable" });
    expect(down.mock.calls.length).toBeGreaterThan(5);
    expect(Math.max(...waits)).toBeLessThanOrEqual(5000);
    const gone = answers(
      new Response(JSON.stringify({ code: "run_not_found", detail: "There is no run." }), { status: 404 }),
    );
    await expect(all(watchRun("r1", signal(), wait))).rejects.toMatchObject({ status: 404, code: "run_not_found" });
    expect(gone).toHaveBeenCalledOnce();
  });

  it("says why a question was refused", async () => {
    answers(new Response(JSON.stringify({ code: "invalid", detail: "It is empty." }), { status: 422 }));
    await expect(all(ask("c1", { content: "" }, signal(), wait))).rejects.toMatchObject({
      status: 422,
      message: "It is empty.",
    });
  });

  it("stops being followed when nobody looks", async () => {
    const abort = new AbortController();
    const fetch = answers(said(event(1, "run_started"), true));
    const following = all(watchRun("r1", abort.signal, () => (abort.abort(), Promise.reject(new Error("aborted")))));
    await expect(following).rejects.toThrow();
    expect(fetch).toHaveBeenCalledOnce();
  });
});
