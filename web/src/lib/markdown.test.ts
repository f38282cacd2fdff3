import { describe, expect, it } from "vitest";
import { readParts, type Block } from "@/lib/markdown";
import { readInline, safeHref, wordsOf, type Inline } from "@/lib/markdown-inline";

const blocks = (text: string) => readParts(text).parts.map(({ block }) => block);

/** As HTML without attributes, to be read at a glance. */
function show(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if (node.type === "link") return `<a ${node.href ?? "-"}>${show(node.children)}</a>`;
      if ("children" in node) return `<${node.type}>${show(node.children)}</${node.type}>`;
      if (node.type === "picture") return `<picture ${node.href ?? "-"} ${node.alt}>`;
      if (node.type === "break") return "<br>";
      return node.type === "text" ? node.text : `<${node.type}>${node.text}</${node.type}>`;
    })
    .join("");
}
const inline = (text: string) => show(readInline(text));

describe("blocks", () => {
  it("are read as models write them", () => {
    const text = "# Title #\n\nTwo\nlines.\n\n---\n\n> quoted\n> more\n\n```js x\n[1] **no**\n```\n$$\na^2\n$$";
    expect(blocks(text)).toEqual<Block[]>([
      { type: "heading", level: 1, text: "Title" },
      { type: "paragraph", text: "Two\nlines." },
      { type: "rule" },
      { type: "quote", blocks: [{ type: "paragraph", text: "quoted\nmore" }] },
      { type: "code", language: "js", text: "[1] **no**" },
      { type: "math", text: "a^2" },
    ]);
  });

  it("lists nest, hold code, and go on over empty lines", () => {
    const [list] = blocks("1. one\n   - inner\n   - more\n\n2. two\n   ```\n   code\n   ```\n3. [x] done");
    expect(list).toMatchObject({ type: "list", ordered: true, first: 1 });
    const items = (list as Extract<Block, { type: "list" }>).items;
    expect(items.map(({ task, blocks: inner }) => [task, inner.map(({ type }) => type)])).toEqual([
      [null, ["paragraph", "list"]],
      [null, ["paragraph", "code"]],
      [true, ["paragraph"]],
    ]);
    expect(blocks("- a\n  b\nlazy\n\nafter").map(({ type }) => type)).toEqual(["list", "paragraph"]);
    expect(blocks("- a\n* b").map(({ type }) => type)).toEqual(["list", "list"]);
  });

  it("a year at the start of a line is no list", () => {
    expect(blocks("It was rebuilt in\n1931. Then it stood.")).toHaveLength(1);
  });

  it("tables have aligned columns and as many cells as their head", () => {
    expect(blocks("| a | b |\n|:--|--:|\n| 1 | x \\| y |\n| 2 |\n\nafter")).toEqual([
      {
        type: "table",
        aligns: ["left", "right"],
        head: ["a", "b"],
        rows: [
          ["1", "x | y"],
          ["2", ""],
        ],
      },
      { type: "paragraph", text: "after" },
    ]);
    expect(blocks("a | b\nno table")).toHaveLength(1);
  });

  it("a line below words makes them a heading, and elsewhere is a rule", () => {
    expect(blocks("One\ntwo [1]\n===\n\nThree\n---\nfour\n\n---")).toEqual<Block[]>([
      { type: "heading", level: 1, text: "One\ntwo [1]" },
      { type: "heading", level: 2, text: "Three" },
      { type: "paragraph", text: "four" },
      { type: "rule" },
    ]);
    // One dash may become an item, so words above it stay words while a text streams.
    expect(blocks("One\n-")).toEqual<Block[]>([{ type: "paragraph", text: "One\n-" }]);
  });

  it("a quote goes on with words that follow it, and not with other blocks", () => {
    const quote = (text: string): Block => ({ type: "quote", blocks: [{ type: "paragraph", text }] });
    expect(blocks("> a\nb\n> c\n\nd")).toEqual([quote("a\nb\nc"), { type: "paragraph", text: "d" }]);
    expect(blocks("> a\n---")).toEqual([quote("a"), { type: "rule" }]);
    expect(blocks("> # a\nb").map(({ type }) => type)).toEqual(["quote", "paragraph"]);
    expect(blocks("> ```\nb").map(({ type }) => type)).toEqual(["quote", "paragraph"]);
  });

  it("code is set in as its fence is, and may be fenced by tildes", () => {
    expect(blocks("  ```js\n  a\n    b\n  ```\n~~~ x `y`\nc\n~~~")).toEqual<Block[]>([
      { type: "code", language: "js", text: "a\n  b" },
      { type: "code", language: "x", text: "c" },
    ]);
  });

  it("HTML is text", () => {
    expect(blocks("<script>alert(1)</script>\n\n<div>\n**x**\n</div>").map(({ type }) => type)).toEqual([
      "paragraph",
      "paragraph",
    ]);
  });

  it("keeps what is finished while more comes, whatever the cut", () => {
    const text =
      "First *one*.\n\n- a\n- b [1]\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n\nmore\n```\n\nOver\n---\n\n> q\nlazy\n> r\n\nUnder\n===\nLast 🚢 港.";
    const whole = readParts(text);
    let grown = readParts("");
    for (let end = 1; end <= text.length; end += 1) {
      const before = grown;
      grown = readParts(text.slice(0, end), grown);
      before.parts.slice(0, -2).forEach((part, index) => expect(grown.parts[index]).toBe(part));
    }
    expect(grown.parts.map(({ start, block }) => [start, block])).toEqual(
      whole.parts.map(({ start, block }) => [start, block]),
    );
  });
});

