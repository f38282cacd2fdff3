import { useSyncExternalStore } from "react";
import type { RunMode } from "@/api/types";
import type { Problem } from "@/lib/problem";

/** How a question is answered: in the library's own words, in a model's, or after several searches. */
export type Mode = Exclude<RunMode, "external">;

export const MODES: readonly (readonly [mode: Mode, name: string])[] = [
  ["extractive", "Extractive"],
  ["generated", "Generated"],
  ["research", "Research"],
];

export interface ModeState {
  /** What was chosen in this browser; null for the usual. */
  chosen: Mode | null;
  /** How the server answers if nothing is said; null until that is known. */
  usual: Mode | null;
}

interface Kept {
  getItem: (key: string) => string | null;
  setItem: (key: string, value: string) => void;
  removeItem: (key: string) => void;
}

const KEY = "ibid.mode";

/** The mode that questions are asked in. */
export class Modes {
  private state: ModeState;
  private readonly listeners = new Set<() => void>();

  constructor(private readonly kept: Kept | null) {
    this.state = { chosen: modeOf(read(kept)), usual: null };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly current = (): ModeState => this.state;

  choose(chosen: Mode | null): void {
    this.set({ ...this.state, chosen });
    try {
      if (chosen) this.kept?.setItem(KEY, chosen);
      else this.kept?.removeItem(KEY);
    } catch {
      // Storage may be forbidden; the choice then lasts as long as the page.
    }
  }

  /** What to ask for; null lets the server choose. */
  wanted(): Mode | null {
    return isPossible(this.state.chosen, this.state) ? this.state.chosen : null;
  }

  /** The settings tell whether there is a model. */
  told(hasModel: boolean): void {
    this.set({ ...this.state, usual: hasModel ? "generated" : "extractive" });
  }

  /** A question was refused: whoever set something elsewhere has taken the model away. */
  refused({ code }: Problem): void {
    if (code === "model_not_configured") this.set({ ...this.state, usual: "extractive" });
  }

  private set(next: ModeState): void {
    if (next.chosen === this.state.chosen && next.usual === this.state.usual) return;
    this.state = next;
    for (const listener of this.listeners) listener();
  }
}

/** A server that has a model writes, if nothing is said; so one that quotes has none. */
export function isPossible(mode: Mode | null, { usual }: ModeState): boolean {
  return mode !== "generated" || usual !== "extractive";
}

function modeOf(value: string | null | undefined): Mode | null {
  return MODES.find(([mode]) => mode === value)?.[0] ?? null;
}

function read(kept: Kept | null): string | null {
  try {
    return kept?.getItem(KEY) ?? null;
  } catch {
    return null;
  }
}

/** Reading the name alone throws where storage is forbidden. */
function storage(): Kept | null {
  try {
    return typeof localStorage === "undefined" ? null : localStorage;
  } catch {
    return null;
  }
}

export const modes = new Modes(storage());

export function useModes(): ModeState {
  return useSyncExternalStore(modes.subscribe, modes.current);
}
