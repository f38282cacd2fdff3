import { useLocation } from "@tanstack/react-router";
import { useEffect } from "react";

/** A source or a conversation that was open. Only which one it was is kept: what it is called may change. */
export interface Visit {
  kind: "source" | "conversation";
  id: string;
}

const KEY = "ibid.recent";
const MOST = 8;
const OPEN = /^\/(sources|ask)\/([0-9a-f-]{36})$/;

/** What a path opens, if it is something to come back to. */
export function visitOf(pathname: string): Visit | null {
  const [, place, id] = OPEN.exec(pathname) ?? [];
  return place && id ? { kind: place === "sources" ? "source" : "conversation", id } : null;
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
  return (kind === "source" || kind === "conversation") && typeof id === "string";
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
