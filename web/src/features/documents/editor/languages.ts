import {
  defineLanguageFacet,
  HighlightStyle,
  Language,
  languageDataProp,
  StreamLanguage,
  syntaxHighlighting,
  type StreamParser,
} from "@codemirror/language";
import { Prec, type Extension } from "@codemirror/state";
import { keymap, type EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { parser, Strikethrough, Table, TaskList } from "@lezer/markdown";
import type { DocumentFormat } from "@/api/types";

const data = defineLanguageFacet({ commentTokens: { block: { open: "<!--", close: "-->" } } });
const markdown = new Language(
  data,
  parser.configure([Table, Strikethrough, TaskList, { props: [languageDataProp.add({ Document: data })] }]),
  [],
  "markdown",
);

interface TypstState {
  /** What the line before has left open. */
  within: "text" | "raw" | "comment" | "math";
  /** How many backticks close it. */
  ticks: string;
}

/** As much of Typst as the eye needs: headings, emphasis, code, math, comments and calls. */
export const typstParser: StreamParser<TypstState> = {
  name: "typst",
  startState: () => ({ within: "text", ticks: "" }),
  languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } } },
  token(stream, state) {
    if (state.within === "comment") {
      if (stream.skipTo("*/")) {
        stream.match("*/");
        state.within = "text";
      } else stream.skipToEnd();
      return "comment";
    }
    if (state.within === "raw") {
      if (stream.skipTo(state.ticks)) {
        stream.match(state.ticks);
        state.within = "text";
      } else stream.skipToEnd();
      return "monospace";
    }
    if (state.within === "math") {
      if (stream.skipTo("$")) {
        stream.next();
        state.within = "text";
      } else stream.skipToEnd();
      return "number";
    }
    if (stream.sol()) {
      stream.eatSpace();
      if (stream.match(/^=+\s/)) {
        stream.skipToEnd();
        return "heading";
      }
      if (stream.match(/^([-+/]|\d+\.)\s/)) return "list";
    }
    if (stream.match("/*")) {
      state.within = "comment";
      return "comment";
    }
    // An address has the same two strokes.
    if (stream.match(/^https?:\/\/[^\s)\]]+/)) return "link";
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    const ticks = stream.match(/^`+/) as RegExpMatchArray | null;
    if (ticks) {
      state.ticks = ticks[0];
      state.within = "raw";
      return "monospace";
    }
    if (stream.match(/^\\./)) return null;
    if (stream.match("$")) {
      state.within = "math";
      return "number";
    }
    if (stream.match(/^#(let|set|show|import|include|if|else|for|while|return|none|auto|true|false)\b/))
      return "keyword";
    if (stream.match(/^#[\p{L}_][\p{L}\p{N}_.-]*/u)) return "variableName";
    if (stream.match(/^\*[^*\n]+\*/)) return "strong";
    if (stream.match(/^_[^_\n]+_(?![\p{L}\p{N}])/u)) return "emphasis";
    if (stream.match(/^"(\\.|[^"\\\n])*"/)) return "string";
    if (stream.match(/^<[\p{L}\p{N}_:.-]+>/u) || stream.match(/^@[\p{L}\p{N}_:.-]+/u)) return "link";
    stream.next();
    stream.match(/^[\p{L}\p{N} ,;:.]+/u);
    return null;
  },
};

const looks = HighlightStyle.define([
  { tag: tags.heading, fontWeight: "600", fontSize: "1.0625em" },
  { tag: tags.strong, fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.monospace, tags.number], fontFamily: "var(--mono)", fontSize: "0.875em" },
  { tag: [tags.link, tags.url], color: "var(--accent)" },
  { tag: tags.comment, color: "var(--ink-3)", fontStyle: "italic" },
  { tag: [tags.keyword, tags.variableName], color: "var(--accent)" },
  {
    tag: [tags.processingInstruction, tags.list, tags.contentSeparator, tags.string, tags.quote],
    color: "var(--ink-2)",
  },
]);

/** A new line of a list begins as the one before; an empty one ends the list. */
function continueList(view: EditorView): boolean {
  const { main } = view.state.selection;
  const line = view.state.doc.lineAt(main.head);
  const found = /^(\s*)([-*+]|(\d{1,9})([.)]))(\s+)/.exec(line.text);
  if (!found || !main.empty || main.head < line.from + found[0].length) return false;
  if (line.text.length === found[0].length) {
    view.dispatch({ changes: { from: line.from, to: line.to }, userEvent: "input" });
    return true;
  }
  const sign = found[3] ? `${Number(found[3]) + 1}${found[4]}` : found[2];
  const insert = `\n${found[1]}${sign}${found[5]}`;
  view.dispatch({
    changes: { from: main.head, insert },
    selection: { anchor: main.head + insert.length },
    scrollIntoView: true,
    userEvent: "input",
  });
  return true;
}

export function languageOf(format: DocumentFormat): Extension {
  return [
    format === "typst"
      ? StreamLanguage.define(typstParser)
      : [markdown.extension, Prec.high(keymap.of([{ key: "Enter", run: continueList }]))],
    syntaxHighlighting(looks),
  ];
}
