import { send } from "@/api/send";

/** Who writes answers; `none` leaves them quoted. */
export type Provider = "none" | "openai" | "anthropic" | "google" | "compatible";
export type CitationFormat = "brackets" | "superscript" | "inline_links";

/** What was set outside of the app can only be changed there. */
interface Fixed {
  is_fixed: boolean;
  /** Where it comes from, if it was set at all. */
  from: string | null;
}

export interface AnswerSettings extends Fixed {
  provider: Provider;
  model: string | null;
  url: string | null;
  /** A key never leaves the server. */
  has_key: boolean;
}

export interface CitationChoices {
  format: CitationFormat;
  expand_sources_by_default: boolean;
  max_sources_displayed: number;
  enable_tooltips: boolean;
}

export interface CitationSettings extends CitationChoices, Fixed {
  enabled: boolean;
  enabled_tools: string[];
}

export interface Settings {
  answers: AnswerSettings;
  citations: CitationSettings;
  embedder: { provider: string; model: string | null };
  web_search: { is_configured: boolean };
  version: string;
  engine: string;
  blobs: string;
}

export interface AnswerChoice {
  provider: Provider;
  model: string | null;
  url: string | null;
  /** Left out, the kept one stays. */
  key?: string;
}

export interface Trial {
  ok: boolean;
  latency_ms: number;
  reply: string | null;
  error: string | null;
}

export const settingsKeys = { all: ["settings"] as const, whole: ["settings", "whole"] as const };

const PATH = "/api/v1/settings";

export function getSettings(signal?: AbortSignal): Promise<Settings> {
  return send<Settings>("GET", PATH, undefined, signal);
}

export function changeSettings(change: { answers?: AnswerChoice; citations?: CitationChoices }): Promise<Settings> {
  return send<Settings>("PATCH", PATH, change);
}

/** Asks a model for a word, with what is to be saved or is. */
export function tryAnswers(choice: AnswerChoice): Promise<Trial> {
  return send<Trial>("POST", `${PATH}/test`, choice);
}
