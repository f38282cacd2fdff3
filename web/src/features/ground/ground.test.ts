import { describe, expect, it } from "vitest";
import type { BoundClaim, ContradictedClaim, Verdict } from "@/api/types";
import { claimsOf, differenceWords, pieces, summaryWords, verdictWords } from "@/features/ground/claims";

const bound = (start_index: number, end_index: number, verdict: Verdict) =>
  ({ text: "", start_index, end_index, verdict, number: 1 }) as BoundClaim;

describe("a grounded draft", () => {
  const draft = "🚢 The mole stands. It is old. The moon is cheese.";
  const answer = {
    claims: [bound(2, 18, "supported"), bound(19, 29, "partial")],
    unsupported: [{ text: "The moon is cheese.", start_index: 30, end_index: 49 }],
    contradicted: [],
  };
  const claims = claimsOf(answer);

  it("is cut at its claims, in characters, and loses nothing", () => {
    expect(pieces(draft, claims).map(({ text, claim }) => [text, claim && verdictWords(claim).word])).toEqual([
      ["🚢 ", null],
      ["The mole stands.", "Supported"],
      [" ", null],
      ["It is old.", "Supported in part"],
      [" ", null],
      ["The moon is cheese.", "No evidence found"],
    ]);
    expect(
      pieces(draft, claims)
        .map(({ text }) => text)
        .join(""),
    ).toBe(draft);
    expect(
      pieces("shorter", claims)
        .map(({ text }) => text)
        .join(""),
    ).toBe("shorter");
  });

  it("says what the library contradicts, and with which words", () => {
    const why = [{ kind: "figure" as const, claim: "72 metres", source: "27 metres", start_char: 4, end_char: 13 }];
    const against = { start_index: 30, end_index: 49, why } as ContradictedClaim;
    const found = claimsOf({ ...answer, contradicted: [against] });
    expect(verdictWords(found[2]!).look).toBe("contradicted");
    expect(summaryWords(found)).toBe("3 claims: 1 supported, 1 in part, 1 contradicted");
    expect(why.map(differenceWords)).toEqual(["“72 metres” in the draft, “27 metres” in the source."]);
  });

  it("is told in a line", () => {
    expect(summaryWords(claims)).toBe("3 claims: 1 supported, 1 in part, 1 without evidence");
    expect(summaryWords([])).toBe("0 claims");
  });
});
