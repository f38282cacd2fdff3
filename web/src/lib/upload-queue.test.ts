import { describe, expect, it, vi } from "vitest";
import type { Artifact } from "@/api/types";
import { UploadQueue, type Destination, type Kept, type Send, type Sent } from "@/lib/upload-queue";
import { Problem } from "@/lib/problem";

const kept: Kept = { kind: "file", artifact: { sha256: "0".repeat(64) } as Artifact };

/** A transport whose every send waits for the test. */
function transport() {
  const calls: {
    file: File;
    into: Destination;
    progress: (sent: number) => void;
    finish: (sent: Sent) => void;
    fail: (error: unknown) => void;
    signal: AbortSignal;
  }[] = [];
  const send: Send = (file, into, progress, signal) =>
    new Promise((finish, fail) => {
      signal.addEventListener("abort", () => fail(new DOMException("stopped", "AbortError")));
      calls.push({ file, into, progress, finish, fail, signal });
    });
  return { calls, send };
}

const file = (name: string) => new File(["0123456789"], name);
const steps = (queue: UploadQueue) => queue.current().map(({ state }) => state.step);
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("UploadQueue", () => {
  it("sends three at a time, in order, and starts the next when one is done", async () => {
    const { calls, send } = transport();
    const done = vi.fn();
    const queue = new UploadQueue(send, done);
    queue.add(["a", "b", "c", "d"].map(file), "files");
    expect(steps(queue)).toEqual(["uploading", "uploading", "uploading", "waiting"]);
    calls[1]!.finish({ isNew: false, kept });
    await settle();
    expect(steps(queue)).toEqual(["uploading", "known", "uploading", "uploading"]);
    expect(calls.map((call) => call.file.name)).toEqual(["a", "b", "c", "d"]);
    expect(done).toHaveBeenCalledOnce();
  });

  it("tells progress, and hashing once all is sent", () => {
    const { calls, send } = transport();
    const queue = new UploadQueue(send, () => undefined);
    queue.add([file("a")], "sources");
    calls[0]!.progress(4);
    expect(calls[0]!.into).toBe("sources");
    expect(queue.current()[0]!.state).toEqual({ step: "uploading", sent: 4 });
    calls[0]!.progress(10);
    expect(steps(queue)).toEqual(["hashing"]);
  });

  it("keeps the problem of a failed one, and can try it again", async () => {
    const { calls, send } = transport();
    const queue = new UploadQueue(send, () => undefined);
    queue.add([file("a")], "sources");
    calls[0]!.fail(new Problem(413, { detail: "Too large." }));
    await settle();
    expect(queue.current()[0]!.state).toMatchObject({ step: "failed", problem: { message: "Too large." } });
    queue.retry(queue.current()[0]!.id);
    calls[1]!.finish({ isNew: true, kept });
    await settle();
    expect(steps(queue)).toEqual(["kept"]);
  });

  it("stops a removed one and gives its place away", async () => {
    const { calls, send } = transport();
    const queue = new UploadQueue(send, () => undefined);
    queue.add(["a", "b", "c", "d"].map(file), "files");
    queue.remove(queue.current()[0]!.id);
    await settle();
    expect(calls[0]!.signal.aborted).toBe(true);
    expect(queue.current().map((upload) => upload.file.name)).toEqual(["b", "c", "d"]);
    expect(steps(queue)).toEqual(["uploading", "uploading", "uploading"]);
  });

  it("clears only what is settled", async () => {
    const { calls, send } = transport();
    const queue = new UploadQueue(send, () => undefined);
    queue.add([file("a"), file("b")], "files");
    calls[0]!.finish({ isNew: true, kept });
    await settle();
    queue.clearSettled();
    expect(queue.current().map((upload) => upload.file.name)).toEqual(["b"]);
  });
});
