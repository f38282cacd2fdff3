import { expect, it } from "vitest";
import type { Artifact, PointerMove } from "@/api/types";
import { knownStates } from "@/features/snapshots/known-states";
import { snapshotTree } from "@/features/snapshots/snapshot-paths";
import { parseSnapshotSearch } from "@/features/snapshots/snapshot-search";

const artifact = (filename: string | null, digit: string) =>
  ({ filename, sha256: digit.repeat(64), media_type: "text/plain", size_bytes: 1 }) as Artifact;

it("gives every file a path of its own that stays inside the snapshot", () => {
  const files = [
    artifact("report.pdf", "1"),
    artifact("report.pdf", "2"),
    artifact("report.pdf", "3"),
    artifact("notes", "4"),
    artifact("notes", "5"),
    artifact("../etc\\passwd", "6"),
    artifact("..", "7"),
    artifact(null, "8"),
  ];
  expect(Object.keys(snapshotTree(files))).toEqual([
    "report.pdf",
    "report (2).pdf",
    "report (3).pdf",
    "notes",
    "notes (2)",
    ".._etc_passwd",
    "7777777777",
    "8888888888",
  ]);
});

it("names every state of a history once, newest first", () => {
  const move = (from: string | null, to: string, created_at: string) =>
    ({
      id: created_at,
      from_manifest_sha256: from,
      to_manifest_sha256: to,
      created_at,
      reason: null,
      changed_by: null,
    }) as PointerMove;
  const states = knownStates([move("b", "a", "3"), move("a", "b", "2"), move("z", "a", "1")]);
  expect(states.map(({ sha256, since }) => [sha256, since])).toEqual([
    ["a", "3"],
    ["b", "2"],
    ["z", null],
  ]);
});

it("takes from an address only what is meant", () => {
  const hash = "a".repeat(64);
  expect(parseSnapshotSearch({ view: "history", at: hash, from: "x", file: 3, other: 1 })).toEqual({
    view: "history",
    at: hash,
  });
  expect(parseSnapshotSearch({ view: "nonsense" })).toEqual({});
});
