import { expect, it } from "vitest";
import { treeOf } from "@/lib/tree";

it("makes folders of paths, counts what is below, and sorts as a person would", () => {
  const root = treeOf({ "b/page 10.txt": 1, "b/page 2.txt": 2, "a/deep/x": 3, "top.txt": 4 });
  expect(root.count).toBe(4);
  expect(root.folders.map(({ path, count }) => [path, count])).toEqual([
    ["a", 1],
    ["b", 2],
  ]);
  expect(root.folders[0]?.folders[0]?.path).toBe("a/deep");
  expect(root.folders[1]?.files.map(({ name }) => name)).toEqual(["page 2.txt", "page 10.txt"]);
  expect(root.files).toEqual([{ name: "top.txt", path: "top.txt", entry: 4 }]);
});

it("keeps a folder apart from a file with the same name elsewhere", () => {
  const root = treeOf({ "a/b": 1, "b/a": 2 });
  expect(root.folders.map(({ path }) => path)).toEqual(["a", "b"]);
  expect(root.files).toEqual([]);
});
