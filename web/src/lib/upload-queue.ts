import type { Artifact, Source } from "@/api/types";
import { Problem } from "@/lib/problem";

/** What files become: sources, which are read and found, or just files, which are kept as they are. */
export type Destination = "sources" | "files";

/** What a file has become. */
export type Kept = { kind: "source"; source: Source } | { kind: "file"; artifact: Artifact };

/** Where one file is on its way in. */
export type UploadState =
  | { step: "waiting" }
  | { step: "uploading"; sent: number }
  /** All bytes are sent; the server finishes the hash and makes them durable. */
  | { step: "hashing" }
  | { step: "kept"; kept: Kept }
  | { step: "known"; kept: Kept }
  | { step: "failed"; problem: Problem };

export interface Upload {
  id: number;
  file: File;
  into: Destination;
  state: UploadState;
}

export interface Sent {
  isNew: boolean;
  kept: Kept;
}

/** Sends one file; `onProgress` hears the bytes sent so far. Aborting rejects. */
export type Send = (
  file: File,
  into: Destination,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
) => Promise<Sent>;

const PARALLEL = 3;

/**
 * Files on their way in, three at a time, in the order they came. It lives as long as the page, not as long as a
 * view, and tells its listeners of every change with a new array.
 */
export class UploadQueue {
  private uploads: readonly Upload[] = [];
  private readonly listeners = new Set<() => void>();
  private readonly aborts = new Map<number, AbortController>();
  private lastId = 0;

  constructor(
    private readonly send: Send,
    private readonly onDone: (sent: Sent) => void,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly current = (): readonly Upload[] => this.uploads;

  add(files: Iterable<File>, into: Destination): void {
    const added = Array.from(files, (file): Upload => ({ id: ++this.lastId, file, into, state: { step: "waiting" } }));
    this.publish([...this.uploads, ...added]);
    this.fill();
  }

  retry(id: number): void {
    this.change(id, { step: "waiting" });
    this.fill();
  }

  /** Stops a file that is not done yet, or takes a done one off the list. */
  remove(id: number): void {
    this.aborts.get(id)?.abort();
    this.publish(this.uploads.filter((upload) => upload.id !== id));
  }

  /** Takes everything off the list that is not still on its way. */
  clearSettled(): void {
    this.publish(this.uploads.filter(({ state }) => isPending(state)));
  }

  private fill(): void {
    const waiting = this.uploads.filter(({ state }) => state.step === "waiting");
    for (const upload of waiting.slice(0, PARALLEL - this.aborts.size)) void this.run(upload);
  }

  private async run({ id, file, into }: Upload): Promise<void> {
    const abort = new AbortController();
    this.aborts.set(id, abort);
    this.change(id, { step: "uploading", sent: 0 });
    const onProgress = (sent: number) =>
      this.change(id, sent < file.size ? { step: "uploading", sent } : { step: "hashing" });
    try {
      const sent = await this.send(file, into, onProgress, abort.signal);
      this.change(id, { step: sent.isNew ? "kept" : "known", kept: sent.kept });
      this.onDone(sent);
    } catch (thrown) {
      if (!abort.signal.aborted) this.change(id, { step: "failed", problem: Problem.from(thrown) });
    } finally {
      this.aborts.delete(id);
      this.fill();
    }
  }

  private change(id: number, state: UploadState): void {
    this.publish(this.uploads.map((upload) => (upload.id === id ? { ...upload, state } : upload)));
  }

  private publish(uploads: readonly Upload[]): void {
    this.uploads = uploads;
    for (const listener of this.listeners) listener();
  }
}

export function isPending(state: UploadState): boolean {
  return state.step === "waiting" || state.step === "uploading" || state.step === "hashing";
}
