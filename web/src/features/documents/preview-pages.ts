import type { PreviewAnswer } from "@/api/documents-types";

/** A page as it is shown. Without a picture it is one that has not been asked for yet. */
export interface ShownPage {
  number: number;
  width: number;
  height: number;
  hash: string | null;
  url: string | null;
}

/** A4, until the first page says otherwise. */
const PAPER = { width: 595, height: 842 };

/**
 * The pages after an answer. A page that was not asked for stays as it was, because another one is worse than an old one;
 * those past the end are gone. `urlOf` has the picture of a hash.
 */
export function mergePages(
  shown: readonly ShownPage[],
  answer: PreviewAnswer,
  urlOf: (hash: string) => string | null,
): ShownPage[] {
  // What does not compile has no pages; the last ones stay.
  if (answer.page_count === 0) return [...shown];
  const fresh = new Map(answer.pages.map((page) => [page.number, page]));
  const like = answer.pages[0] ?? shown[0] ?? PAPER;
  return Array.from({ length: answer.page_count }, (_, index) => {
    const number = index + 1;
    const page = fresh.get(number);
    const old = shown[index];
    const url = page ? urlOf(page.hash) : null;
    if (page && url) return { number, width: page.width, height: page.height, hash: page.hash, url };
    return old ?? { number, width: like.width, height: like.height, hash: null, url: null };
  });
}

/** Which pages to ask for, so that those in sight are there and the next one is, too. */
export function wantedPages(seen: { first: number; last: number }, count: number): { from: number; to: number } {
  const from = Math.max(1, seen.first - 1);
  const to = Math.max(from, seen.last + 2);
  return { from, to: count > 0 ? Math.max(from, Math.min(to, Math.max(count, seen.last))) : to };
}

/** Whether all pages in sight are those of the last answer. */
export function isMissing(
  shown: readonly ShownPage[],
  { first, last }: { first: number; last: number },
  fresh: ReadonlySet<number>,
): boolean {
  return shown.slice(first - 1, last).some(({ number }) => !fresh.has(number));
}

/** Pictures by the hash of what they show. Those that were not used for longest are let go. */
export class Pictures {
  private readonly urls = new Map<string, string>();
  constructor(
    private readonly most: number,
    private readonly make: (svg: string) => string,
    private readonly letGo: (url: string) => void,
  ) {}

  add(hash: string, svg: string): void {
    if (!this.urls.has(hash)) this.urls.set(hash, this.make(svg));
  }

  /** The picture, which counts as used now. */
  url(hash: string): string | null {
    const url = this.urls.get(hash);
    if (url === undefined) return null;
    this.urls.delete(hash);
    this.urls.set(hash, url);
    return url;
  }

  known(): string[] {
    return [...this.urls.keys()];
  }

  trim(inUse: ReadonlySet<string>): void {
    for (const [hash, url] of [...this.urls]) {
      if (this.urls.size <= this.most) return;
      if (inUse.has(hash)) continue;
      this.urls.delete(hash);
      this.letGo(url);
    }
  }

  clear(): void {
    for (const url of this.urls.values()) this.letGo(url);
    this.urls.clear();
  }
}
