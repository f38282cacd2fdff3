import { describe, expect, it } from "vitest";
import {
  asSentence,
  formatDuration,
  formatLatency,
  formatPlural,
  formatRelative,
  formatSize,
  formatTook,
  humanise,
} from "@/lib/format";

describe("formatSize", () => {
  it.each([
    [0, "0 B"],
    [1, "1 B"],
    [1023, "1023 B"],
    [1024, "1 KB"],
    [1536, "1.5 KB"],
    [1149, "1.12 KB"],
    [10 * 1024 + 300, "10.3 KB"],
    [100 * 1024, "100 KB"],
    [1024 * 1024 - 1, "1 MB"],
    [2 * 1024 ** 3, "2 GB"],
  ])("%i is %s", (bytes, words) => {
    expect(formatSize(bytes)).toBe(words);
  });
});

describe("formatRelative", () => {
  const now = Date.parse("2026-03-14T12:00:00Z");
  it.each([
    ["2026-03-14T11:59:40Z", "just now"],
    ["2026-03-14T12:00:20Z", "just now"],
    ["2026-03-14T11:59:10Z", "1 minute ago"],
    ["2026-03-14T11:01:00Z", "59 minutes ago"],
    ["2026-03-14T09:00:00Z", "3 hours ago"],
    ["2026-03-13T11:00:00Z", "yesterday"],
    ["2026-03-14T13:00:00Z", "in 1 hour"],
    ["2025-03-01T00:00:00Z", "last year"],
    ["not a time", ""],
  ])("%s is %s", (iso, words) => {
    expect(formatRelative(iso, now)).toBe(words);
  });
});

it("durations keep the two largest units", () => {
  expect(formatDuration(0.4)).toBe("0 s");
  expect(formatDuration(59)).toBe("59 s");
  expect(formatDuration(3600)).toBe("1 h");
  expect(formatDuration(93_784)).toBe("1 d 2 h");
  expect(formatTook(40)).toBe("40 ms");
  expect(formatTook(125_000)).toBe("2 min 5 s");
});

it("what a server says becomes a sentence", () => {
  expect(asSentence("there is no job 7")).toBe("There is no job 7.");
  expect(asSentence("It moved.")).toBe("It moved.");
});

it("latencies, plurals and keys read as words", () => {
  expect(formatLatency(0)).toBe("< 1 ms");
  expect(formatLatency(12.4)).toBe("12 ms");
  expect(formatLatency(1500)).toBe("1.5 s");
  expect(formatPlural(1, "file")).toBe("1 file");
  expect(formatPlural(1204, "file")).toBe("1,204 files");
  expect(humanise("artifacts_checked")).toBe("Artifacts checked");
});
