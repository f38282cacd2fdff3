import type { Verdict } from "@/api/types";

/** A sentence that nothing bears out, or not all of it, and where in the text it stands. */
export interface ClaimMark {
  kind: Extract<Verdict, "partial" | "unsupported" | "contradicted"> | "uncited";
  text: string;
  from: number;
  to: number;
}

export const CLAIM_WORDS: Record<ClaimMark["kind"], string> = {
  uncited: "No source given",
  partial: "Partly supported",
  unsupported: "No evidence found",
  contradicted: "The source says otherwise",
};
