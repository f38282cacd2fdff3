import { describe, expect, it } from "vitest";
import type { Citation, ClaimCheck, MarkerPlace } from "@/api/types";
import { asWritten, placeCitations, splitBadges, type Placed } from "@/lib/citation-places";
import { claimNote, flaggedChecks, flaggedCitations, isStruck, withCheck, withRewritten } from "@/lib/flagged-claims";
import { withFootnotes } from "@/lib/footnotes";
import { markClaims } from "@/lib/mark-claims";
import { readInline, type Inline } from "@/lib/markdown-inline";

/** The place of words in a text, counted in Unicode scalar values as the server does. */
function placeOf(text: string, words: string): { start_index: number; end_index: number } {
  const start_index = [...text.slice(0, text.indexOf(words))].length;
  return { start_index, end_index: start_index + [...words].length };
}

function check(text: string, claim: string, more: Partial<ClaimCheck> = {}): ClaimCheck {
  return {
    ...placeOf(text, claim),
    numbers: [1],
    verdict: "unsupported",
    score: 0.1,
    number: 1,
    source_id: "s",
    revision_id: "r",
    quote: "The mole is 27 metres long.",
    start_char: 10,
    end_char: 37,
    why: [],
    ...more,
  };
}

const figure = (text: string, claim: string, source: string | null) => ({
  kind: "figure" as const,
  claim,
  ...placeOf(text, claim),
  source,
  start_char: source ? 22 : null,
  end_char: source ? 31 : null,
});

const TEXT = "🚢 The mole is 72 metres long [1]. It fell [1][2]. **It rose.** [2]";
const MARKERS: MarkerPlace[] = [
  { ...placeOf(TEXT, "[1]"), numbers: [1] },
  { start_index: placeOf(TEXT, "[1][2]").start_index, end_index: placeOf(TEXT, "[1][2]").end_index, numbers: [1, 2] },
];
const mole = check(TEXT, "🚢 The mole is 72 metres long [1].", {
  verdict: "contradicted",
  why: [figure(TEXT, "72 metres", "27 metres")],
});
const fell = check(TEXT, "It fell [1][2].", { numbers: [1, 2] });

/** The words with what is marked in brackets: ⟦a claim⟧, ⟨a correction⟩; a `!` after the last words of each. */
function drawn(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if (node.type === "claim") {
        const [open, close] = node.correction === null ? ["⟦", "⟧"] : ["⟨", "⟩"];
        return `${open}${drawn(node.children)}${close}${node.isLast ? "!" : ""}`;
      }
      if (node.type === "strong") return `<b>${drawn(node.children)}</b>`;
      if (node.type === "em") return `<i>${drawn(node.children)}</i>`;
      if ("children" in node) return drawn(node.children);
      return node.type === "text" ? splitBadges(node.text).join("#") : "·";
    })
    .join("");
}
const marked = (content: string, ...checks: ClaimCheck[]): string =>
  drawn(markClaims(readInline(placeCitations(content, [], [], [], flaggedChecks(checks)).text)));

describe("claims that are marked", () => {
  it("are those that no source bears out, as good as the best of their citations", () => {
    const claim = { claim_start_index: 0, claim_end_index: 20 };
    const cite = (number: number, verdict: Citation["verdict"], score: number, more: Partial<Citation> = {}) =>
      ({ number, verdict, score, source_id: `s${number}`, why: [], ...claim, ...more }) as unknown as Citation;
    const flags = (...citations: Citation[]) =>
      flaggedCitations(citations).map(({ verdict, href, sources }) => [verdict, href, sources]);
    expect(flags(cite(1, "supported", 0.9))).toEqual([]);
    expect(flags(cite(1, "contradicted", 0.1), cite(2, "partial", 0.5))).toEqual([]);
    expect(flags(cite(1, "unverifiable", 0), cite(2, "contradicted", 0.1))).toEqual([
      ["contradicted", "/sources/s2", 2],
    ]);
    expect(flags(cite(1, "unsupported", 0.1), cite(2, "unsupported", 0.3), cite(2, "unsupported", 0.3))).toEqual([
      ["unsupported", "/sources/s2", 2],
    ]);
    expect(flags(cite(1, "unsupported", 0.3), cite(2, "contradicted", 0.1))).toEqual([
      ["contradicted", "/sources/s2", 2],
    ]);
    expect(flags(cite(1, null, 0), cite(1, "contradicted", 0, { claim_start_index: null }))).toEqual([]);
  });

  it("are the same while an answer comes and when it is kept", () => {
    const kept = [mole, fell].map(
      ({ start_index, end_index, number, ...more }) =>
        ({ ...more, number, claim_start_index: start_index, claim_end_index: end_index }) as unknown as Citation,
    );
    const coming = flaggedChecks([fell, mole]);
    expect(flaggedCitations(kept).map((claim) => ({ ...claim, sources: 0 }))).toEqual(
      coming.map((claim) => ({ ...claim, sources: 0 })),
    );
    expect(coming[0]!.corrections).toEqual([
      { ...placeOf(TEXT, "72 metres"), source: "27 metres", href: "/sources/s?revision=r#c=22-31" },
    ]);
  });

  it("give way to a later result for the same words", () => {
    const first = check(TEXT, "It fell");
    expect(withCheck(withCheck([mole], first), fell)).toEqual([mole, fell]);
    expect(withCheck([], fell)).toEqual([fell]);
    const inside = { ...fell, start_index: fell.start_index + 2 };
    expect(flaggedChecks([inside, fell])).toHaveLength(1);
  });

  it("say in words what is wrong", () => {
    const claims = flaggedChecks([mole, fell]);
    expect(claims.map(claimNote)).toEqual([null, "not supported by its sources"]);
    expect(claims.map(isStruck)).toEqual([false, false]);
    const [struck] = flaggedChecks([check(TEXT, "It fell", { verdict: "contradicted" })]);
    expect([claimNote(struck!), isStruck(struck!)]).toEqual(["its source says otherwise", true]);
    const denied = { ...figure(TEXT, "", "not"), kind: "negation" as const, start_index: null, end_index: null };
    const [denies] = flaggedChecks([check(TEXT, "It fell", { verdict: "contradicted", why: [denied] })]);
    expect([claimNote(denies!), isStruck(denies!)]).toEqual(["its source says “not”", true]);
    // A word that the source has nothing for is not struck out by itself.
    const missing = [figure(TEXT, "72 metres", null)];
    const [lacks] = flaggedChecks([{ ...mole, why: missing }]);
    expect([lacks!.corrections, isStruck(lacks!)]).toEqual([[], true]);
  });
});

