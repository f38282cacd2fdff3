import { diff, type Edit } from "@/lib/diff";

/** Words that both texts have, or only one of them. */
export interface Part {
  kind: Edit<unknown>["kind"];
  text: string;
}

/** What happened to a text, from its beginning to its end. */
export type Change =
  /** Lines that did not change: the first of them, how many are left out, and the last. */
  { kind: "same"; above: string[]; hidden: number; below: string[] } | { kind: "changed"; parts: Part[] };

/** So many lines around a change say where it is. */
const AROUND = 2;
/** A stretch of more words than this is shown as removed and added whole. */
const MOST_WORDS = 20_000;
/** With less in common than this, two stretches are two texts and not one that was changed. */
const ALIKE = 0.3;
/** "the", "of" and the like. */
const LITTLE = 3;

/** A readable account of what changed between two versions of a text. */
export function textChanges(before: string, after: string): Change[] {
  const edits = diff(lines(before), lines(after));
  const changes: Change[] = [];
  for (let index = 0; index < edits.length; index += 1) {
    const { kind, items } = edits[index]!;
    if (kind === "same") {
      changes.push(unchanged(items, index === 0, index === edits.length - 1));
    } else {
      const next = edits[index + 1];
      const both = kind === "removed" && next?.kind === "added";
      const removed = kind === "removed" ? items.join("\n") : "";
      const added = kind === "added" ? items.join("\n") : both ? next.items.join("\n") : "";
      changes.push({ kind: "changed", parts: wordParts(removed, added) });
      if (both) index += 1;
    }
  }
  return changes;
}

export function isChanged(changes: readonly Change[]): boolean {
  return changes.some(({ kind }) => kind === "changed");
}

/** Empty lines say nothing, and where they are differs with every reader of a file. */
function lines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter(Boolean);
}

function unchanged(items: string[], first: boolean, last: boolean): Change {
  const above = first ? 0 : AROUND;
  const below = last ? 0 : AROUND;
  if (items.length <= above + below + 1) return { kind: "same", above: items, hidden: 0, below: [] };
  return {
    kind: "same",
    above: items.slice(0, above),
    hidden: items.length - above - below,
    below: below > 0 ? items.slice(-below) : [],
  };
}

function wordParts(removed: string, added: string): Part[] {
  const whole: Part[] = [
    { kind: "removed" as const, text: removed },
    { kind: "added" as const, text: added },
  ].filter(({ text }) => text);
  if (whole.length < 2) return whole;
  const [a, b] = [words(removed), words(added)];
  if (a.length + b.length > MOST_WORDS) return whole;
  const parts = together(diff(a, b).map(({ kind, items }): Part => ({ kind, text: items.join("") })));
  const same = parts.filter(({ kind }) => kind === "same").reduce((sum, { text }) => sum + text.trim().length, 0);
  return same < ALIKE * Math.min(removed.length, added.length) ? whole : parts;
}

/** What both have between two changes is part of the change where it is no more than a little word. */
function together(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  let [removed, added] = ["", ""];
  const close = () => {
    if (removed) joined.push({ kind: "removed", text: removed });
    if (added) joined.push({ kind: "added", text: added });
    [removed, added] = ["", ""];
  };
  parts.forEach(({ kind, text }, index) => {
    const between = index > 0 && index < parts.length - 1;
    if (kind === "removed") removed += text;
    else if (kind === "added") added += text;
    else if (between && text.trim().length <= LITTLE && !text.includes("\n"))
      [removed, added] = [removed + text, added + text];
    else {
      close();
      joined.push({ kind, text });
    }
  });
  close();
  return joined;
}

function words(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}]+(?:[.,'’-][\p{L}\p{N}]+)*|[^\s\p{L}\p{N}]/gu) ?? [];
}
