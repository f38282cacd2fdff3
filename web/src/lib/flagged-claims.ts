import type { Citation, ClaimCheck, RewrittenClaim, Verdict } from "@/api/types";
import { citationHref } from "@/lib/citation-words";

/** Words of a claim for which its source has others. Places count Unicode scalar values, as the server's do. */
export interface Correction {
  start_index: number;
  end_index: number;
  /** The words of the source. */
  source: string;
  /** Where they stand in the source. */
  href: string | null;
}

/** A claim that its source does not bear out, or did not before it was rewritten, with its place in the answer. */
export interface FlaggedClaim {
  start_index: number;
  end_index: number;
  /** What is wrong with it; null if nothing is any more. */
  verdict: "unsupported" | "contradicted" | null;
  /** What it said before it was rewritten; null if it was not. */
  before: string | null;
  /** How many sources it cites. */
  sources: number;
  /** The words of the source that come closest. */
  href: string | null;
  /** The words that are wrong; none if the whole claim is. */
  corrections: Correction[];
  /** Words of the source that stand for none of the claim. */
  says: string | null;
}

/** The most corrections of one claim that are shown. */
export const MOST_CORRECTIONS = 16;

/** The claims to be marked, of what a stream has told so far. */
export function flaggedChecks(checks: readonly ClaimCheck[]): FlaggedClaim[] {
  return inOrder(checks.flatMap((check) => flagged(check) ?? []));
}

/** The claims of a message to be marked. Of several citations, the one decides that also does at the server. */
export function flaggedCitations(citations: readonly Citation[]): FlaggedClaim[] {
  const best = new Map<string, ClaimCheck>();
  for (const citation of citations) {
    const { claim_start_index: start, claim_end_index: end, verdict } = citation;
    if (start == null || end == null || !verdict) continue;
    const key = `${start}-${end}`;
    const known = best.get(key);
    const numbers = [...new Set([...(known?.numbers ?? []), citation.number])];
    const one: ClaimCheck = {
      start_index: start,
      end_index: end,
      numbers,
      verdict,
      score: citation.score ?? 0,
      number: citation.number,
      source_id: citation.source_id ?? null,
      revision_id: citation.revision_id ?? null,
      quote: citation.quote ?? null,
      start_char: citation.start_char ?? null,
      end_char: citation.end_char ?? null,
      why: citation.why,
    };
    best.set(key, known && !isBetter(one, known) ? { ...known, numbers } : one);
  }
  return inOrder([...best.values()].flatMap((check) => flagged(check) ?? []));
}

/** The one that decides last. What says nothing of a matter does not hide what says otherwise. */
const RANK: readonly Verdict[] = ["unverifiable", "unsupported", "contradicted", "partial", "supported"];

function isBetter(one: ClaimCheck, other: ClaimCheck): boolean {
  const [rank, known] = [RANK.indexOf(one.verdict), RANK.indexOf(other.verdict)];
  return rank > known || (rank === known && one.score > other.score);
}

function flagged(check: ClaimCheck): FlaggedClaim | null {
  const { verdict, start_index, end_index, source_id, revision_id } = check;
  if (verdict !== "unsupported" && verdict !== "contradicted") return null;
  const hrefTo = (start_char: number | null, end_char: number | null) =>
    citationHref({ source_id, revision_id, start_char, end_char, url: null });
  const why = verdict === "contradicted" ? check.why : [];
  const corrections = why.flatMap(({ start_index: start, end_index: end, source, ...place }) => {
    const isInside = start != null && end != null && start >= start_index && start < end && end <= end_index;
    return isInside && source
      ? [{ start_index: start, end_index: end, source, href: hrefTo(place.start_char, place.end_char) }]
      : [];
  });
  return {
    start_index,
    end_index,
    verdict,
    before: null,
    sources: check.numbers.length,
    href: hrefTo(check.start_char, check.end_char),
    corrections: inOrder(corrections).slice(0, MOST_CORRECTIONS),
    says: corrections.length === 0 ? (why.find(({ source }) => source)?.source ?? null) : null,
  };
}

/** In the order of the text; of those that overlap, the first. */
function inOrder<T extends { start_index: number; end_index: number }>(all: readonly T[]): T[] {
  const sorted = [...all].sort((a, b) => a.start_index - b.start_index);
  const kept: T[] = [];
  for (const one of sorted) if (one.start_index >= (kept.at(-1)?.end_index ?? 0)) kept.push(one);
  return kept;
}

/** The same with the claims that were rewritten, whatever is said of them now. */
export function withRewritten(claims: readonly FlaggedClaim[], rewritten: readonly RewrittenClaim[]): FlaggedClaim[] {
  if (rewritten.length === 0) return [...claims];
  const isOf = (claim: FlaggedClaim, one: RewrittenClaim) =>
    claim.start_index < one.end_index && one.start_index < claim.end_index;
  const changed = claims.map((claim) => ({
    ...claim,
    before: rewritten.find((one) => isOf(claim, one))?.before ?? null,
  }));
  const good = rewritten.filter((one) => !claims.some((claim) => isOf(claim, one)));
  return inOrder([
    ...changed,
    ...good.map(({ start_index, end_index, before }) => ({
      start_index,
      end_index,
      verdict: null,
      before,
      sources: 1,
      href: null,
      corrections: [],
      says: null,
    })),
  ]);
}

/** A result takes the place of those that it overlaps: the text may have been read otherwise before it was whole. */
export function withCheck(checks: readonly ClaimCheck[], check: ClaimCheck): ClaimCheck[] {
  const { start_index: start, end_index: end } = check;
  return [...checks.filter((known) => known.end_index <= start || known.start_index >= end), check];
}

/** What is said of a marked claim, in words. */
export function claimNote(claim: FlaggedClaim): string | null {
  const rewritten = claim.before === null ? null : `rewritten from its source; it said: “${claim.before}”`;
  return [verdictNote(claim), rewritten].filter(Boolean).join("; ") || null;
}

function verdictNote({ verdict, sources, corrections, says }: FlaggedClaim): string | null {
  if (verdict === "unsupported") return `not supported by ${sources === 1 ? "its source" : "its sources"}`;
  if (verdict === null || corrections.length > 0) return null;
  return says ? `its source says “${says}”` : "its source says otherwise";
}

/** Whether all of the claim is struck out, and not only words of it. */
export function isStruck({ verdict, corrections }: FlaggedClaim): boolean {
  return verdict === "contradicted" && corrections.length === 0;
}
