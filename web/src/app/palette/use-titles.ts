import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { conversationKeys, getConversation } from "@/api/conversations";
import { getSource, sourceKeys } from "@/api/sources";
import { findSources, listConversationTitles, titleKeys } from "@/api/titles";
import type { Choice } from "@/app/palette/choices";
import { recentVisits, type Visit } from "@/app/recent";

const PAUSE_MS = 150;

/** Sources and conversations to choose from, for the words that are written. */
export function useTitles(words: string) {
  const navigate = useNavigate();
  const settled = useSettled(words.trim());
  const conversations = useQuery({ queryKey: titleKeys.conversations, queryFn: ({ signal }) => listConversationTitles(signal) });
  const newest = useQuery({ queryKey: titleKeys.sources(""), queryFn: ({ signal }) => findSources("", signal) });
  const found = useQuery({
    queryKey: titleKeys.sources(settled),
    queryFn: ({ signal }) => findSources(settled, signal),
    enabled: settled !== "",
    placeholderData: keepPreviousData,
  });
  const [visits] = useState(recentVisits);
  const visited = useQueries({
    queries: visits.map(({ kind, id }) =>
      kind === "source"
        ? { queryKey: sourceKeys.one(id), queryFn: ({ signal }: { signal: AbortSignal }) => getSource(id, signal).then((known) => known as { title: string | null }) }
        : { queryKey: conversationKeys.one(id), queryFn: ({ signal }: { signal: AbortSignal }) => getConversation(id, signal).then((known) => known as { title: string | null }) },
    ),
  });

  return useMemo(() => {
    const choice = ({ kind, id }: Visit, title: string | null | undefined): Choice => ({
      id,
      label: title?.trim() || "Without a title",
      detail: kind === "source" ? "Source" : "Conversation",
      run: () =>
        void (kind === "source" ? navigate({ to: "/sources/$sourceId", params: { sourceId: id } }) : navigate({ to: "/ask/$conversation", params: { conversation: id } })),
    });
    const sourceChoices = (sources: readonly { id: string; title: string }[] = []) => sources.map(({ id, title }) => choice({ kind: "source", id }, title));
    return {
      conversations: (conversations.data ?? []).map(({ id, title }) => choice({ kind: "conversation", id }, title)),
      sources: sourceChoices(newest.data),
      found: settled ? sourceChoices(found.data) : [],
      // What was deleted since is left out.
      recent: visits.flatMap((visit, at) => (visited[at]?.data ? [choice(visit, visited[at].data.title)] : [])),
    };
  }, [navigate, conversations.data, newest.data, found.data, settled, visits, visited]);
}

/** The words once the typing pauses. */
function useSettled(words: string): string {
  const [settled, setSettled] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(words), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return settled;
}
