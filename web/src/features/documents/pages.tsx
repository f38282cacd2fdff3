import { useEffect, useLayoutEffect, useRef } from "react";
import type { TextDiagnostic } from "@/api/documents-types";
import { ErrorNote } from "@/components/states";
import { useDesk } from "@/features/documents/desk";
import type { ShownPage } from "@/features/documents/preview-pages";
import type { Preview } from "@/features/documents/use-preview";
import styles from "@/features/documents/pages.module.css";

interface Props {
  preview: Preview;
  /** The page that the address names. */
  page: number;
  onPage: (page: number) => void;
  shown: boolean;
  onJump: () => void;
}

const REST_MS = 300;

/** The pages as they will be printed, kept up with the text. */
export function Pages({ preview, page, onPage, shown, onJump }: Props) {
  const { pages, faults, stale, error, previewer } = preview;
  const scroller = useRef<HTMLDivElement>(null);
  const told = useRef(1);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const broken = faults.some(({ severity }) => severity === "error");
  useEffect(() => () => clearTimeout(timer.current), []);

  function look() {
    const seen = inSight(scroller.current);
    if (!seen) return;
    previewer.see(seen.first, seen.last);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (seen.most === told.current) return;
      told.current = seen.most;
      onPage(seen.most);
    }, REST_MS);
  }

  // To the page of the address, once it is there and whenever the address names another.
  const isThere = pages.length >= page;
  useLayoutEffect(() => {
    if (!isThere || !shown || page === told.current) return;
    told.current = page;
    scroller.current?.querySelector(`[data-page="${page}"]`)?.scrollIntoView({ block: "start" });
  }, [page, isThere, shown]);
  useEffect(() => {
    if (shown) look();
    // Which pages are in sight changes with how many there are.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [shown, pages.length]);

  return (
    <>
      {faults.length > 0 && <Faults faults={faults} onJump={onJump} />}
      {error !== null && (
        <ErrorNote error={error} what="The pages could not be set." onRetry={() => previewer.renew()} />
      )}
      <div
        ref={scroller}
        className={styles.scroller}
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls has to be reachable by key
        tabIndex={0}
        role="group"
        aria-label="Pages as printed"
        aria-busy={stale}
        data-broken={broken || undefined}
        onScroll={look}
      >
        {pages.length === 0 && !broken && error === null && <p className={styles.note}>Setting the pages…</p>}
        {pages.map((one) => (
          <Sheet key={one.number} page={one} count={pages.length} />
        ))}
      </div>
    </>
  );
}

/** A picture, in which nothing can run. */
function Sheet({ page: { number, width, height, url }, count }: { page: ShownPage; count: number }) {
  return (
    <figure className={styles.page} data-page={number}>
      <div className={styles.sheet} style={{ aspectRatio: `${width} / ${height}` }}>
        {url && (
          <img
            src={url}
            alt={`Page ${number} of ${count}`}
            width={Math.round(width)}
            height={Math.round(height)}
            decoding="sync"
          />
        )}
      </div>
      <figcaption aria-hidden="true">{number}</figcaption>
    </figure>
  );
}

function Faults({ faults, onJump }: { faults: readonly TextDiagnostic[]; onJump: () => void }) {
  const { editor } = useDesk();
  return (
    <ul className={styles.faults} aria-label="What does not compile" aria-live="polite">
      {faults.map((fault, index) => (
        <li key={index} data-severity={fault.severity}>
          <span className={styles.kind}>{fault.severity === "error" ? "Error" : "Warning"}</span>
          {fault.line !== null && (
            <button
              type="button"
              className={styles.where}
              onClick={() => {
                onJump();
                // The text may have been out of sight.
                requestAnimationFrame(() => editor.current?.jump(fault.line ?? 1, fault.column ?? 1));
              }}
            >
              {fault.line}:{fault.column ?? 1}
            </button>
          )}
          <span>
            {fault.message}
            {fault.hints.map((hint) => (
              <span key={hint} className={styles.hint}>
                {hint}
              </span>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The first and the last page in sight, and the one of which most is. */
function inSight(scroller: HTMLElement | null): { first: number; last: number; most: number } | null {
  if (!scroller || scroller.clientHeight === 0) return null;
  const { top, bottom } = scroller.getBoundingClientRect();
  let found: { first: number; last: number; most: number } | null = null;
  let best = 0;
  for (const page of scroller.querySelectorAll("[data-page]")) {
    const box = page.getBoundingClientRect();
    const seen = Math.min(bottom, box.bottom) - Math.max(top, box.top);
    if (seen <= 0) continue;
    const number = Number(page.getAttribute("data-page"));
    found ??= { first: number, last: number, most: number };
    found.last = number;
    if (seen > best) [best, found.most] = [seen, number];
  }
  return found;
}
