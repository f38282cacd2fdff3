import type { QueryClient } from "@tanstack/react-query";
import { sourceKeys } from "@/api/sources";
import type { Source } from "@/api/types";

/** Puts what the server said of a source where it is looked for, and has the lists asked for again. */
export function rememberSource(queries: QueryClient, source: Source): void {
  queries.setQueryData(sourceKeys.one(source.id), source);
  void queries.invalidateQueries({ queryKey: sourceKeys.lists });
  void queries.invalidateQueries({ queryKey: sourceKeys.counts });
}
