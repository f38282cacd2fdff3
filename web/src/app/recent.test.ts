import { expect, it } from "vitest";
import { visitOf, withVisit } from "@/app/recent";

const ID = "01a1e1a3-19ff-77dd-a08a-9d1b583058f2";

it("knows what can be come back to by its path", () => {
  expect(visitOf(`/sources/${ID}`)).toEqual({ kind: "source", id: ID });
  expect(visitOf(`/ask/${ID}`)).toEqual({ kind: "conversation", id: ID });
  expect(visitOf(`/entities/${ID}`)).toEqual({ kind: "entity", id: ID });
  expect(visitOf(`/documents/${ID}`)).toEqual({ kind: "document", id: ID });
  expect(visitOf("/entities/review")).toBeNull();
  expect(visitOf("/ask")).toBeNull();
  expect(visitOf(`/jobs/${ID}`)).toBeNull();
});

it("keeps the last few, the last first, each once", () => {
  const all = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "c"].reduce<ReturnType<typeof withVisit>>(
    (visits, id) => withVisit(visits, { kind: "source", id }),
    [],
  );
  expect(all.map(({ id }) => id).join("")).toBe("cihgfedb");
});
