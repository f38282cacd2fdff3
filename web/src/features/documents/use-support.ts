import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { documentKeys, getSupport } from "@/api/documents";
import type { DocumentCitations, DocumentSupport } from "@/api/documents-types";
import { useSaveState, type Desk } from "@/features/documents/desk";
import { plainSentence } from "@/features/documents/document-words";
import type { BadgeLook, BadgeLooks } from "@/features/documents/editor/badges";
import type { ClaimMark } from "@/features/documents/claims";
import { carry } from "@/features/documents/places";
import { STANDING_WORDS } from "@/lib/citation-words";
import { unitPlaces } from "@/lib/scalars";

const PAUSE_MS = 1500;
const MARKED = ["partial", "unsupported", "contradicted"] as const;
const NONE: readonly ClaimMark[] = [];

/** Which sentences of the text are borne out, as of the last version that was checked. */
export function useSupport(desk: Desk): { support: DocumentSupport | undefined; claims: readonly ClaimMark[] } {
  const { id, saver } = desk;
  const state = useSaveState(desk);
  const [version, setVersion] = useState(state.version);
  const isSaved = state.kind === "saved";
  const newest = state.version;
  useEffect(() => {
    if (!isSaved || newest === version) return;
    const timer = setTimeout(() => setVersion(newest), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [isSaved, newest, version]);

  const support = useQuery({
    queryKey: documentKeys.support(id, version),
    queryFn: async ({ signal }) => {
      const of = saver.savedText();
      const found = await getSupport(id, signal);
      // What is typed while the check runs moves what it found.
      return { ...found, marks: placed(found, of, saver.text) };
    },
    placeholderData: (before) => before,
    staleTime: Infinity,
    gcTime: 0,
  });
  return { support: support.data, claims: support.data?.marks ?? NONE };
}

/** The sentences to be marked, where they stand in the text that `of` has become. */
export function placed({ claims, uncited }: DocumentSupport, of: string, now: string): ClaimMark[] {
  const found = claims.map(({ verdict, ...claim }) => ({ ...claim, kind: MARKED.find((kind) => kind === verdict) }));
  const all = [...found, ...uncited.map((claim) => ({ ...claim, kind: "uncited" as const }))];
  const units = unitPlaces(
    of,
    all.flatMap(({ start_index, end_index }) => [start_index, end_index]),
  );
  const ranges = carry(
    of,
    now,
    all.map((_, index) => ({ from: units[2 * index]!, to: units[2 * index + 1]! })),
  );
  return all.flatMap(({ kind, text }, index) => {
    const range = ranges[index];
    return kind && range && range.from < range.to ? [{ kind, text: plainSentence(text), ...range }] : [];
  });
}

const WORST = ["contradicted", "unsupported", "partial", "supported"] as const;

/** What the check of the sentences that it stands in came to, the worst of them. */
export function verdictOf(number: number, support: DocumentSupport | undefined): BadgeLook["standing"] {
  const verdicts =
    support?.claims.filter((claim) => claim.citation_numbers.includes(number)).map(({ verdict }) => verdict) ?? [];
  return WORST.find((verdict) => verdicts.includes(verdict)) ?? "unchecked";
}

/** How each citation looks in the text. */
export function useBadges(citations: DocumentCitations | undefined, support: DocumentSupport | undefined): BadgeLooks {
  return useMemo(() => {
    if (!citations) return null;
    return new Map(
      citations.items.map(({ citation_number: number, title, locator, is_deleted }) => {
        const standing = is_deleted ? "deleted" : verdictOf(number, support);
        const words = standing === "unchecked" || standing === "dangling" ? null : STANDING_WORDS[standing];
        return [
          number,
          { standing, label: [`citation ${number}`, words, title, locator].filter(Boolean).join(", ") },
        ] as const;
      }),
    );
  }, [citations, support]);
}
