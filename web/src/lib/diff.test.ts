import { describe, expect, it } from "vitest";
import { diff } from "@/lib/diff";
import { isChanged, textChanges } from "@/lib/text-changes";

const shown = (before: string, after: string) =>
  diff([...before], [...after])
    .map(({ kind, items }) => `${{ same: "", removed: "-", added: "+" }[kind]}${items.join("")}`)
    .join(" ");

describe("diff", () => {
  it("finds the shortest way", () => {
    expect(shown("mole", "mole")).toBe("mole");
    expect(shown("", "mole")).toBe("+mole");
    expect(shown("mole", "")).toBe("-mole");
    expect(shown("abc", "axc")).toBe("a -b +x c");
  });

  it("gives back both sides, whatever they are", () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
    for (let round = 0; round < 300; round += 1) {
      const make = () => Array.from({ length: random(30) }, () => random(4));
      const [before, after] = [make(), make()];
      const edits = diff(before, after);
      expect(edits.filter(({ kind }) => kind !== "added").flatMap(({ items }) => items)).toEqual(before);
      expect(edits.filter(({ kind }) => kind !== "removed").flatMap(({ items }) => items)).toEqual(after);
      // No more is changed than has to be: what both have is the longest that they can.
      const same = edits.filter(({ kind }) => kind === "same").reduce((sum, { items }) => sum + items.length, 0);
      expect(same).toBe(longestCommon(before, after));
    }
  });

  it("gives up on what has nothing in common, and says that all of it changed", () => {
    const before = Array.from({ length: 40_000 }, (_, n) => `a${n}`);
    const after = Array.from({ length: 40_000 }, (_, n) => `b${n}`);
    const edits = diff(["same", ...before, "end"], ["same", ...after, "end"]);
    expect(edits.map(({ kind, items }) => [kind, items.length])).toEqual([
      ["same", 1],
      ["removed", 40_000],
      ["added", 40_000],
      ["same", 1],
    ]);
  });
});

function longestCommon(a: number[], b: number[]): number {
  const rows = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let x = 1; x <= a.length; x += 1) {
    for (let y = 1; y <= b.length; y += 1) {
      rows[x]![y] = a[x - 1] === b[y - 1] ? rows[x - 1]![y - 1]! + 1 : Math.max(rows[x - 1]![y]!, rows[x]![y - 1]!);
    }
  }
  return rows[a.length]![b.length]!;
}

describe("what changed in a text", () => {
  it("is told word by word, with a little of what stands around it", () => {
    const lines = Array.from({ length: 12 }, (_, n) => `Line ${n}.`);
    const before = [...lines, "The depth is 7.2 m at low water.", "The end."].join("\n");
    const after = [...lines, "", "The depth is 6.9 m at low water.", "The end."].join("\n");
    expect(textChanges(before, after)).toEqual([
      { kind: "same", above: [], hidden: 10, below: ["Line 10.", "Line 11."] },
      {
        kind: "changed",
        parts: [
          { kind: "same", text: "The depth is " },
          { kind: "removed", text: "7.2" },
          { kind: "added", text: "6.9" },
          { kind: "same", text: " m at low water." },
        ],
      },
      { kind: "same", above: ["The end."], hidden: 0, below: [] },
    ]);
  });

  it("is not taken apart into single words", () => {
    const said = textChanges(
      "Dredging at the quay is put off until the mole stands.",
      "Dredging at the quay has begun at the outer buoy.",
    );
    expect(said).toEqual([
      {
        kind: "changed",
        parts: [
          { kind: "same", text: "Dredging at the quay " },
          { kind: "removed", text: "is put off until the mole stands" },
          { kind: "added", text: "has begun at the outer buoy" },
          { kind: "same", text: "." },
        ],
      },
    ]);
  });

  it("is a text removed and another added where they have little in common", () => {
    expect(textChanges("The mole stands.", "Dredging was put off until spring.")).toEqual([
      {
        kind: "changed",
        parts: [
          { kind: "removed", text: "The mole stands." },
          { kind: "added", text: "Dredging was put off until spring." },
        ],
      },
    ]);
  });

  it("is nothing where only empty lines moved", () => {
    expect(isChanged(textChanges("a\n\nb", "a\nb \n"))).toBe(false);
    expect(isChanged(textChanges("a", ""))).toBe(true);
    expect(textChanges("", "")).toEqual([]);
  });

  it("takes a line without an end as it is", () => {
    const line = "tide ".repeat(200_000);
    expect(textChanges(line, `${line}ebb`)).toHaveLength(1);
  });
});