describe("words", () => {
  it.each([
    ["**so** *it* is ~~not~~", "<strong>so</strong> <em>it</em> is <del>not</del>"],
    ["***both***", "<em><strong>both</strong></em>"],
    ["**a *b* c**", "<strong>a <em>b</em> c</strong>"],
    ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"],
    ["a ** b", "a ** b"],
    ["*open", "*open"],
    ["**so.**[1]", "<strong>so.</strong>[1]"],
    ["港の**防波堤**は", "港の<strong>防波堤</strong>は"],
    ["`a ** [1]` and ``b ` c``", "<code>a ** [1]</code> and <code>b ` c</code>"],
    ["`open", "`open"],
    ["It names [9].", "It names [9]."],
    ["\\*no\\* a\\b", "*no* a\\b"],
    ["a  \nb\\\nc\nd", "a<br>b<br>c\nd"],
    ["&amp; &lt;b&gt; &#65; &nope;", "& <b> A &nope;"],
    ["<b>x</b> <https://a.b/c> <a@b.c>", "<b>x</b> <a https://a.b/c>https://a.b/c</a> <a mailto:a@b.c>a@b.c</a>"],
    ["<ftp://a.b> <a\\@b.c> <b:>", "<a ->ftp://a.b</a> <a@b.c> <b:>"],
    ["&copy; &Auml;&szlig; &frac12; &#0; &Nope;", "© Äß ½ \ufffd &Nope;"],
    ["a***b***c", "a<em><strong>b</strong></em>c"],
    ["$x^2$ costs $5 or $6, \\(y\\)", "<math>x^2</math> costs $5 or $6, <math>y</math>"],
  ])("%s", (text, expected) => expect(inline(text)).toBe(expected));

  it("links lead to the web, and to nothing else", () => {
    expect(inline('[a *b*](https://x.y/z_(1) "t")')).toBe("<a https://x.y/z_(1)>a <em>b</em></a>");
    expect(
      inline("[a](javascript:alert(1)) [b](JaVaScRiPt:x) [c](data:text/html,x) [d](/status) [e](<vbscript:x>)"),
    ).not.toMatch(/script:|data:|status/);
    expect(inline("[a](https://x.y/\\(1\\)) [b](<https://x.y/a b>) [c](https://x.y/?a=1&amp;b=2 't\\'')")).toBe(
      "<a https://x.y/(1)>a</a> <a https://x.y/a b>b</a> <a https://x.y/?a=1&b=2>c</a>",
    );
    expect(inline("[a](java&#115;cript:x) [b](java\\script:x) [c](&#106;avascript:x) <javascript:x>")).toBe(
      "<a ->a</a> <a ->b</a> <a ->c</a> <a ->javascript:x</a>",
    );
    expect(inline("see https://a.b/c. (www.d.e/f) xhttps://no")).toBe(
      "see <a https://a.b/c>https://a.b/c</a>. (<a https://www.d.e/f>www.d.e/f</a>) xhttps://no",
    );
    expect(inline("![alt](https://x.y/z.png) ![no](file:///x)")).toBe("<picture https://x.y/z.png alt> <picture - no>");
    expect(inline("[a [b](https://c.d) e](https://f.g)")).toContain("<a https://c.d>b</a>");
    for (const href of ["java\nscript:x", " javascript:x", "//evil", "ftp://x"]) expect(safeHref(href)).toBeNull();
  });

  it("loses no word", () => {
    const text = "a **b *c `d` [e](https://f) ~~g _h_ **i* j** $k$ [l] ![m](https://n)";
    for (const word of "abcdeghijklm") expect(wordsOf(readInline(text))).toContain(word);
  });
});

it("no text takes long to read", () => {
  const line = (piece: string) => piece.repeat(Math.floor(12_000 / piece.length));
  const hostile = [
    ...[
      "*a ",
      "a**b",
      "_a_",
      "[",
      "[]",
      "](",
      "[a](",
      "`a``",
      "$a",
      "\\(",
      "<a ",
      "&",
      "~~a ",
      "![",
      "www.",
      "**a *b ",
      "[a](<",
      "[a](\\(",
      '[a](b "',
      "<a:",
      "&#1",
      "a***",
    ].map(line),
    "word ".repeat(200_000),
    ">".repeat(5000),
    Array.from({ length: 400 }, (_, depth) => `${" ".repeat(depth)}- x`).join("\n"),
    "- item\n".repeat(10_000),
    "> a\nb\n".repeat(5000),
    "a\n".repeat(20_000) + "===",
    "> - ".repeat(3000),
    "$$\n".repeat(5000),
    "| a |\n|---|\n| b |\n".repeat(3000),
  ];
  for (const text of hostile) {
    const start = performance.now();
    const walk = (block: Block): unknown =>
      block.type === "paragraph"
        ? readInline(block.text)
        : block.type === "quote"
          ? block.blocks.map(walk)
          : block.type === "list"
            ? block.items.map((item) => item.blocks.map(walk))
            : null;
    blocks(text).forEach(walk);
    expect(performance.now() - start, text.slice(0, 20)).toBeLessThan(1500);
  }
});
