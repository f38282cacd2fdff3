import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import type { Page } from "@/api/types";

interface Options<T> {
  /** How soon to look again, given what is there now; not at all if false. Each page loaded takes a turn. */
  lookAgain?: (items: T[]) => number | false;
  /** Shows the list of before while another is loaded, so that it does not blink at every letter of a search. */
  keepPrevious?: boolean;
}

/** A cursor-paginated list as one array, with what its "more" button needs. */
export function usePages<T>(
  queryKey: readonly unknown[],
  load: (cursor: string | null, signal: AbortSignal) => Promise<Page<T>>,
  { lookAgain, keepPrevious }: Options<T> = {},
) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor ?? null,
    placeholderData: keepPrevious ? keepPreviousData : undefined,
    refetchInterval: ({ state: { data } }) => {
      const wait = data && lookAgain ? lookAgain(data.pages.flatMap((page) => page.items)) : false;
      return wait && data ? wait * data.pages.length : false;
    },
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
