import type { PointerMove } from "@/api/types";

export interface KnownState {
  sha256: string;
  /** When the pointer last came here, and why; unknown for a state that only appears as where a move began. */
  since: string | null;
  reason: string | null;
}

/** Every manifest a history (newest first) names, each once, newest first. */
export function knownStates(history: readonly PointerMove[]): KnownState[] {
  const states = new Map<string, KnownState>();
  for (const { to_manifest_sha256: sha256, created_at, reason } of history) {
    if (sha256 && !states.has(sha256)) states.set(sha256, { sha256, since: created_at, reason: reason ?? null });
  }
  for (const { from_manifest_sha256: sha256 } of history) {
    if (sha256 && !states.has(sha256)) states.set(sha256, { sha256, since: null, reason: null });
  }
  return [...states.values()];
}
