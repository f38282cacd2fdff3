import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, type Text } from "@codemirror/state";
import { drawSelection, EditorView, keymap, placeholder } from "@codemirror/view";
import { useEffect, useEffectEvent, useImperativeHandle, useRef, useState, type Ref } from "react";
import type { TextDiagnostic } from "@/api/documents-types";
import type { DocumentFormat } from "@/api/types";
import { badges, setBadges, type BadgeLooks } from "@/features/documents/editor/badges";
import type { ClaimMark } from "@/features/documents/claims";
import { claimMarks, claimsAt, setClaims } from "@/features/documents/editor/claim-marks";
import { languageOf } from "@/features/documents/editor/languages";
import { look } from "@/features/documents/editor/look";
import { replacement } from "@/features/documents/places";

/** What others can do to the text. */
export interface EditorHandle {
  /** Writes at a place, or at the cursor. */
  insert: (text: string, at?: number) => void;
  /** Makes it another text, with the cursor where it was. */
  replaceText: (text: string) => void;
  /** The cursor, or the end of what is selected. */
  cursor: () => number;
  selected: () => string;
  /** To a line and a column, which count from 1 as the compiler does. */
  jump: (line: number, column: number) => void;
  focus: () => void;
  /** Where on the screen a place is, the cursor if it is not said. */
  box: (at?: number) => { left: number; top: number; bottom: number };
  /** The sentences whose mark this is. */
  claimsOf: (mark: Element) => ClaimMark[];
}

interface Props {
  ref: Ref<EditorHandle>;
  /** What it begins with; after that the text is its own. */
  text: string;
  format: DocumentFormat;
  badges: BadgeLooks;
  claims: readonly ClaimMark[];
  faults: readonly TextDiagnostic[];
  onChange: (text: string) => void;
  onCite: () => void;
  onSave: () => void;
}

/** The text of a document, to be written. */
export default function Editor({ ref, text, format, badges: looks, claims, faults, onChange, onCite, onSave }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView | null>(null);
  const [first] = useState(text);
  const changed = useEffectEvent(onChange);
  const cite = useEffectEvent(onCite);
  const save = useEffectEvent(onSave);

  useEffect(() => {
    const made = new EditorView({
      parent: host.current!,
      state: EditorState.create({
        doc: first,
        extensions: [
          keymap.of([
            { key: "Mod-Shift-c", preventDefault: true, run: () => (cite(), true) },
            { key: "Mod-s", preventDefault: true, run: () => (save(), true) },
          ]),
          history(),
          drawSelection(),
          search({ top: true }),
          keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({
            "aria-label": "Text of the document",
            spellcheck: "true",
            autocapitalize: "sentences",
          }),
          EditorState.allowMultipleSelections.of(false),
          placeholder("Write here"),
          languageOf(format),
          badges(format),
          claimMarks,
          lintGutter(),
          look,
          EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
        ],
      }),
    });
    setView(made);
    return () => made.destroy();
  }, [first, format]);

  useEffect(() => view?.dispatch({ effects: setBadges.of(looks) }), [view, looks]);
  useEffect(() => view?.dispatch({ effects: setClaims.of(claims) }), [view, claims]);
  useEffect(() => view?.dispatch(setDiagnostics(view.state, diagnosticsOf(faults, view.state.doc))), [view, faults]);

  useImperativeHandle(ref, () => handleOf(view), [view]);
  return <div ref={host} style={{ height: "100%", minHeight: 0 }} />;
}

function handleOf(view: EditorView | null): EditorHandle {
  const cursor = () => view?.state.selection.main.to ?? 0;
  return {
    cursor,
    insert(text, at = cursor()) {
      view?.dispatch({
        changes: { from: at, insert: text },
        selection: { anchor: at + text.length },
        scrollIntoView: true,
        userEvent: "input",
      });
      view?.focus();
    },
    replaceText(text) {
      const change = view && replacement(view.state.doc.toString(), text);
      if (change) view.dispatch({ changes: change });
    },
    selected() {
      return view ? view.state.sliceDoc(view.state.selection.main.from, view.state.selection.main.to) : "";
    },
    jump(line, column) {
      if (!view) return;
      const at = placeIn(view.state.doc, line, column);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
    focus: () => view?.focus(),
    box(at = cursor()) {
      const box = view?.coordsAtPos(at) ?? view?.dom.getBoundingClientRect();
      return { left: box?.left ?? 0, top: box?.top ?? 0, bottom: Math.min(box?.bottom ?? 0, innerHeight) };
    },
    claimsOf: (mark) => (view ? claimsAt(view.state, view.posAtDOM(mark)) : []),
  };
}

function placeIn(doc: Text, line: number, column: number): number {
  const found = doc.line(Math.max(1, Math.min(line, doc.lines)));
  return Math.min(
    found.to,
    found.from +
      Array.from(found.text)
        .slice(0, Math.max(0, column - 1))
        .join("").length,
  );
}

function diagnosticsOf(faults: readonly TextDiagnostic[], doc: Text): Diagnostic[] {
  return faults
    .map(({ message, hints, line, column, severity }) => {
      const from = placeIn(doc, line ?? 1, column ?? 1);
      return { from, to: Math.min(doc.lineAt(from).to, from + 1), severity, message: [message, ...hints].join("\n") };
    })
    .sort((a, b) => a.from - b.from);
}
