import type { WrittenDocument } from "@/api/documents-types";
import { dropText, keepText, type KeptText } from "@/features/documents/kept-text";
import { mergeChanges } from "@/features/documents/places";
import { Problem } from "@/lib/problem";

/** How the text stands to what the server has. */
export type SaveState =
  | { kind: "saved" | "typed" | "saving"; version: number }
  | { kind: "failed"; version: number; problem: Problem }
  /** Somebody else has written meanwhile. */
  | { kind: "conflict"; version: number; current: WrittenDocument };

export interface SaverParts {
  send: (text: string, base: number) => Promise<WrittenDocument>;
  /** Hears of each version that the server has made or told of. */
  onDocument: (document: WrittenDocument) => void;
  pauseMs?: number;
  retryMs?: number;
}

const PAUSE_MS = 700;
/** Who types without a pause has it saved at least so often. */
const LONGEST_MS = 5000;
const RETRY_MS = 2000;
const LONGEST_RETRY_MS = 30_000;
const REBASES = 3;

/**
 * Keeps the text of one document saved. One thing is sent at a time; what is typed is kept in the browser until the
 * server has it. A version in which others changed something else than the text is no conflict.
 */
export class Saver {
  text: string;
  /** What the server has, as far as is known. */
  private base: string;
  private version: number;
  private now: SaveState;
  private readonly listeners = new Set<() => void>();
  private queue: Promise<unknown> = Promise.resolve();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private dirtySince = 0;
  private failures = 0;
  private readonly id: string;

