import { useInfiniteQuery } from "@tanstack/react-query";
import type { Page } from "@/api/types";

/** A cursor-paginated list as one array, with what its "more" button needs. */
export function usePages<T>(
  queryKey: readonly unknown[],
  load: (cursor: string | null, signal: AbortSignal) => Promise<Page<T>>,
) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor ?? null,
  });
  return {
    items: query.data?.pages.flatMap((page) => page.items),
    error: query.error,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    more: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  };
}
