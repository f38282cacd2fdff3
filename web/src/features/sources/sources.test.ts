import { describe, expect, it } from "vitest";
import type { Source, SourceImpact } from "@/api/types";
import { bibliographyOf, changes, EMPTY, filledIn } from "@/features/sources/bibliography";
import { parseSourceSearch, parseSourcesSearch } from "@/features/sources/source-search";
import { byline, fieldMessage, impactLines, lookAgain, placeWords, statusWords } from "@/features/sources/source-words";
import { Problem } from "@/lib/problem";

const source = (fields: Partial<Source>) =>
  ({
    status: "ready",
    embedding: "ready",
    embedding_error: null,
    extraction_error: null,
    revision_id: "r",
    authors: [],
    author: null,
    ...fields,
  }) as Source;

describe("status in words", () => {
  const said = (fields: Partial<Source>) => {
    const { word, why } = statusWords(source(fields));
    return why ? `${word}. ${why}` : word;
  };

  it("goes from reading to ready", () => {
    expect(said({ status: "pending", revision_id: null })).toBe("Fetching…");
    expect(said({ status: "pending" })).toBe("Reading…");
    expect(said({ status: "indexed", embedding: "pending" })).toBe("Indexed");
    expect(said({})).toBe("Ready");
    expect(said({ revision_id: null })).toBe("Description only");
  });

  it("says why where it stops", () => {
    const extraction_error = { code: "encrypted", detail: "the file is protected by a password" };
    expect(said({ status: "failed", extraction_error })).toBe("No text. The file is protected by a password.");
    expect(said({ status: "indexed", embedding: "failed", embedding_error: "the model is gone" })).toBe(
      "Indexed. By words only: The model is gone.",
    );
    expect(said({ status: "indexed", embedding: "pending", embedding_error: "no model yet" })).toBe(
      "Indexed. By words only for now: No model yet.",
    );
  });

  it("is looked at again only while it changes, and seldom while it waits", () => {
    const reading = source({ status: "pending", embedding: "pending" });
    const waiting = source({ status: "indexed", embedding: "pending", embedding_error: "no model yet" });
    expect(lookAgain([])).toBe(false);
    expect(lookAgain([source({}), source({ status: "failed", embedding: "none" })])).toBe(false);
    expect(lookAgain([source({}), reading, waiting])).toBe(1000);
    expect(lookAgain([source({ status: "indexed", embedding: "pending" })])).toBe(1000);
    expect(lookAgain([source({}), waiting])).toBe(10_000);
  });
});

it("says who, when and where in a line", () => {
  const line = (fields: Partial<Source>) =>
    byline(
      source({
        title: "Survey",
        publication_date: null,
        container: null,
        site_name: null,
        filename: null,
        url: null,
        media_type: null,
        ...fields,
      }),
    );
  expect(line({ authors: ["Anna Berg", "Jon Ek"], publication_date: "1931-03", filename: "survey.md" })).toBe(
    "Anna Berg, Jon Ek · 1931-03 · survey.md",
  );
  expect(line({ authors: ["Berg, Anna", "Ek, Jon"] })).toBe("Berg, Anna; Ek, Jon");
  expect(line({ authors: ["A", "B", "C", "D", "E"], site_name: "Harbours" })).toBe("A, B and 3 more · Harbours");
  expect(line({ url: "https://www.example.org/a" })).toBe("example.org");
  expect(line({ filename: "Survey", media_type: "application/pdf", size_bytes: 2048 })).toBe("PDF · 2 KB");
});

it("says what goes with a source", () => {
  const impact = {
    lost_claim_count: 0,
    revision_count: 1,
    chunk_count: 3,
    artifacts: [{}, {}],
    size_bytes: 2048,
  } as SourceImpact;
  expect(impactLines(impact)).toEqual([
    "1 version of its content",
    "3 passages that could no longer be found",
    "2 kept files that nothing else names, 2 KB",
  ]);
  expect(impactLines({ ...impact, lost_claim_count: 2 })[0]).toBe("2 claims would lose their only source");
  expect(impactLines({ ...impact, claim_count: 2 })).toHaveLength(3);
  expect(impactLines({ ...impact, revision_count: 0, chunk_count: 0, artifacts: [] })).toEqual([]);
});

it("says where a passage stands", () => {
  expect(placeWords({ page: 3, section: ["Findings", "Depth"], sheet: null, cells: null, part: null })).toBe(
    "Page 3 · Findings › Depth",
  );
  expect(placeWords({ page: null, section: [], sheet: "Dues", cells: "A1:B2", part: "dues.xlsx" })).toBe(
    "dues.xlsx · Dues A1:B2",
  );
});

it("says what is wrong with a field without what only a program needs", () => {
  const detail = "publication_date: 'x' is not a date; write it as 2024 at line 1 column 26";
  expect(fieldMessage(new Problem(422, { detail, field: "publication_date" }))).toBe(
    "'x' is not a date; write it as 2024.",
  );
});

describe("what is in the address", () => {
  it("filters the list", () => {
    expect(parseSourcesSearch({ q: " mole ", status: "failed" })).toEqual({ q: "mole", status: "failed" });
    expect(parseSourcesSearch({ q: 1931, status: "lost" })).toEqual({ q: "1931" });
    expect(parseSourcesSearch({ q: "  ", page: 2 })).toEqual({});
  });

  it("chooses what of a source is shown", () => {
    const revision = "01a1e1a3-1a00-72de-b88e-6e0f73cf6c46";
    expect(parseSourceSearch({ view: "about", revision })).toEqual({ view: "about", revision });
    expect(parseSourceSearch({ view: "text" })).toEqual({ view: "text" });
    expect(parseSourceSearch({ view: "inside", revision: "1" })).toEqual({});
  });
});

describe("a bibliography", () => {
  const before = bibliographyOf(source({ title: "Survey", authors: ["Berg, Anna", "Ek, Jon"], publisher: "Board" }));

  it("is changed only where it differs, and emptied by null", () => {
    expect(before.author).toBe("Berg, Anna; Ek, Jon");
    expect(changes(before, { ...before })).toEqual({});
    expect(changes(before, { ...before, title: " Survey of 1931 ", publisher: " " })).toEqual({
      title: "Survey of 1931",
      publisher: null,
    });
  });

  it("is made of what was filled in", () => {
    expect(filledIn({ ...EMPTY, title: "Survey ", isbn: " " })).toEqual({ title: "Survey" });
  });
});
