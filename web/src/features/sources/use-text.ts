import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useMemo } from "react";
import { getText, sourceKeys } from "@/api/sources";
import type { Source } from "@/api/types";
import { parseSpan, type Span } from "@/lib/span";

/** Whether a version has a text; of earlier ones only asking can tell. */
export function isReadable(source: Source, revision: string | null): revision is string {
  return revision !== null && (source.text_sha256 !== null || revision !== source.revision_id);
}

/** The text of one version; it never changes. */
export function useText(id: string, revision: string | null) {
  return useQuery({
    queryKey: sourceKeys.text(id, revision ?? ""),
    queryFn: ({ signal }) => getText(id, revision ?? "", signal),
    staleTime: Infinity,
    enabled: revision !== null,
  });
}

/** The place that the address names. */
export function useSpan(): Span | null {
  const hash = useLocation({ select: (location) => location.hash });
  return useMemo(() => parseSpan(hash), [hash]);
}
