import { splitClaims, type ClaimEdge } from "@/lib/citation-places";
import { wordsOf, type Inline } from "@/lib/markdown-inline";

type ClaimNode = Extract<Inline, { type: "claim" }>;

/** What is open where a text is read. */
interface Open {
  edge: ClaimEdge;
  /** The last node that holds words of it. */
  last: ClaimNode | null;
}

/**
 * Puts the words between the edges of a claim into nodes of their own, and those of a correction into nodes inside. A
 * claim may begin or end within emphasis: then it has several nodes, of which the last is known as such.
 */
export function markClaims(nodes: readonly Inline[]): Inline[] {
  const hasEdges = splitClaims(wordsOf(nodes)).some((piece) => typeof piece !== "string");
  return hasEdges ? walk(nodes, [], 0) : [...nodes];
}

/** `open` is changed on the way; its first `base` ones have nodes around these already. */
function walk(nodes: readonly Inline[], open: Open[], base: number): Inline[] {
  const out: Inline[] = [];
  function put(node: Inline, from: number): void {
    let level = out;
    for (const one of open.slice(from)) {
      const last = level.at(-1);
      if (last?.type === "claim" && last === one.last) {
        level = last.children;
        continue;
      }
      const { claim, correction } = one.edge;
      const made: ClaimNode = { type: "claim", claim, correction, isLast: false, children: [] };
      level.push(made);
      one.last = made;
      level = made.children;
    }
    level.push(node);
  }
  function cross(edge: ClaimEdge): void {
    if (!edge.isEnd) {
      open.push({ edge, last: null });
      return;
    }
    const at = open.findLastIndex((one) => isSame(one.edge, edge));
    if (at < 0) return;
    const last = open[at]!.last;
    if (last) last.isLast = true;
    open.splice(at, 1);
  }
  for (const node of nodes) {
    if (node.type === "text") {
      for (const piece of splitClaims(node.text)) {
        if (typeof piece === "string") put({ type: "text", text: piece }, base);
        else cross(piece);
      }
      continue;
    }
    const edges = splitClaims(wordsOf([node])).filter((piece) => typeof piece !== "string");
    if (edges.length > 0 && "children" in node && node.type !== "link") {
      // What begins and ends inside stays inside; else there are nodes of each claim on both sides of the edge.
      const from = isBalanced(edges) ? open.length : base;
      const made = { ...node, children: [] as Inline[] };
      if (from === base) out.push(made);
      else put(made, base);
      made.children = walk(node.children, open, from);
      continue;
    }
    put(node, base);
    edges.forEach(cross);
  }
  return out;
}

function isSame(a: ClaimEdge, b: ClaimEdge): boolean {
  return a.claim === b.claim && a.correction === b.correction;
}

function isBalanced(edges: readonly ClaimEdge[]): boolean {
  const open: ClaimEdge[] = [];
  for (const edge of edges) {
    if (!edge.isEnd) open.push(edge);
    else {
      const at = open.findLastIndex((one) => isSame(one, edge));
      if (at < 0) return false;
      open.splice(at, 1);
    }
  }
  return open.length === 0;
}
