import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import type { PDFDocumentProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { ErrorNote, Skeleton } from "@/components/states";
import { usePdf } from "@/features/sources/original/pdf-document";
import { PdfPage } from "@/features/sources/original/pdf-page";
import { findOnPages, type PageMarks } from "@/features/sources/original/pdf-quote";
import type { PlacedQuote } from "@/features/sources/original/placed-quote";
import { Problem } from "@/lib/problem";
import styles from "@/features/sources/original/pdf.module.css";

/** That of A4, until the first page says otherwise. */
const USUAL_RATIO = Math.SQRT2;

interface Props {
  url: string;
  quote: PlacedQuote | null;
  language: string | null;
  /** The quoted words are on none of the pages. */
  onLost: () => void;
}

/** The pages of a PDF as they were made, at the quoted words if there are any. */
export default function PdfPages({ url, quote, language, onLost }: Props) {
  const { pdf, error } = usePdf(url);
  if (error !== undefined) return <ErrorNote error={pdfProblem(error)} what="The pages could not be shown." />;
  if (!pdf) return <Skeleton label="Opening the pages" />;
  return <Pages pdf={pdf} quote={quote} language={language} onLost={onLost} />;
}

function Pages({ pdf, quote, language, onLost }: { pdf: PDFDocumentProxy } & Omit<Props, "url">) {
  const list = useRef<HTMLElement>(null);
  const width = usePageWidth(list);
  const ratio = useFirstRatio(pdf);
  const marks = useMarks(pdf, quote, onLost);
  const firstMarked = marks && Math.min(...marks.keys());

  useEffect(() => {
    // The page first: its words are there only once it is near.
    if (firstMarked && ratio) document.getElementById(`page-${firstMarked}`)?.scrollIntoView({ block: "start" });
  }, [firstMarked, marks, ratio]);

  const anchor = quote?.anchor;
  const showMark = useCallback(() => {
    const show = () => anchor && document.getElementById(anchor)?.scrollIntoView({ block: "start" });
    show();
    // The pages above take their true height only when they come near.
    requestAnimationFrame(() => requestAnimationFrame(show));
  }, [anchor]);

  return (
    <article ref={list} className={styles.pages} aria-label="Pages" lang={language ?? undefined}>
      {ratio &&
        Array.from({ length: pdf.numPages }, (_, index) => (
          <PdfPage
            key={index}
            pdf={pdf}
            number={index + 1}
            width={width}
            ratio={ratio}
            marks={marks?.get(index + 1)}
            anchor={index + 1 === firstMarked ? anchor : undefined}
            onMarked={showMark}
          />
        ))}
    </article>
  );
}

/** Where the quote stands; asks its caller to show it otherwise where it stands nowhere. */
function useMarks(pdf: PDFDocumentProxy, quote: PlacedQuote | null, onLost: () => void): PageMarks | null {
  const [found, setFound] = useState<{ quote: PlacedQuote; marks: PageMarks } | null>(null);
  const lost = useRef(onLost);
  useEffect(() => {
    lost.current = onLost;
  });
  useEffect(() => {
    if (!quote) return;
    let stale = false;
    findOnPages(pdf, quote).then(
      (marks) => {
        if (stale) return;
        if (marks) setFound({ quote, marks });
        else lost.current();
      },
      () => !stale && lost.current(),
    );
    return () => {
      stale = true;
    };
  }, [pdf, quote]);
  return found && found.quote === quote ? found.marks : null;
}

function useFirstRatio(pdf: PDFDocumentProxy): number | null {
  const [ratio, setRatio] = useState<number | null>(null);
  useEffect(() => {
    pdf.getPage(1).then(
      (page) => {
        const { width, height } = page.getViewport({ scale: 1 });
        setRatio(height / width);
      },
      () => setRatio(USUAL_RATIO),
    );
  }, [pdf]);
  return ratio;
}

/** The room for a page, in whole steps so that a scroll bar that comes or goes does not draw everything anew. */
function usePageWidth(list: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const measure = () => {
      const page = element.querySelector<HTMLElement>(`.${styles.page}`);
      setWidth(Math.floor(page?.clientWidth ?? 0));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [list]);
  return width;
}

/** What pdf.js says, in words for a reader. */
function pdfProblem(error: unknown): Problem {
  const name = error instanceof Error ? error.name : "";
  const said: Record<string, string> = {
    PasswordException: "The file is protected by a password.",
    InvalidPDFException: "The file is damaged.",
    ResponseException: "The file could not be fetched.",
  };
  return new Problem(0, {
    code: "pdf",
    detail: said[name] ?? Problem.from(error).message,
    hint: "Download it to try another program.",
  });
}
