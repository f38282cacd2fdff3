import { describe, expect, it } from "vitest";
import type {
  DocumentPassage,
  DocumentSource,
  DocumentSupport,
  PreviewAnswer,
  PreviewBody,
} from "@/api/documents-types";
import { passagesOf } from "@/features/documents/cite-choices";
import {
  fileName,
  namesOf,
  pickStyles,
  plainSentence,
  sourceLine,
  stateWords,
  styleName,
} from "@/features/documents/document-words";
import { parseDocumentSearch, parseDocumentsSearch } from "@/features/documents/documents-search";
import { Previewer } from "@/features/documents/previewer";
import { sentenceAround } from "@/features/documents/sentences";
import { placed, verdictOf } from "@/features/documents/use-support";
import { Problem } from "@/lib/problem";

describe("the address of a document", () => {
  it("keeps what is meant and drops the rest", () => {
    expect(parseDocumentSearch({ view: "pages", panel: "history", page: 3, version: 12, against: "now" })).toEqual({
      view: "pages",
      panel: "history",
      page: 3,
      version: 12,
      against: "now",
    });
    expect(parseDocumentSearch({ view: "text", panel: "x", page: 1, version: "12", against: "now" })).toEqual({});
    expect(parseDocumentsSearch({ q: 1931 })).toEqual({ q: "1931" });
  });
});

describe("styles", () => {
  const style = (style_id: string, title: string, is_own = false, aliases: string[] = []) => ({
    style_id,
    title,
    is_own,
    aliases,
  });
  const styles = [
    style("zeta", "Zeta"),
    style("nature", "Nature"),
    style("alpha", "Alpha journal"),
    style("mine", "Mine", true),
    style("american-psychological-association", "American Psychological Association", false, ["apa"]),
  ];

  it("are one's own, the common ones in their order, and the others by name", () => {
    const { own, common, others } = pickStyles(styles, "");
    expect([own, common, others].map((some) => some.map(({ title }) => title))).toEqual([
      ["Mine"],
      ["American Psychological Association", "Nature"],
      ["Alpha journal", "Zeta"],
    ]);
  });

  it("are found by what people call them", () => {
    expect(pickStyles(styles, "apa").common).toHaveLength(1);
    expect(pickStyles(styles, "journal alpha").others).toHaveLength(1);
    expect(styleName(styles, "apa")).toBe("APA");
    expect(styleName(styles, "zeta")).toBe("Zeta");
    expect(styleName(undefined, "zeta")).toBe("zeta");
  });
});

describe("words", () => {
  it("say how a text stands", () => {
    expect(stateWords({ kind: "saved", version: 12 })).toBe("Saved · version 12");
    expect(stateWords({ kind: "typed", version: 12 })).toBe("Saving…");
    expect(stateWords({ kind: "failed", version: 12, problem: Problem.unreachable() })).toBe("Not saved: offline");
    expect(sourceLine({ source_type: "WEB_PAGE", citation_count: 2 })).toBe("Web page · cited 2 times");
  });

  it("are searched for without citations and markup, and named without what files may not hold", () => {
    expect(plainSentence("The *mole* was  rebuilt.[^3]")).toBe("The mole was rebuilt.");
    expect(plainSentence("Rebuilt#footnote[12].")).toBe("Rebuilt.");
    expect(fileName("What, and / why?", "pdf")).toBe("What-and-why.pdf");
    expect(fileName("???", "pdf")).toBe("document.pdf");
    expect(namesOf("Berg, Anna; Ek, Jon;")).toEqual(["Berg, Anna", "Ek, Jon"]);
  });

  it("are a sentence around a citation", () => {
    const text = "The mole stands. It is 3.1 m high.[^1] It was rebuilt[^2] in 1931. New.\nNext[^3] line";
    const around = (number: number) => plainSentence(sentenceAround(text, text.indexOf(`[^${number}]`)));
    expect([1, 2, 3].map(around)).toEqual(["It is 3.1 m high.", "It was rebuilt in 1931.", "Next line"]);
  });
});

