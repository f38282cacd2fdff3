import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync("src/app/tokens.css", "utf8");
const tokens = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(([, name, light, dark]) => [
    name!,
    [light!, dark!],
  ]),
);

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high! + 0.05) / (low! + 0.05);
}

const GROUNDS = ["paper", "raised", "sunken", "hover", "accent-wash"];
const TEXTS = ["ink", "ink-2", "ink-3", "accent", "danger"];

describe.each([
  ["light", 0],
  ["dark", 1],
])("%s theme", (_, theme) => {
  const colour = (name: string) => tokens.get(name)![theme]!;
  const pairs = [
    ...TEXTS.flatMap((text) => GROUNDS.map((ground) => [text, ground])),
    ["on-accent", "accent"],
    ["on-accent", "accent-hover"],
    ["ink", "highlight"],
    ["ink", "danger-wash"],
    ["danger", "danger-wash"],
  ] as [string, string][];

  it.each(pairs)("%s on %s has 4.5:1", (text, ground) => {
    expect(contrast(colour(text), colour(ground))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(["paper", "raised"])("the edge of a control on %s has 3:1", (ground) => {
    expect(contrast(colour("control"), colour(ground))).toBeGreaterThanOrEqual(3);
  });
});
