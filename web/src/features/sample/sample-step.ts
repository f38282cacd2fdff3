import type { Sample } from "@/api/sample";
import type { Source } from "@/api/types";

/** Where the sample library stands. Null as long as that is not known. */
export type Step = { kind: "absent" } | { kind: "coming"; done: number; total: number } | { kind: "here" } | null;

/** What was read can be found by its words, and so counts as in. */
export function stepOf(about: Sample | undefined, sources: readonly Pick<Source, "status">[] | undefined): Step {
  if (!about) return null;
  if (about.loaded === 0) return { kind: "absent" };
  if (!sources) return null;
  const done = sources.filter(({ status }) => status !== "pending").length;
  return done < sources.length ? { kind: "coming", done, total: sources.length } : { kind: "here" };
}

/** The questions that were not asked yet; a conversation is called by its first. */
export function unasked(questions: readonly string[], titles: readonly (string | null)[]): string[] {
  const asked = new Set(titles.map((title) => title?.trim()));
  return questions.filter((question) => !asked.has(question.trim()));
}
