import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { conversationKeys, getConversation } from "@/api/conversations";
import { documentKeys, getDocument, listDocuments } from "@/api/documents";
import { entityKeys, getEntity, listEntities } from "@/api/entities";
import { getSource, sourceKeys } from "@/api/sources";
import { findSources, listConversationTitles, titleKeys } from "@/api/titles";
import type { Choice } from "@/app/palette/choices";
import { recentVisits, type Visit } from "@/app/recent";
import { shortened, typeWord } from "@/lib/event-words";

const PAUSE_MS = 150;
const LABEL_CHARS = 200;
const DETAILS: Record<Visit["kind"], string> = {
  source: "Source",
  conversation: "Conversation",
  entity: "Person or thing",
  document: "Document",
};

interface Signal {
  signal: AbortSignal;
}

/** Sources, conversations, documents, people and things to choose from, for the words that are written. */
export function useTitles(words: string) {
  const navigate = useNavigate();
  const settled = useSettled(words.trim());
  const conversations = useQuery({
    queryKey: titleKeys.conversations,
    queryFn: ({ signal }) => listConversationTitles(signal),
  });
  const newest = useQuery({ queryKey: titleKeys.sources(""), queryFn: ({ signal }) => findSources("", signal) });
  const found = useQuery({
    queryKey: titleKeys.sources(settled),
    queryFn: ({ signal }) => findSources(settled, signal),
    enabled: settled !== "",
    placeholderData: keepPreviousData,
  });
  const named = useQuery({
    queryKey: [...entityKeys.list({ q: settled }), "first"],
    queryFn: ({ signal }) => listEntities({ q: settled }, null, signal),
    enabled: settled !== "",
    placeholderData: keepPreviousData,
  });
  const written = useQuery({
    queryKey: [...documentKeys.list(settled), "first"],
    queryFn: ({ signal }) => listDocuments(settled, null, signal),
    enabled: settled !== "",
    placeholderData: keepPreviousData,
  });
  const [visits] = useState(recentVisits);
  const visited = useQueries({
    queries: visits.map(({ kind, id }) => {
      const asTitle = <T>(known: Promise<T>, title: (known: T) => string | null) =>
        known.then((one) => ({ title: title(one) }));
      if (kind === "source")
        return {
          queryKey: [...sourceKeys.one(id), "title"],
          queryFn: ({ signal }: Signal) => asTitle(getSource(id, signal), ({ title }) => title),
        };
      if (kind === "entity")
        return {
          queryKey: [...entityKeys.one(id), "title"],
          queryFn: ({ signal }: Signal) => asTitle(getEntity(id, signal), ({ name }) => name),
        };
      if (kind === "document")
        return {
          queryKey: [...documentKeys.lists, id, "title"],
          queryFn: ({ signal }: Signal) => asTitle(getDocument(id, undefined, signal), ({ title }) => title),
        };
      return {
        queryKey: [...conversationKeys.one(id), "title"],
        queryFn: ({ signal }: Signal) => asTitle(getConversation(id, signal), ({ title }) => title ?? null),
      };
    }),
  });

  return useMemo(() => {
    const open: Record<Visit["kind"], (id: string) => Promise<void>> = {
      source: (sourceId) => navigate({ to: "/sources/$sourceId", params: { sourceId } }),
      conversation: (conversation) => navigate({ to: "/ask/$conversation", params: { conversation } }),
      entity: (entityId) => navigate({ to: "/entities/$entityId", params: { entityId } }),
      document: (documentId) => navigate({ to: "/documents/$documentId", params: { documentId } }),
    };
    const choice = ({ kind, id }: Visit, title: string | null | undefined, detail = DETAILS[kind]): Choice => ({
      id,
      label: shortened(title?.trim() || "Without a title", LABEL_CHARS),
      detail,
      run: () => void open[kind](id),
    });
    const sourceChoices = (sources: readonly { id: string; title: string }[] = []) =>
      sources.map(({ id, title }) => choice({ kind: "source", id }, title));
    return {
      conversations: (conversations.data ?? []).map(({ id, title }) => choice({ kind: "conversation", id }, title)),
      sources: sourceChoices(newest.data),
      found: settled ? sourceChoices(found.data) : [],
      entities: settled
        ? (named.data?.items ?? []).map(({ entity_id: id, name, type }) =>
            choice({ kind: "entity", id }, name, typeWord(type)),
          )
        : [],
      documents: settled
        ? (written.data?.items ?? []).map(({ document_id: id, title }) => choice({ kind: "document", id }, title))
        : [],
      // What was deleted since is left out.
      recent: visits.flatMap((visit, at) => (visited[at]?.data ? [choice(visit, visited[at].data.title)] : [])),
    };
  }, [navigate, conversations.data, newest.data, found.data, named.data, written.data, settled, visits, visited]);
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
