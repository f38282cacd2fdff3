import { expect, it } from "vitest";
import { scalarPlace, unitPlaces } from "@/lib/scalars";

it("leaves places alone where every character is one unit", () => {
  expect(unitPlaces("Harbour 港の防波堤", [0, 8, 13])).toEqual([0, 8, 13]);
});

it("counts a character beyond the first plane once", () => {
  const text = "a🚢b𠮷c";
  expect(unitPlaces(text, [0, 1, 2, 3, 4, 5])).toEqual([0, 1, 3, 4, 6, 7]);
  expect(unitPlaces(text, [4, 1])).toEqual([6, 1]);
});

it("counts the parts of a joined emoji and of an accent one by one, as the server does", () => {
  const family = "👩‍👧";
  expect(unitPlaces(`${family}x`, [3, 4])).toEqual([family.length, family.length + 1]);
  expect(unitPlaces("e\u0301x", [2])).toEqual([2]);
});

it("ends with the text", () => {
  expect(unitPlaces("ab", [9])).toEqual([2]);
  expect(unitPlaces("🚢", [9])).toEqual([2]);
});

it("counts back from units to characters", () => {
  const text = "a🚢b𠮷c";
  for (const place of [0, 1, 2, 3, 4, 5]) expect(scalarPlace(text, unitPlaces(text, [place])[0]!)).toBe(place);
  expect(scalarPlace("plain", 3)).toBe(3);
});
