import { useInfiniteQuery } from "@tanstack/react-query";
import { getImpact, sourceKeys } from "@/api/sources";
import type { AffectedClaim, SourceImpact } from "@/api/types";

export interface Impact {
  data: SourceImpact | undefined;
  /** The claims of all pages that were asked for. */
  claims: AffectedClaim[];
  error: Error | null;
  hasMore: boolean;
  loadingMore: boolean;
  more: () => void;
  retry: () => void;
}

/** What would lose its support without a source, or with an artifact in place of its content. */
export function useImpact(id: string, artifact: string | null = null): Impact {
  const query = useInfiniteQuery({
    queryKey: sourceKeys.impact(id, artifact),
    queryFn: ({ pageParam, signal }) => getImpact(id, artifact, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor ?? null,
    // What was true a while ago is not enough to delete by.
    staleTime: 0,
    gcTime: 0,
  });
  return {
    data: query.data?.pages[0],
    claims: query.data?.pages.flatMap(({ claims }) => claims) ?? [],
    error: query.error,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    more: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  };
}