  constructor(
    document: WrittenDocument,
    kept: KeptText | null,
    private readonly parts: SaverParts,
  ) {
    this.id = document.document_id;
    this.base = document.text;
    this.version = document.version;
    this.text = kept?.text ?? document.text;
    this.now = { kind: "saved", version: this.version };
    if (!this.isDirty()) dropText(this.id);
    else if (kept?.base_version === document.version) this.now = { kind: "typed", version: this.version };
    else this.now = { kind: "conflict", version: this.version, current: document };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
  readonly state = (): SaveState => this.now;

  isDirty(): boolean {
    return this.text !== this.base;
  }

  savedText(): string {
    return this.base;
  }

  edited(text: string): void {
    if (text === this.text) return;
    this.text = text;
    if (!this.isDirty()) {
      dropText(this.id);
      clearTimeout(this.timer);
      if (this.now.kind === "typed") this.set({ kind: "saved", version: this.version });
      return;
    }
    keepText(this.id, { base_version: this.version, text });
    if (this.now.kind === "conflict") return;
    if (this.now.kind === "saved" || (this.now.kind === "failed" && this.now.problem.status !== 0))
      this.set({ kind: "typed", version: this.version });
    this.later();
  }

  /** Begins with what an earlier window left. */
  start(): void {
    if (this.now.kind === "typed") this.later();
  }

  stop(): void {
    clearTimeout(this.timer);
    void this.flush().catch(() => undefined);
  }

  /** Saves now; done when the server has it all. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    return this.next(() => this.save());
  }

  /** Does something that makes a version of its own, with everything saved before it and nothing sent meanwhile. */
  alone<T>(does: (base: number) => Promise<T>): Promise<T> {
    clearTimeout(this.timer);
    return this.next(async () => {
      await this.save();
      return does(this.version);
    });
  }

  /** The server made a version in which the text is as it was; further ones than the next are not ours. */
  passed(version: number): void {
    if (version === this.version + 1) this.version = version;
    if (this.now.kind === "saved") this.set({ kind: "saved", version: this.version });
  }

  /**
   * What the server has now, by our own doing or by others'. Tells whether the text is another one than before, which has
   * to be shown.
   */
  told(document: WrittenDocument, ours = false): boolean {
    if (document.version < this.version || this.now.kind === "conflict") return false;
    if (document.text !== this.base) {
      const merged = this.isDirty() && ours ? mergeChanges(this.base, this.text, document.text) : null;
      if (merged !== null) {
        this.base = document.text;
        this.version = document.version;
        this.text = merged;
        keepText(this.id, { base_version: this.version, text: merged });
        this.parts.onDocument(document);
        this.later();
        return true;
      }
      // With unsaved words this is a conflict, which the next try to save them tells.
      if (this.isDirty()) return false;
      this.adopt(document);
      return true;
    }
    this.version = document.version;
    if (this.isDirty()) keepText(this.id, { base_version: this.version, text: this.text });
    if (this.now.kind === "saved" || this.now.kind === "typed")
      this.set({ kind: this.now.kind, version: this.version });
    this.parts.onDocument(document);
    return false;
  }

  /** Takes over what the server has. What was not saved is given up. */
  adopt(document: WrittenDocument): void {
    this.base = document.text;
    this.text = document.text;
    this.version = document.version;
    this.failures = 0;
    clearTimeout(this.timer);
    dropText(this.id);
    this.set({ kind: "saved", version: this.version });
    this.parts.onDocument(document);
  }

  /** Saves over what somebody else has written. */
  keepMine(): Promise<void> {
    if (this.now.kind !== "conflict") return Promise.resolve();
    this.base = this.now.current.text;
    this.version = this.now.current.version;
    this.set({ kind: "typed", version: this.version });
    return this.flush();
  }

  private next<T>(does: () => Promise<T>): Promise<T> {
    const done = this.queue.then(does, does);
    this.queue = done.catch(() => undefined);
    return done;
  }

  private later(wait = this.parts.pauseMs ?? PAUSE_MS): void {
    clearTimeout(this.timer);
    const now = Date.now();
    if (this.dirtySince === 0) this.dirtySince = now;
    const most = Math.max(0, this.dirtySince + LONGEST_MS - now);
    this.timer = setTimeout(
      () => void this.flush().catch(() => undefined),
      this.failures > 0 ? wait : Math.min(wait, most),
    );
  }

  private async save(): Promise<void> {
    if (this.now.kind === "conflict")
      throw new Problem(409, { code: "document_changed", detail: "Somebody else has changed the document." });
    for (let rebases = 0; this.isDirty();) {
      const text = this.text;
      this.set({ kind: "saving", version: this.version });
      try {
        this.saved(text, await this.parts.send(text, this.version));
        return;
      } catch (thrown) {
        const problem = Problem.from(thrown);
        const current = currentOf(problem);
        if (!current) return this.failed(problem);
        rebases += 1;
        if (current.text === text) return this.saved(text, current);
        if (current.text !== this.base || rebases > REBASES) {
          this.set({ kind: "conflict", version: this.version, current });
          throw problem;
        }
        this.version = current.version;
        this.parts.onDocument(current);
      }
    }
  }

  private saved(text: string, document: WrittenDocument): void {
    this.base = text;
    this.version = document.version;
    this.failures = 0;
    this.dirtySince = 0;
    this.parts.onDocument(document);
    if (this.text === text) {
      dropText(this.id, text);
      this.set({ kind: "saved", version: this.version });
    } else {
      keepText(this.id, { base_version: this.version, text: this.text });
      this.set({ kind: "typed", version: this.version });
      this.later();
    }
  }

  private failed(problem: Problem): never {
    this.failures += 1;
    this.dirtySince = 0;
    this.set({ kind: "failed", version: this.version, problem });
    // What the server refused it will refuse again, until it is another text.
    if (problem.status === 0 || problem.status >= 500 || problem.status === 429) {
      this.later(Math.min(LONGEST_RETRY_MS, (this.parts.retryMs ?? RETRY_MS) * 2 ** (this.failures - 1)));
    }
    throw problem;
  }

  private set(state: SaveState): void {
    this.now = state;
    for (const listener of this.listeners) listener();
  }
}

/** The newest version, where a change was refused because it was made to an older one. */
export function currentOf({ code, body }: Problem): WrittenDocument | null {
  const current = body.current as WrittenDocument | undefined;
  return code === "document_changed" && typeof current?.text === "string" ? current : null;
}
