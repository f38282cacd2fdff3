import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { USUAL_LOOK, type CitationLook } from "@/api/settings";
import type { Citation, CitedFile } from "@/api/types";
import { CitedText } from "@/components/evidence/cited-text";
import { Covers } from "@/components/evidence/covers";
import { EvidencePanel } from "@/components/evidence/evidence-panel";
import { placeCitations } from "@/lib/citation-places";
import { flaggedChecks } from "@/lib/flagged-claims";

function draw(element: ReactNode, look: Partial<CitationLook> = {}): string {
  const queries = new QueryClient();
  queries.setQueryData(["settings", "whole"], { citations: { ...USUAL_LOOK, ...look } });
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
  return renderToStaticMarkup(
    <QueryClientProvider client={queries}>
      <RouterContextProvider router={router}>{element}</RouterContextProvider>
    </QueryClientProvider>,
  );
}
const words = (markup: string) => markup.replace(/<[^>]+>/g, "");

const cited = (number: number, start_index: number, quote: string): Citation =>
  ({
    id: `${number} ${quote}`,
    number,
    start_index,
    end_index: start_index + 3,
    quote,
    title: `Survey ${number} of the quay`,
    source_id: `s${number}`,
    availability: "available",
    state: "current",
    verdict: "supported",
    source_type: "blob_storage",
    mime_type: "text/plain",
  }) as Citation;

const TEXT = "It stood [1][2]. It fell.";
const MARKERS = [
  { start_index: 9, end_index: 12, numbers: [1] },
  { start_index: 12, end_index: 15, numbers: [2] },
];
const placed = placeCitations(TEXT, MARKERS, [cited(1, 9, "a"), cited(2, 12, "b")]);

it("markers look as the settings say", () => {
  const text = (format: CitationLook["format"]) => draw(<CitedText placed={placed} label="Answer" />, { format });
  expect(text("superscript")).toContain("It stood<sup");
  expect(words(text("superscript"))).toBe("It stood1,2. It fell.");
  expect(words(text("brackets"))).toBe("It stood [1,2]. It fell.");
  expect(words(text("inline_links"))).toBe("It stood (Survey 1 of the quay; Survey 2 of the quay). It fell.");
  expect(text("inline_links")).toContain('aria-label="citation 1, supported, Survey 1 of the quay"');
  // What is not kept yet has no name.
  expect(
    words(draw(<CitedText placed={placeCitations(TEXT, MARKERS, [])} label="Answer" />, { format: "inline_links" })),
  ).toBe("It stood [1,2]. It fell.");
});

const many = Array.from({ length: 12 }, (_, index) => [
  cited(index + 1, 0, "first"),
  cited(index + 1, 4, "second"),
  cited(index + 1, 8, "third"),
]).flat();

function panel(look: Partial<CitationLook>): string {
  return draw(
    <EvidencePanel
      citations={many}
      empty=""
      tab={null}
      link={(tab, children) => <span key={tab ?? "all"}>{children}</span>}
      onClose={() => undefined}
    />,
    look,
  );
}

it("sources are as many and as open as the settings say", () => {
  // What is drawn at once is the first frame of it.
  const few = panel({ max_sources_displayed: 2 });
  expect(few.match(/<li/g)).toHaveLength(2);
  expect(few).toContain("Show all 12 sources");
  expect(few.match(/<blockquote/g)).toHaveLength(2);
  expect(few).toContain("2 more quotes");
  const open = panel({ max_sources_displayed: 2, expand_sources_by_default: true });
  expect(open.match(/<blockquote/g)).toHaveLength(6);
  expect(open).not.toContain("more quotes");
  expect(panel({ max_sources_displayed: 12 })).not.toContain("Show all");
  expect(panel({ max_sources_displayed: 0 }).match(/<li/g)).toHaveLength(1);
});

it("so are the covers", () => {
  const files = many
    .slice(0, 5)
    .map((_, index) => ({ number: index + 1, title: "a", is_deleted: false, source_type: "web" }) as CitedFile);
  const covers = draw(<Covers files={files} citations={[]} />, { max_sources_displayed: 3 });
  expect(covers.match(/<li/g)).toHaveLength(4);
  expect(words(covers)).toContain("2 more");
});

it("what a source does not bear out is marked as a sentence, and the right words stand beside the wrong ones", () => {
  const text = "It is 72 metres long [1]. It fell [2].";
  const claims = flaggedChecks([
    {
      start_index: 0,
      end_index: 25,
      numbers: [1],
      verdict: "contradicted",
      score: 0,
      number: 1,
      source_id: "s",
      revision_id: "r",
      quote: null,
      start_char: null,
      end_char: null,
      why: [
        {
          kind: "figure",
          claim: "72 metres",
          start_index: 6,
          end_index: 15,
          source: "27 metres",
          start_char: 4,
          end_char: 13,
        },
      ],
    },
    {
      start_index: 26,
      end_index: 38,
      numbers: [2],
      verdict: "unsupported",
      score: 0,
      number: 2,
      source_id: null,
      revision_id: null,
      quote: null,
      start_char: null,
      end_char: null,
      why: [],
    },
  ]);
  const markup = draw(<CitedText placed={placeCitations(text, [], [], [], claims)} label="Answer" />);
  expect(markup).toMatch(
    /<del[^>]*>72 metres<\/del> .*<ins[^>]*><a href="\/sources\/s\?revision=r#c=4-13"[^>]*>27 metres<\/a><\/ins> long/,
  );
  expect(words(markup)).toBe(
    "It is 72 metres →is not what the source says. It says: 27 metres long [1]. It fell [2]. not supported by its source",
  );
  expect(markup).toMatch(/data-claim="unsupported">It fell \[2\]\.<\/span>/);
});
