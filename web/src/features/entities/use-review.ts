import { useMutation, useQueryClient, type InfiniteData } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { decidePair, entityKeys, listReview } from "@/api/entities";
import type { Page, Pair, ReviewDecision } from "@/api/types";
import { shownAt, withAgain, without, type Decided } from "@/features/entities/review-queue";
import { usePages } from "@/lib/use-pages";

type Pages = InfiniteData<Page<Pair>, string | null>;
/** With so few left, the next are fetched. */
const FEW = 5;

/** The pairs to be reviewed, the one that is shown, and what can be said of it. What is said counts at once and can be taken back. */
export function useReview() {
  const queries = useQueryClient();
  const pages = usePages(entityKeys.review, listReview);
  const pairs = pages.items ?? [];
  const [wanted, setWanted] = useState<{ id: string | null; at: number }>({ id: null, at: 0 });
  const [decided, setDecided] = useState<Decided[]>([]);
  const at = shownAt(pairs, wanted);
  const pair = pairs[at] ?? null;
  const change = (next: (data: Pages | undefined) => Pages | undefined) =>
    queries.setQueryData<Pages>(entityKeys.review, next);

  const send = useMutation({
    // One after the other: what is taken back must have been said.
    scope: { id: "review" },
    mutationFn: ({ pairId, decision }: { pairId: string; decision: ReviewDecision; failed: () => void }) =>
      decidePair(pairId, decision),
    onError: (_, { failed }) => failed(),
    onSettled: async () => {
      // Not while more is being said: the answer would be older than what is shown.
      if (queries.isMutating() > 1) return;
      await Promise.all([
        queries.invalidateQueries({ queryKey: entityKeys.all }),
        queries.invalidateQueries({ queryKey: ["search"] }),
      ]);
    },
  });

  const { hasMore, loadingMore, more } = pages;
  const short = hasMore && !loadingMore && pairs.length - at <= FEW;
  useEffect(() => {
    if (short) more();
  });

  function decide(decision: Decided["decision"]) {
    if (!pair) return;
    const one: Decided = { pair, decision, at };
    const failed = () => {
      setDecided((all) => all.filter((other) => other !== one));
      change((data) => withAgain(data, one));
      setWanted({ id: one.pair.pair_id, at: one.at });
    };
    void queries.cancelQueries({ queryKey: entityKeys.review });
    change((data) => without(data, pair.pair_id));
    setDecided((all) => [...all, one]);
    setWanted({ id: null, at });
    send.mutate({ pairId: pair.pair_id, decision, failed });
  }

  function undo() {
    const last = decided.at(-1);
    if (!last) return;
    const failed = () => {
      setDecided((all) => [...all, last]);
      change((data) => without(data, last.pair.pair_id));
    };
    void queries.cancelQueries({ queryKey: entityKeys.review });
    change((data) => withAgain(data, last));
    setDecided((all) => all.slice(0, -1));
    setWanted({ id: last.pair.pair_id, at: last.at });
    send.mutate({ pairId: last.pair.pair_id, decision: "undo", failed });
  }

  function go(by: 1 | -1) {
    const next = pairs[at + by];
    if (next) setWanted({ id: next.pair_id, at: at + by });
  }

  return {
    pages,
    pairs,
    pair,
    at,
    last: decided.at(-1) ?? null,
    next: pairs[at + 1] ?? null,
    decide,
    undo,
    go,
    problem: send.error,
  };
}
