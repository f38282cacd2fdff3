import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import type { PlacedQuote } from "@/features/sources/original/placed-quote";
import { findQuote, type Place } from "@/lib/find-quote";

/** The marked stretches of each page, by its number; a place's piece is an item of the page's text layer. */
export type PageMarks = ReadonlyMap<number, readonly Place[]>;

/** Where no page is known, at most so many are looked through. */
const MOST_PAGES = 400;

/** The strings of a page's text layer, in its order. */
export async function pageStrings(page: PDFPageProxy): Promise<string[]> {
  const { items } = await page.getTextContent();
  return items.flatMap((item) => ("str" in item ? [item.str] : []));
}

/** Finds a quote on the pages that it is said to stand on, or else on those beside them; null if it is on none. */
export async function findOnPages(pdf: PDFDocumentProxy, quote: PlacedQuote): Promise<PageMarks | null> {
  const { first, last } = quote.pages ?? { first: 1, last: MOST_PAGES };
  const within = (page: number) => Math.max(1, Math.min(page, pdf.numPages));
  for (const [from, to] of quote.pages
    ? [
        [first, last],
        [first - 1, last + 1],
      ]
    : [[first, last]]) {
    const found = await findBetween(pdf, quote, within(from!), within(to!));
    if (found) return found;
  }
  return null;
}

async function findBetween(
  pdf: PDFDocumentProxy,
  quote: PlacedQuote,
  from: number,
  to: number,
): Promise<PageMarks | null> {
  const strings: string[] = [];
  const owners: { page: number; first: number }[] = [];
  for (let number = from; number <= to; number += 1) {
    owners.push({ page: number, first: strings.length });
    strings.push(...(await pageStrings(await pdf.getPage(number))));
  }
  const places = findQuote(strings, quote);
  if (!places) return null;
  const marks = new Map<number, Place[]>();
  for (const { piece, start, end } of places) {
    const { page, first } = owners.findLast((owner) => owner.first <= piece)!;
    marks.set(page, [...(marks.get(page) ?? []), { piece: piece - first, start, end }]);
  }
  return marks;
}