describe("what can be cited", () => {
  const source = { source_id: "s", title: "Survey", authors: ["Berg, Anna"], date: "1931" } as DocumentSource;
  const own = [
    { source_id: "s", title: "Survey", text: " Depth is 7.2 m. ", start_char: 4, page: 2 } as DocumentPassage,
  ];
  const hit = (source_id: string, quote: string) => ({
    source_id,
    title: source_id,
    source: { author: null, publication_date: null } as never,
    evidence: [{ quote, start_char: 0, page: null } as never],
  });

  it("is the document's sources without words, and passages with them, each source once", () => {
    expect(passagesOf("", [source], own, []).map(({ name, choices }) => [name, choices.length])).toEqual([
      ["Sources of this document", 1],
    ]);
    const groups = passagesOf("depth", [source], own, [hit("s", "Depth"), hit("other", "Deep")]);
    expect(groups.map(({ choices }) => choices.map(({ passage }) => passage.quote))).toEqual([
      ["Depth is 7.2 m."],
      ["Deep"],
    ]);
    expect(groups[0]!.choices[0]!.passage.page).toBe(2);
    expect(passagesOf("berg", [source], [], []).map(({ name }) => name)).toEqual(["Sources of this document"]);
  });
});

describe("a check", () => {
  const support: DocumentSupport = {
    claims: [
      { text: "🚢 One.[^1]", start_index: 0, end_index: 10, verdict: "supported", score: 1, citation_numbers: [1] },
      { text: "Two.[^1]", start_index: 11, end_index: 19, verdict: "unsupported", score: 0, citation_numbers: [1] },
    ],
    uncited: [{ text: "Three.", start_index: 20, end_index: 26 }],
  };
  const text = "🚢 One.[^1] Two.[^1] Three.";

  it("marks what is not borne out, where it is by now", () => {
    expect(
      placed(support, text, `New. ${text}`).map(({ kind, text: words, from, to }) => [
        kind,
        words,
        `New. ${text}`.slice(from, to),
      ]),
    ).toEqual([
      ["unsupported", "Two.", "Two.[^1]"],
      ["uncited", "Three.", "Three."],
    ]);
  });

  it("judges a citation by the worst that it stands for", () => {
    expect(verdictOf(1, support)).toBe("unsupported");
    expect(verdictOf(2, support)).toBe("unchecked");
  });
});

describe("the pages", () => {
  it("are asked for one answer at a time, with what is known, and the last text wins", async () => {
    const asked: { body: PreviewBody; answer: (answer: PreviewAnswer) => void }[] = [];
    const previewer = new Previewer({
      ask: (body) => new Promise((answer) => asked.push({ body, answer })),
      ready: () => Promise.resolve(),
      make: (svg) => `blob:${svg}`,
      letGo: () => undefined,
    });
    const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
    const page = (hash: string, svg: string | null) => ({
      page_count: 1,
      pages: [{ number: 1, width: 1, height: 1, hash, svg }],
      faults: [],
      elapsed_ms: 1,
    });
    previewer.want("a", 0);
    await turn();
    previewer.want("ab", 0);
    previewer.want("abc", 0);
    await turn();
    expect(asked.map(({ body }) => body.text)).toEqual(["a"]);
    asked[0]!.answer(page("1", "one"));
    await turn();
    expect(previewer.state()).toMatchObject({ stale: true, pages: [{ url: "blob:one" }] });
    expect(asked[1]!.body).toMatchObject({ text: "abc", known: ["1"] });
    asked[1]!.answer(page("1", null));
    await turn();
    expect(previewer.state()).toMatchObject({ stale: false, pages: [{ url: "blob:one" }] });
    expect(asked).toHaveLength(2);

    previewer.want("abc(", 0);
    await turn();
    asked[2]!.answer({
      page_count: 0,
      pages: [],
      faults: [{ message: "unclosed", hints: [], line: 1, column: 4, severity: "error" }],
      elapsed_ms: 1,
    });
    await turn();
    expect(previewer.state()).toMatchObject({ stale: true, pages: [{ url: "blob:one" }], faults: [{ line: 1 }] });
    previewer.close();
  });
});
