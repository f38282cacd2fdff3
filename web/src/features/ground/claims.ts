import type { BoundClaim, ClaimDifference, ContradictedClaim, GroundAnswer, Verdict } from "@/api/types";
import { differenceWords as wordsOfDifference } from "@/lib/citation-words";
import { formatPlural } from "@/lib/format";
import { unitPlaces } from "@/lib/scalars";

/** A claim of the draft, bound to words of the library or to nothing. */
export interface Claim {
  id: string;
  text: string;
  start: number;
  end: number;
  bound: BoundClaim | null;
  /** Words of the library that say otherwise. */
  against: ContradictedClaim | null;
}

/** Words and a sign for a verdict, so that it is never told by colour alone. */
export interface VerdictWords {
  word: string;
  sign: string;
  look: Exclude<Verdict, "unverifiable">;
}

export function verdictWords({ bound, against }: Pick<Claim, "bound" | "against">): VerdictWords {
  if (bound === null && against) return { word: "Your library says otherwise", sign: "≠", look: "contradicted" };
  if (bound === null) return { word: "No evidence found", sign: "✕", look: "unsupported" };
  return bound.verdict === "supported"
    ? { word: "Supported", sign: "●", look: "supported" }
    : { word: "Supported in part", sign: "◐", look: "partial" };
}

/** All claims in the order of the draft, bound ones and others. */
export function claimsOf(answer: Pick<GroundAnswer, "claims" | "unsupported" | "contradicted">): Claim[] {
  const against = new Map(answer.contradicted.map((claim) => [claim.start_index, claim]));
  const all = [
    ...answer.claims.map((bound) => ({
      text: bound.text,
      start: bound.start_index,
      end: bound.end_index,
      bound,
      against: null,
    })),
    ...answer.unsupported.map(({ text, start_index, end_index }) => ({
      text,
      start: start_index,
      end: end_index,
      bound: null,
      against: against.get(start_index) ?? null,
    })),
  ].sort((a, b) => a.start - b.start);
  return all.map((claim, index) => ({ ...claim, id: `claim-${index + 1}` }));
}

/** A stretch of the draft: words of a claim, or what stands between claims. */
export interface Piece {
  text: string;
  claim: Claim | null;
}

/** The draft cut at its claims; nothing of it is lost. */
export function pieces(draft: string, claims: readonly Claim[]): Piece[] {
  const places = unitPlaces(
    draft,
    claims.flatMap(({ start, end }) => [start, end]),
  );
  const cut: Piece[] = [];
  let at = 0;
  claims.forEach((claim, index) => {
    const [start, end] = [Math.max(at, places[2 * index]!), places[2 * index + 1]!];
    if (end <= start) return;
    if (start > at) cut.push({ text: draft.slice(at, start), claim: null });
    cut.push({ text: draft.slice(start, end), claim });
    at = end;
  });
  if (at < draft.length) cut.push({ text: draft.slice(at), claim: null });
  return cut;
}

/** "4 claims: 2 supported, 1 in part, 1 without evidence". */
export function summaryWords(claims: readonly Claim[]): string {
  const count = (look: VerdictWords["look"]) => claims.filter((claim) => verdictWords(claim).look === look).length;
  const parts = [
    [count("supported"), "supported"],
    [count("partial"), "in part"],
    [count("contradicted"), "contradicted"],
    [count("unsupported"), "without evidence"],
  ] as const;
  const said = parts.filter(([number]) => number > 0).map(([number, words]) => `${number} ${words}`);
  return `${formatPlural(claims.length, "claim")}${said.length > 0 ? `: ${said.join(", ")}` : ""}`;
}

/** A detail in which the draft and a source differ, in words. */
export function differenceWords(difference: ClaimDifference): string | null {
  return wordsOfDifference(difference, "draft");
}
