import { call, client, openResponse } from "@/api/client";
import type { NewMessage, Run, RunEvent } from "@/api/types";
import { readEvents } from "@/lib/event-stream";
import { Problem } from "@/lib/problem";

export const runKeys = { one: (id: string) => ["runs", "one", id] as const };

/** How often a broken stream is opened again before it is given up; each event that comes starts the count anew. */
const TRIES = 8;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;

export function getRun(id: string, signal?: AbortSignal): Promise<Run> {
  return call(client.GET("/api/v1/runs/{id}", { params: { path: { id } }, signal }));
}

/** Asks a run to stop; one that has ended in the meantime needs no stopping. */
export async function cancelRun(id: string): Promise<void> {
  try {
    await call(client.POST("/api/v1/runs/{id}/cancel", { params: { path: { id } } }));
  } catch (thrown) {
    if (!(thrown instanceof Problem && thrown.status === 409)) throw thrown;
  }
}

/** Asks a question and follows the run that answers it to its end, over broken connections. */
export async function* ask(
  conversation: string,
  body: NewMessage,
  signal: AbortSignal,
  wait = pause,
): AsyncGenerator<RunEvent> {
  const response = await openResponse(
    client.POST("/api/v1/conversations/{id}/messages", {
      params: { path: { id: conversation } },
      headers: { accept: "text/event-stream" },
      parseAs: "stream",
      body,
      signal,
    }),
  );
  const run = response.headers.get("ibid-run-id");
  if (!run) throw new Problem(response.status, { code: "unexpected", detail: "The answer names no run." });
  yield* follow(run, response, signal, wait);
}

/** What happens in a run, from its first event to its last. */
export function watchRun(run: string, signal: AbortSignal, wait = pause): AsyncGenerator<RunEvent> {
  return follow(run, null, signal, wait);
}

async function* follow(
  run: string,
  first: Response | null,
  signal: AbortSignal,
  wait: typeof pause,
): AsyncGenerator<RunEvent> {
  let response = first;
  let seen = 0;
  for (let failures = 0; failures <= TRIES; failures += 1) {
    try {
      response ??= await openResponse(
        client.GET("/api/v1/runs/{id}/events", {
          params: { path: { id: run } },
          headers: { accept: "text/event-stream", ...(seen > 0 && { "last-event-id": String(seen) }) },
          parseAs: "stream",
          signal,
        }),
      );
      if (response.body) {
        for await (const { data } of readEvents(response.body)) {
          const event = JSON.parse(data) as RunEvent;
          if (event.seq <= seen) continue;
          seen = event.seq;
          failures = 0;
          yield event;
          if (event.type === "run_completed" || event.type === "run_failed") return;
        }
      }
    } catch (thrown) {
      signal.throwIfAborted();
      // What the server refuses it will refuse again.
      if (thrown instanceof Problem && thrown.status >= 400 && thrown.status < 500) throw thrown;
    }
    response = null;
    await wait(Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS), signal);
  }
  throw Problem.unreachable();
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      },
      { once: true },
    );
  });
}
