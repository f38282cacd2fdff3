import type { AnswerChoice, AnswerSettings, CitationFormat, Provider, Trial } from "@/api/settings";
import { asSentence, formatLatency } from "@/lib/format";

export const PROVIDERS: readonly [Provider, string][] = [
  ["none", "None"],
  ["openai", "OpenAI"],
  ["anthropic", "Anthropic"],
  ["google", "Google"],
  ["compatible", "Compatible"],
];

export const PROVIDER_NOTES: Record<Provider, string> = {
  none: "Answers are quoted from your library, word for word. Nothing leaves the server.",
  openai: "Answers are written by a model of OpenAI. The question and the passages found for it are sent there.",
  anthropic: "Answers are written by a model of Anthropic. The question and the passages found for it are sent there.",
  google: "Answers are written by a model of Google. The question and the passages found for it are sent there.",
  compatible: "Answers are written by a server that speaks OpenAI’s protocol, such as Ollama, vLLM or llama.cpp.",
};

export const FORMATS: readonly [CitationFormat, string][] = [
  ["brackets", "Brackets [1]"],
  ["superscript", "Raised ¹"],
  ["inline_links", "Links"],
];

export function nameOf<T extends string>(names: readonly (readonly [T, string])[], value: T): string {
  return names.find(([known]) => known === value)?.[1] ?? value;
}

/** A form as it is filled in. */
export interface AnswerDraft {
  provider: Provider;
  model: string;
  url: string;
  key: string;
}

export function draftOf({ provider, model, url }: AnswerSettings): AnswerDraft {
  return { provider, model, url, key: "" };
}

/** What is sent of it: without a provider nothing else counts, and a key that was not written is left as it is. */
export function choiceOf({ provider, model, url, key }: AnswerDraft): AnswerChoice {
  if (provider === "none") return { provider, model: "", url: "" };
  return { provider, model: model.trim(), url: url.trim(), ...(key.trim() && { key: key.trim() }) };
}

export function isChanged(draft: AnswerDraft, kept: AnswerSettings): boolean {
  const before = draftOf(kept);
  return (
    draft.provider !== before.provider ||
    (draft.provider !== "none" && (draft.model !== before.model || draft.url !== before.url || draft.key !== ""))
  );
}

/** A key that is kept for one provider, or one address, is not told to another. */
export function keyNote({ provider, url }: AnswerDraft, kept: AnswerSettings): string {
  if (kept.has_key && provider === kept.provider && url.trim() !== kept.url)
    return "The key that is set is for another address.";
  if (kept.has_key && provider === kept.provider) return "A key is set. It is not shown; leave this empty to keep it.";
  if (kept.has_key && kept.provider !== "none")
    return `The key that is set is for ${nameOf(PROVIDERS, kept.provider)}.`;
  return provider === "compatible"
    ? "Only if the server asks for one."
    : "No key is set. It is kept on the server and never shown again.";
}

export function trialWords({ ok, latency_ms, reply, error }: Trial): string {
  const took = formatLatency(latency_ms);
  if (!ok) return `No answer after ${took}. ${asSentence(error ?? "The reason is not known")}`;
  return reply ? `Answered in ${took}: “${reply.trim()}”` : `Answered in ${took}.`;
}

/** Where the operator set something: a flag, the file of settings, or a variable of the environment. */
export function fixedWords(from: string): string {
  if (from === "flag") return "Set on the command line of the server, and changed there.";
  return from.includes(".") ? `Set in ${from}, and changed there.` : `Set by the variable ${from}, and changed there.`;
}

/** The last part of a field's name: `answers.model` is the model. */
export function fieldOf(field: string | null): string | null {
  return field?.split(/[./]/).at(-1) ?? null;
}
