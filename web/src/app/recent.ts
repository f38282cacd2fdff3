import { useLocation } from "@tanstack/react-router";
import { useEffect } from "react";

/** A source, a conversation, a document, or somebody that was open. Only which one it was is kept: what it is called may change. */
export interface Visit {
  kind: "source" | "conversation" | "entity" | "document";
  id: string;
}

const KEY = "ibid.recent";
const MOST = 8;
const KINDS: Record<string, Visit["kind"]> = {
  sources: "source",
  ask: "conversation",
  entities: "entity",
  documents: "document",
};
const OPEN = /^\/(sources|ask|entities|documents)\/([0-9a-f-]{36})$/;

/** What a path opens, if it is something to come back to. */
export function visitOf(pathname: string): Visit | null {
  const [, place, id] = OPEN.exec(pathname) ?? [];
  const kind = KINDS[place ?? ""];
  return kind && id ? { kind, id } : null;
}

/** The last one first, each once. */
export function withVisit(visits: readonly Visit[], visit: Visit): Visit[] {
  return [visit, ...visits.filter(({ id }) => id !== visit.id)].slice(0, MOST);
}

export function recentVisits(): Visit[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isVisit) : [];
  } catch {
    // Storage may be forbidden, or hold what something else wrote.
    return [];
  }
}

function isVisit(value: unknown): value is Visit {
  const { kind, id } = (value ?? {}) as Partial<Visit>;
  return Object.values(KINDS).some((known) => known === kind) && typeof id === "string";
}

/** Remembers what is open, so that the palette can lead back to it. */
export function useRememberVisits(): void {
  const pathname = useLocation({ select: (location) => location.pathname });
  useEffect(() => {
    const visit = visitOf(pathname);
    if (!visit) return;
    try {
      localStorage.setItem(KEY, JSON.stringify(withVisit(recentVisits(), visit)));
    } catch {
      // Without storage nothing is remembered.
    }
  }, [pathname]);
}
