import type { InfiniteData } from "@tanstack/react-query";
import type { Page, Pair, ReviewDecision } from "@/api/types";

type Pages = InfiniteData<Page<Pair>, string | null>;

/** A pair that was decided, and where it stood. */
export interface Decided {
  pair: Pair;
  decision: Exclude<ReviewDecision, "undo">;
  at: number;
}

/** The pages without one pair. */
export function without(data: Pages | undefined, pairId: string): Pages | undefined {
  return (
    data && {
      ...data,
      pages: data.pages.map((page) => ({ ...page, items: page.items.filter(({ pair_id }) => pair_id !== pairId) })),
    }
  );
}

/** The pages with one pair again, where it stood before or as near to that as there are pairs. */
export function withAgain(data: Pages | undefined, { pair, at }: Pick<Decided, "pair" | "at">): Pages | undefined {
  if (!data || data.pages.some(({ items }) => items.some(({ pair_id }) => pair_id === pair.pair_id))) return data;
  let before = at;
  let done = false;
  const pages = data.pages.map((page, index) => {
    const last = index === data.pages.length - 1;
    if (done || (before > page.items.length && !last)) {
      before -= page.items.length;
      return page;
    }
    done = true;
    const items = [...page.items];
    items.splice(Math.max(0, before), 0, { ...pair, state: "open", decided_at: null });
    return { ...page, items };
  });
  return { ...data, pages };
}

/** Which pair is shown: the one that was moved to, or the one that stands where it stood. */
export function shownAt(pairs: readonly Pair[], wanted: { id: string | null; at: number }): number {
  const found = pairs.findIndex(({ pair_id }) => pair_id === wanted.id);
  return found >= 0 ? found : Math.max(0, Math.min(wanted.at, pairs.length - 1));
}
