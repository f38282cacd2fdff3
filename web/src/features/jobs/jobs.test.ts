import { describe, expect, it } from "vitest";
import type { Job, JobState } from "@/api/types";
import { applyJob, type JobPages } from "@/features/jobs/apply-event";
import { facts, hasMore, jobSummary, jobTitle } from "@/features/jobs/job-words";

/** Ids are in the order of the jobs' making; `change` counts the changes. */
const job = (id: string, state: JobState, change = 0) =>
  ({
    id,
    state,
    kind: "fsck",
    created_at: `2026-03-14T12:00:00.${String(id.charCodeAt(0)).padStart(3, "0")}Z`,
    updated_at: `2026-03-14T12:00:01.00000${change}Z`,
  }) as Job;

const pages = (...items: Job[][]): JobPages => ({
  pages: items.map((page, index) => ({ items: page, next_cursor: index < items.length - 1 ? "more" : null })),
  pageParams: items.map(() => null),
});
const ids = (list: JobPages) => list.pages.map(({ items }) => items.map(({ id, state }) => `${id} ${state}`));

describe("applyJob", () => {
  const list = pages([job("m", "queued", 1), job("k", "running", 1)], [job("e", "queued", 1)]);

  it("changes a job in its place", () => {
    expect(ids(applyJob(list, null, job("e", "running", 2)))).toEqual([["m queued", "k running"], ["e running"]]);
  });

  it("puts one that is new to the list where its age puts it", () => {
    expect(ids(applyJob(list, null, job("n", "queued")))).toEqual([
      ["n queued", "m queued", "k running"],
      ["e queued"],
    ]);
    expect(ids(applyJob(list, null, job("l", "queued")))).toEqual([
      ["m queued", "l queued", "k running"],
      ["e queued"],
    ]);
    expect(ids(applyJob(list, null, job("f", "queued")))).toEqual([
      ["m queued", "k running"],
      ["f queued", "e queued"],
    ]);
    expect(ids(applyJob(list, null, job("d", "queued")))).toEqual([
      ["m queued", "k running"],
      ["e queued", "d queued"],
    ]);
    expect(ids(applyJob(pages([]), null, job("d", "queued")))).toEqual([["d queued"]]);
  });

  it("leaves one that is older than all that was loaded to the page it is on", () => {
    const part = { ...list, pages: list.pages.slice(0, 1) };
    expect(ids(applyJob(part, null, job("d", "queued")))).toEqual([["m queued", "k running"]]);
  });

  it("takes one out of a list of a state it left, and keeps out one that never belonged", () => {
    const queued = pages([job("a", "queued", 1)]);
    expect(ids(applyJob(queued, "queued", job("a", "running", 2)))).toEqual([[]]);
    expect(ids(applyJob(queued, "queued", job("b", "running", 2)))).toEqual([["a queued"]]);
  });

  it("is not taken back by news that are older", () => {
    const done = pages([job("a", "succeeded", 5)]);
    expect(applyJob(done, null, job("a", "running", 4))).toBe(done);
  });
});

it("reads a result", () => {
  const result = { artifacts_checked: 1204, bytes_read: 2048, problems: [], applied: false, nested: { a: 1 } };
  expect(facts(result)).toEqual([
    ["Artifacts checked", "1,204"],
    ["Bytes read", "2 KB"],
    ["Problems", "none"],
    ["Applied", "no"],
  ]);
  expect(hasMore(result)).toBe(true);
  expect(facts(null)).toEqual([]);
  expect(hasMore(null)).toBe(false);
  expect(hasMore({ applied: false, findings: [] })).toBe(false);
});

it("says in a line what came of a job", () => {
  const summary = (kind: string, result: unknown) => jobSummary({ kind, result } as Job);
  const checked = { artifacts: 7, bytes: 2048, manifests: 3, findings: [] };
  expect(summary("fsck", checked)).toBe("Nothing wrong in 7 files, 2 KB");
  expect(summary("fsck", { ...checked, findings: [{ what: "missing_blob" }] })).toBe("1 fault in 7 files, 2 KB");
  const nothing = { applied: false, pointers: 0, manifests: 0, artifacts: 0, blobs: 0, bytes: 0 };
  expect(summary("gc", nothing)).toBe("Nothing to remove");
  expect(summary("gc", { ...nothing, manifests: 1, artifacts: 2, blobs: 2, bytes: 2048 })).toBe(
    "Would remove 1 manifest, 2 files (2 KB)",
  );
  expect(summary("gc", { ...nothing, applied: true, blobs: 1, bytes: 10 })).toBe("Removed 1 left-over blob (10 B)");
  expect(summary("re_embed", { done: 3 })).toBe("Done: 3");
  expect(summary("ingest", { outcome: "indexed", chunks: 1 })).toBe("1 passage, found by its words");
  expect(summary("embed", { outcome: "embedded", chunks: 979, model: "mini" })).toBe(
    "979 passages, found by meaning with mini",
  );
  expect(summary("ingest", { outcome: "unavailable" })).toBe("The address could not be fetched");
  expect(summary("ingest", { outcome: "failed", reason: "it is empty" })).toBe("No text: it is empty");
  expect(summary("import", { added: 3, unchanged: 1, failed: 2, reasons: [] })).toBe(
    "3 sources added · 1 here already · 2 refused",
  );
});

it("says that a clean-up is a dry run unless it is not", () => {
  expect(jobTitle({ kind: "gc", payload: {} } as Job)).toBe("Clean up (dry run)");
  expect(jobTitle({ kind: "gc", payload: { apply: true } } as unknown as Job)).toBe("Clean up");
  expect(jobTitle({ kind: "re_embed", payload: null } as unknown as Job)).toBe("Re embed");
});

describe("reading for people and events", () => {
  const done = (kind: string, result: unknown) => ({ ...job("a", "succeeded"), kind, payload: {}, result }) as Job;

  it("is called by what it does, and says what came of it", () => {
    expect(jobTitle(done("extract_events", null))).toBe("Read for people and events");
    expect(jobTitle(done("graph_upsert", null))).toBe("Connect");
    expect(jobSummary(done("extract_events", { outcome: "extracted", events: 1, entities: 3, to_review: 0 }))).toBe(
      "1 event, 3 people and things",
    );
    expect(jobSummary(done("extract_events", { outcome: "extracted", events: 0, entities: 1, to_review: 2 }))).toBe(
      "0 events, 1 person or thing · 2 pairs to review",
    );
    expect(jobSummary(done("extract_events", { outcome: "superseded" }))).toBe("A newer version is read instead");
    expect(jobSummary(done("graph_upsert", { links: 4, materialised: false }))).toBe("4 connections");
  });
});
