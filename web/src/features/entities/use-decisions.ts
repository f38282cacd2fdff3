import { useMutation, useQueryClient } from "@tanstack/react-query";
import { decidePair, entityKeys, mergeEntity, splitEntity } from "@/api/entities";
import type { ReviewDecision } from "@/api/types";

/** Whatever is decided about one changes what is shown of others, and what searches find beside their results. */
function useRenewed() {
  const queries = useQueryClient();
  return async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: entityKeys.all }),
      queries.invalidateQueries({ queryKey: ["search"] }),
    ]);
  };
}

/** Says whether two are the same, or takes that back. */
export function useDecision() {
  const renewed = useRenewed();
  return useMutation({
    mutationFn: ({ pairId, decision }: { pairId: string; decision: ReviewDecision }) => decidePair(pairId, decision),
    onSuccess: renewed,
  });
}

export function useMerge() {
  const renewed = useRenewed();
  return useMutation({
    mutationFn: ({ id, into }: { id: string; into: string }) => mergeEntity(id, into),
    onSuccess: renewed,
  });
}

export function useSplit() {
  const renewed = useRenewed();
  return useMutation({
    mutationFn: ({ id, merged }: { id: string; merged: string }) => splitEntity(id, merged),
    onSuccess: renewed,
  });
}
