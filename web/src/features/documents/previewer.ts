import type { PreviewAnswer, PreviewBody, TextDiagnostic } from "@/api/documents-types";
import { isMissing, mergePages, Pictures, wantedPages, type ShownPage } from "@/features/documents/preview-pages";

export interface PreviewState {
  pages: readonly ShownPage[];
  faults: readonly TextDiagnostic[];
  /** What is shown is not the text as it is now. */
  stale: boolean;
  error: unknown;
  /** How long the server took for the last. */
  tookMs: number | null;
}

interface Parts {
  ask: (body: PreviewBody) => Promise<PreviewAnswer>;
  /** Until the pictures can be drawn at once, so that none is white for a moment. */
  ready: (urls: readonly string[]) => Promise<void>;
  make: (svg: string) => string;
  letGo: (url: string) => void;
}

const PAUSE_MS = 150;
const AGAIN_MS = 3000;
const MOST_PICTURES = 48;
const NO_FAULTS: readonly TextDiagnostic[] = [];

/** Keeps the pages up with the text. Never asks for two at once: what came meanwhile is asked for after. */
export class Previewer {
  private now: PreviewState = { pages: [], faults: NO_FAULTS, stale: true, error: null, tookMs: null };
  private readonly listeners = new Set<() => void>();
  private readonly pictures: Pictures;
  private text: string | null = null;
  private asking = false;
  private again = false;
  private closed = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private seen = { first: 1, last: 1 };
  /** The pages that are of the newest text. */
  private fresh: ReadonlySet<number> = new Set();

  constructor(private readonly parts: Parts) {
    this.pictures = new Pictures(MOST_PICTURES, parts.make, parts.letGo);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
  readonly state = (): PreviewState => this.now;

  /** Another text, or the same one with other sources or another style. */
  want(text: string, wait = PAUSE_MS): void {
    this.closed = false;
    this.text = text;
    this.fresh = new Set();
    if (!this.now.stale) this.set({ stale: true });
    this.later(wait);
  }

  renew(): void {
    if (this.text !== null) this.want(this.text, 0);
  }

  /** Which pages are in sight. */
  see(first: number, last: number): void {
    this.seen = { first, last };
    if (this.text !== null && !this.now.stale && isMissing(this.now.pages, this.seen, this.fresh)) this.later(0);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.pictures.clear();
    this.now = { ...this.now, pages: [], stale: true };
  }

  private later(wait: number): void {
    clearTimeout(this.timer);
    if (this.asking) this.again = true;
    else this.timer = setTimeout(() => void this.askNow(), wait);
  }

  private async askNow(): Promise<void> {
    if (this.text === null || this.closed) return;
    this.asking = true;
    this.again = false;
    const text = this.text;
    // A server that does not have a page is not asked for it for ever.
    let grew = false;
    try {
      const range = wantedPages(this.seen, this.now.pages.length);
      const answer = await this.parts.ask({ text, known: this.pictures.known(), ...range });
      for (const { hash, svg } of answer.pages) if (svg !== null) this.pictures.add(hash, svg);
      const pages = mergePages(this.now.pages, answer, (hash) => this.pictures.url(hash));
      await this.parts.ready(
        pages.flatMap(({ url }) => (url && !this.now.pages.some((old) => old.url === url) ? [url] : [])),
      );
      if (this.closed) return this.pictures.clear();
      const isNewest = text === this.text;
      if (isNewest && answer.page_count > 0) {
        grew = answer.pages.some(({ number }) => !this.fresh.has(number));
        this.fresh = new Set([...this.fresh, ...answer.pages.map(({ number }) => number)]);
      }
      const broken = answer.page_count === 0 && answer.faults.some(({ severity }) => severity === "error");
      this.set({
        pages,
        faults: answer.faults.length > 0 ? answer.faults : NO_FAULTS,
        stale: !isNewest || broken,
        error: null,
        tookMs: answer.elapsed_ms,
      });
      // After the old ones are off the screen.
      setTimeout(
        () => !this.closed && this.pictures.trim(new Set(this.now.pages.flatMap(({ hash }) => hash ?? []))),
        1000,
      );
    } catch (error) {
      this.set({ error });
      if (!this.closed) this.timer = setTimeout(() => void this.askNow(), AGAIN_MS);
    } finally {
      this.asking = false;
      if (this.again && !this.closed) this.later(0);
      else if (grew && !this.closed && !this.now.stale && isMissing(this.now.pages, this.seen, this.fresh))
        this.later(0);
    }
  }

  private set(state: Partial<PreviewState>): void {
    this.now = { ...this.now, ...state };
    for (const listener of this.listeners) listener();
  }
}
