import { useQuery, useQueryClient } from "@tanstack/react-query";
import { findPointer, listNamespace } from "@/api/pointers";

/**
 * The pointer of that name, or null if there is none, as it was at this `visit`. The namespace is asked for once and
 * not for each letter typed; only in one too large for a page is the name itself looked up.
 */
export function useSeenPointer(visit: number, namespace: string, name: string) {
  const queries = useQueryClient();
  return useQuery({
    queryKey: ["snapshot-dialog", visit, namespace, name],
    queryFn: async ({ signal }) => {
      const page = await queries.fetchQuery({
        queryKey: ["snapshot-dialog", visit, namespace],
        queryFn: () => listNamespace(namespace),
        staleTime: Infinity,
      });
      const listed = page.items.find((pointer) => pointer.name === name);
      if (listed || !page.next_cursor) return listed ?? null;
      return findPointer(namespace, name, signal);
    },
    enabled: namespace !== "" && name !== "",
    staleTime: Infinity,
  });
}
