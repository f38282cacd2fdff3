import { describe, expect, it } from "vitest";
import { findQuote, type Quote } from "@/lib/find-quote";

/** What is marked, piece by piece. */
function marked(pieces: string[], quote: string | Quote): string[] | null {
  const places = findQuote(pieces, typeof quote === "string" ? { words: quote } : quote);
  return places && places.map(({ piece, start, end }) => pieces[piece]!.slice(start, end));
}

describe("a quote in the pieces of a page", () => {
  it("is found within one of them and across several", () => {
    expect(marked(["The mole was rebuilt in 1931."], "rebuilt in 1931")).toEqual(["rebuilt in 1931"]);
    expect(marked(["The mole was", " ", "rebuilt", "in 1931", " after."], "mole was rebuilt in 1931")).toEqual([
      "mole was",
      " ",
      "rebuilt",
      "in 1931",
    ]);
  });

  it("may be broken into lines and hyphenated", () => {
    expect(marked(["an extraor-", "dinarily plain in\u00ad", "strument"], "extraordinarily plain instrument")).toEqual([
      "extraor-",
      "dinarily plain in\u00ad",
      "strument",
    ]);
    expect(marked(["a well-", "known station"], "well-known station")).toEqual(["well-", "known station"]);
    expect(marked(["wellknown station"], "well-known station")).toEqual(["wellknown station"]);
  });

  it("may be written with ligatures, other quotes and composed letters", () => {
    expect(marked(["the e\ufb03cient of\ufb01ce"], "efficient office")).toEqual(["e\ufb03cient of\ufb01ce"]);
    expect(marked(["He said “no”, twice"], '"no", twice')).toEqual(["no”, twice"]);
    expect(marked(["Gru\u0308ße aus Łódź"], "Grüße aus Łódź")).toEqual(["Gru\u0308ße aus Łódź"]);
    expect(marked(["港は 東京 です"], "東京です")).toEqual(["東京 です"]);
  });

  it("keeps the signs that it begins and ends with", () => {
    expect(marked(["It was cold. It was (very) dark."], "It was cold.")).toEqual(["It was cold."]);
    expect(marked(["It was (very) dark."], "(very)")).toEqual(["(very)"]);
  });

  it("is the one of several that has the same around it", () => {
    const pieces = ["Low: 7.2 m at the quay. High: 7.2 m at the mole."];
    expect(findQuote(pieces, { words: "7.2 m", before: "High: ", after: " at the mole" })).toEqual([
      { piece: 0, start: 30, end: 35 },
    ]);
    expect(findQuote(pieces, { words: "7.2 m", before: "Low: " })).toEqual([{ piece: 0, start: 5, end: 10 }]);
  });

  it("is found in its parts where something stands between them", () => {
    const pieces = ["The depth at the quay was", "Harbour report, page 3", "half a metre less than before."];
    expect(marked(pieces, "depth at the quay was half a metre less")).toEqual([
      "depth at the quay was",
      "half a metre less",
    ]);
    // The other column comes first.
    expect(
      marked(
        ["second column with its words", "first column of the page"],
        "first column of the page second column with its words",
      ),
    ).toEqual(["first column of the page", "second column with its words"]);
  });

  it("may have the number of a footnote that the page writes elsewhere", () => {
    expect(
      marked(
        ["measured at an invented harbour. The water rose twice a day"],
        "measured at an invented harbour.1 The water rose twice",
      ),
    ).toEqual(["measured at an invented harbour. The water rose twice"]);
    expect(marked(["In 1931 it was seen at an invented harbour."], "seen at an invented harbour.1")).toEqual([
      "seen at an invented harbour",
    ]);
  });

  it("is not found where it is not", () => {
    expect(marked(["The mole was rebuilt."], "The quay was dredged.")).toBeNull();
    expect(marked([], "mole")).toBeNull();
    expect(marked(["mole"], "  ")).toBeNull();
    expect(marked(["The mole"], "mole".repeat(400))).toBeNull();
  });

  it("may be nothing but signs, or beyond the first plane", () => {
    expect(marked(["a → b"], "→")).toEqual(["→"]);
    expect(marked(["at 𝟕.𝟐 m"], "7.2 m")).toEqual(["𝟕.𝟐 m"]);
  });

  it("is found in a long line in no time", () => {
    const line = "tide ".repeat(200_000);
    const started = performance.now();
    expect(marked([`${line}the last of them`], "the last of them")).toEqual(["the last of them"]);
    expect(marked([line], `${"tide ".repeat(400)}ebb`)).not.toBeNull();
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
