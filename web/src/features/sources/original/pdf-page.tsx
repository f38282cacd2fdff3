import { TextLayer, type PDFDocumentProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { memo, useEffect, useRef, useState, type CSSProperties, type RefObject } from "react";
import type { Place } from "@/lib/find-quote";
import styles from "@/features/sources/original/pdf.module.css";

/** Beyond twice the pixels nothing is seen, and memory is. */
const MOST_DENSE = 2;
/** A page this tall or long is drawn less sharp instead of not at all. */
const MOST_PIXELS = 16_000_000;

interface Props {
  pdf: PDFDocumentProxy;
  number: number;
  width: number;
  /** Height by width, as far as it is known before the page is. */
  ratio: number;
  marks: readonly Place[] | undefined;
  /** The id of the first mark, if it is on this page. */
  anchor: string | undefined;
  onMarked: () => void;
}

/** One page: its picture, and over it its words, which can be selected, read out and marked. */
export const PdfPage = memo(function PdfPage({ pdf, number, width, ratio, marks, anchor, onMarked }: Props) {
  const frame = useRef<HTMLElement>(null);
  const near = useNear(frame);
  const canvas = useRef<HTMLCanvasElement>(null);
  const words = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<{ ratio: number; scale: number } | null>(null);
  const [layer, setLayer] = useState<TextLayer | null>(null);
  const [failed, setFailed] = useState(false);

  useEffect(() => {
    if (!near || width === 0) return;
    const ended = new AbortController();
    const stops: (() => void)[] = [];
    async function draw() {
      const page = await pdf.getPage(number);
      const plain = page.getViewport({ scale: 1 });
      const viewport = page.getViewport({ scale: width / plain.width });
      if (ended.signal.aborted || !canvas.current || !words.current) return;
      setSize({ ratio: viewport.height / viewport.width, scale: viewport.scale });

      const wanted = Math.min(MOST_DENSE, window.devicePixelRatio || 1);
      const dense = Math.min(wanted, Math.sqrt(MOST_PIXELS / (viewport.width * viewport.height)));
      canvas.current.width = Math.floor(viewport.width * dense);
      canvas.current.height = Math.floor(viewport.height * dense);
      const picture = page.render({ canvas: canvas.current, viewport, transform: [dense, 0, 0, dense, 0, 0] });
      stops.push(() => picture.cancel());
      // It can be cancelled while the words are still awaited, before anybody waits for it.
      picture.promise.catch(() => {});

      words.current.replaceChildren();
      const text = new TextLayer({
        textContentSource: await page.getTextContent(),
        container: words.current,
        viewport,
      });
      stops.push(() => text.cancel());
      if (ended.signal.aborted) return;
      await text.render();
      if (!ended.signal.aborted) setLayer(text);
      await picture.promise;
    }
    draw().catch(() => !ended.signal.aborted && setFailed(true));
    return () => {
      ended.abort();
      setLayer(null);
      for (const stop of stops) stop();
    };
  }, [pdf, number, near, width]);

  useEffect(() => {
    if (!layer || !marks) return;
    const undo = markPlaces(layer, marks, anchor);
    if (anchor) onMarked();
    return undo;
  }, [layer, marks, anchor, onMarked]);

  const style = { "--ratio": size?.ratio ?? ratio, "--total-scale-factor": size?.scale ?? 1 } as CSSProperties;
  return (
    <section ref={frame} id={`page-${number}`} className={styles.row} aria-label={`Page ${number}`}>
      <div className={styles.label} aria-hidden="true">
        Page {number}
      </div>
      <div className={styles.page} style={style}>
        {near && (
          <>
            <canvas ref={canvas} className={styles.picture} aria-hidden="true" />
            <div ref={words} className={styles.words} />
            {failed && <p className={styles.failed}>This page could not be drawn.</p>}
          </>
        )}
      </div>
    </section>
  );
});

/** Whether an element is on the screen or less than a screen away from it. */
function useNear(element: RefObject<HTMLElement | null>): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (!element.current) return;
    const observer = new IntersectionObserver(
      (entries) => setNear(entries.some(({ isIntersecting }) => isIntersecting)),
      {
        rootMargin: "100% 0px",
      },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return near;
}

/** Wraps the stretches of the layer's items in `mark`; the function that comes back takes them off again. */
function markPlaces(
  { textDivs, textContentItemsStr }: TextLayer,
  places: readonly Place[],
  anchor: string | undefined,
): () => void {
  const byItem = new Map<number, Place[]>();
  for (const place of places) byItem.set(place.piece, [...(byItem.get(place.piece) ?? []), place]);
  let id = anchor;
  for (const [item, stretches] of byItem) {
    const text = textContentItemsStr[item] ?? "";
    let at = 0;
    const parts: (string | HTMLElement)[] = [];
    for (const { start, end } of stretches.toSorted((a, b) => a.start - b.start)) {
      const mark = document.createElement("mark");
      mark.className = styles.mark ?? "";
      mark.textContent = text.slice(start, end);
      if (id) mark.id = id;
      id = undefined;
      parts.push(text.slice(at, start), mark);
      at = end;
    }
    textDivs[item]?.replaceChildren(...parts, text.slice(at));
  }
  return () => {
    for (const item of byItem.keys()) textDivs[item]?.replaceChildren(textContentItemsStr[item] ?? "");
  };
}
