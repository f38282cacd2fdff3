import { expect, it } from "vitest";
import { stepOf, unasked } from "@/features/sample/sample-step";

const about = { documents: 3, loaded: 3, questions: [] };

it("counts the documents in as they become findable", () => {
  expect(stepOf(undefined, undefined)).toBeNull();
  expect(stepOf({ ...about, loaded: 0 }, undefined)).toEqual({ kind: "absent" });
  expect(stepOf(about, undefined)).toBeNull();
  expect(stepOf(about, [{ status: "indexed" }, { status: "pending" }, { status: "ready" }])).toEqual({
    kind: "coming",
    done: 2,
    total: 3,
  });
  expect(stepOf(about, [{ status: "indexed" }, { status: "failed" }, { status: "ready" }])).toEqual({ kind: "here" });
});

it("does not suggest what was asked", () => {
  expect(unasked(["Who?", "When?"], ["When? ", null, "Another"])).toEqual(["Who?"]);
});
