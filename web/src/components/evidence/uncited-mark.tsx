import { createContext, use } from "react";
import type { Uncited } from "@/lib/citation-places";
import { readInline, wordsOf } from "@/lib/markdown-inline";
import styles from "@/components/evidence/uncited.module.css";

/** The statements without a source of the text that is shown; a place in it names one. */
export const MarksContext = createContext<readonly Uncited[]>([]);

/** A thin mark in the margin beside the end of a statement that names no source. */
export function UncitedMark({ at }: { at: number }) {
  const uncited = use(MarksContext)[at];
  if (!uncited) return null;
  return (
    <button
      type="button"
      className={styles.mark}
      data-uncited={at}
      aria-haspopup="dialog"
      aria-label={`no source given: ${plainWords(uncited)}`}
      title="No source given"
    />
  );
}

/** What it says, without markup. */
export function plainWords({ text }: Uncited): string {
  return wordsOf(readInline(text)).replace(/\s+/g, " ").trim();
}

/** The marks that stand beside the same line: no more than one of them can be hit. */
export function marksBeside(mark: Element, text: Element): number[] {
  const { top } = mark.getBoundingClientRect();
  return Array.from(text.querySelectorAll("[data-uncited]"))
    .filter((other) => other === mark || Math.abs(other.getBoundingClientRect().top - top) < 4)
    .map((other) => Number(other.getAttribute("data-uncited")));
}