describe("claims that were rewritten", () => {
  it("say what stood there before, whether they are right now or not", () => {
    const now = "It is 27 metres long [1]. It fell [1].";
    const claims = flaggedChecks([check(now, "It fell [1].")]);
    const rewritten = [
      {
        ...placeOf(now, "It is 27 metres long [1]."),
        before: "It is 72 metres long.",
        verdict: "contradicted" as const,
      },
      { ...placeOf(now, "It fell [1]."), before: "It did not fall.", verdict: "contradicted" as const },
    ];
    expect(withRewritten(claims, rewritten).map(claimNote)).toEqual([
      "rewritten from its source; it said: “It is 72 metres long.”",
      "not supported by its source; rewritten from its source; it said: “It did not fall.”",
    ]);
    expect(withRewritten(claims, [])).toEqual(claims);
    expect(withFootnotes(placeCitations(now, [], [], [], withRewritten([], rewritten.slice(0, 1))), [])).toBe(
      "It is 27 metres long [1]. (rewritten from its source; it said: “It is 72 metres long.”) It fell [1].",
    );
  });
});

describe("the place of a marked claim", () => {
  const placed: Placed = placeCitations(TEXT, MARKERS, [], [], flaggedChecks([mole, fell]));

  it("is between two signs, which are no words", () => {
    expect(drawn(markClaims(readInline(placed.text)))).toBe(
      "⟦🚢 The mole is ⟨72 metres⟩! long#0#.⟧! ⟦It fell#1#.⟧! <b>It rose.</b> [2]",
    );
    expect(asWritten(placed.text, placed.badges)).toBe(TEXT);
    expect(placed.badges).toEqual(placeCitations(TEXT, MARKERS, []).badges);
    expect(splitBadges(placed.text)).toEqual(splitBadges(placeCitations(TEXT, MARKERS, []).text));
  });

  it("may begin and end within emphasis, links and code", () => {
    const bold = "It is **72 metres** long. So **it is. It was** so.";
    const why = [figure(bold, "72 metres", "27 metres")];
    expect(
      marked(
        bold,
        check(bold, "It is **72 metres** long.", { verdict: "contradicted", why }),
        check(bold, "So **it is."),
        check(bold, "It was** so."),
      ),
    ).toBe("⟦It is <b>⟨72 metres⟩!</b> long.⟧! ⟦So ⟧<b>⟦it is.⟧! ⟦It was⟧</b>⟦ so.⟧!");
    const link = "See [it. There](https://a.b) and `x. y` then.";
    expect(marked(link, check(link, "See [it."), check(link, "There](https://a.b) and `x."))).toMatch(
      /^⟦See it\. There/,
    );
    const nested = "A *b **c** d* e.";
    expect(marked(nested, check(nested, "c** d* e."))).toBe("A <i>b <b>⟦c⟧</b>⟦ d⟧</i>⟦ e.⟧!");
  });

  it("leaves lists, quotes and tables as they are", () => {
    for (const content of ["- It fell.", "1. It fell.", "> It fell.", "> - It fell."]) {
      const { text } = placeCitations(content, [], [], [], flaggedChecks([check(content, content)]));
      expect(text.startsWith(content.slice(0, -"It fell.".length)), content).toBe(true);
    }
  });

  it("past the end of the text is nowhere", () => {
    const far = { ...fell, start_index: 900, end_index: 999 };
    expect(placeCitations("So.", [], [], [], flaggedChecks([far])).text).toBe("So.");
  });
});

describe("a copy in Markdown", () => {
  it("strikes out what is wrong, and says what has no support", () => {
    const placed = placeCitations(TEXT, MARKERS, [], [], flaggedChecks([mole, fell]));
    const notes = [1, 2].map((number) => ({ number, title: "Survey", quotes: [], url: null }));
    expect(withFootnotes(placed, notes).split("\n")[0]).toBe(
      "🚢 The mole is ~~72 metres~~ → 27 metres long[^1]. It fell[^1][^2]. (not supported by its sources) **It rose.** [2]",
    );
    const whole = placeCitations(TEXT, [], [], [], flaggedChecks([{ ...mole, why: [] }]));
    expect(withFootnotes(whole, [])).toContain(
      "~~🚢 The mole is 72 metres long [1].~~ (its source says otherwise) It fell",
    );
  });
});
