/** A stretch that both have, or only the one before, or only the one after. */
export interface Edit<T> {
  kind: "same" | "removed" | "added";
  items: T[];
}

/** Where two differ in more than this, what lies between their common ends is taken for rewritten. */
const MOST_EDITS = 1500;

/** The shortest way from one sequence to another (Myers, 1986). */
export function diff<T>(before: readonly T[], after: readonly T[]): Edit<T>[] {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;

  const edits: Edit<T>[] = [];
  const push = (kind: Edit<T>["kind"], items: readonly T[]) => {
    if (items.length === 0) return;
    const last = edits.at(-1);
    if (last?.kind === kind) for (const item of items) last.items.push(item);
    else edits.push({ kind, items: [...items] });
  };
  const [a, b] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  push("same", before.slice(0, start));
  const steps = shortest(a, b);
  if (steps) {
    for (const { kind, from, to } of inOrder(steps)) push(kind, (kind === "added" ? b : a).slice(from, to));
  } else {
    push("removed", a);
    push("added", b);
  }
  push("same", before.slice(before.length - end));
  return edits;
}

interface Step {
  kind: Edit<unknown>["kind"];
  /** In the one after for what was added, in the one before for the rest. */
  from: number;
  to: number;
}

/** Within a change, what was removed stands before what was added. */
function inOrder(steps: readonly Step[]): Step[] {
  const ordered: Step[] = [];
  let added: Step[] = [];
  for (const step of steps) {
    if (step.kind === "added") added.push(step);
    else if (step.kind === "removed") ordered.push(step);
    else {
      ordered.push(...added, step);
      added = [];
    }
  }
  return [...ordered, ...added];
}

/** Null where there is no way of at most `MOST_EDITS`. */
function shortest<T>(a: readonly T[], b: readonly T[]): Step[] | null {
  const most = Math.min(a.length + b.length, MOST_EDITS);
  const middle = most + 1;
  const reach = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits += 1) {
    trace.push(reach.slice(middle - edits - 1, middle + edits + 2));
    for (let line = -edits; line <= edits; line += 2) {
      const down = line === -edits || (line !== edits && reach[middle + line - 1]! < reach[middle + line + 1]!);
      let x = down ? reach[middle + line + 1]! : reach[middle + line - 1]! + 1;
      while (x < a.length && x - line < b.length && a[x] === b[x - line]) x += 1;
      reach[middle + line] = x;
      if (x >= a.length && x - line >= b.length) return walkBack(trace, a.length, b.length);
    }
  }
  return null;
}

function walkBack(trace: readonly Int32Array[], aLength: number, bLength: number): Step[] {
  const steps: Step[] = [];
  let [x, y] = [aLength, bLength];
  for (let edits = trace.length - 1; edits >= 0; edits -= 1) {
    const at = (line: number) => trace[edits]![line + edits + 1]!;
    const line = x - y;
    const down = line === -edits || (line !== edits && at(line - 1) < at(line + 1));
    const fromLine = down ? line + 1 : line - 1;
    const fromX = edits === 0 ? 0 : at(fromLine);
    const fromY = edits === 0 ? 0 : fromX - fromLine;
    const common = Math.min(x - fromX - (down || edits === 0 ? 0 : 1), y - fromY - (down && edits > 0 ? 1 : 0));
    if (common > 0) steps.push({ kind: "same", from: x - common, to: x });
    if (edits > 0)
      steps.push(
        down ? { kind: "added", from: fromY, to: fromY + 1 } : { kind: "removed", from: fromX, to: fromX + 1 },
      );
    [x, y] = [fromX, fromY];
  }
  return steps.reverse();
}
