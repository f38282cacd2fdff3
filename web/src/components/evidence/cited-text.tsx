import { useRouter } from "@tanstack/react-router";
import {
  useDeferredValue,
  useEffect,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
} from "react";
import { useCitationSettings } from "@/api/settings";
import type { Citation } from "@/api/types";
import { BadgesContext, FormatContext } from "@/components/evidence/badge";
import { ClaimsContext } from "@/components/evidence/claim";
import { CitationPopover } from "@/components/evidence/citation-popover";
import { PartView } from "@/components/evidence/text-parts";
import { MarksContext, marksBeside } from "@/components/evidence/uncited-mark";
import { UncitedPopover } from "@/components/evidence/uncited-popover";
import type { Badge, Placed, Uncited } from "@/lib/citation-places";
import { readParts } from "@/lib/markdown";
import { useGradually } from "@/lib/use-gradually";
import styles from "@/components/evidence/cited-text.module.css";

const OPEN_MS = 150;
const CLOSE_MS = 250;
const PARTS_AT_ONCE = 12;
/** In a text of more parts, those far from the window are not laid out. */
const LONG_PARTS = 60;

/** A text in Markdown with its citations as badges; a badge shows its evidence when it is pointed at or has the focus. */
export function CitedText({
  placed: newest,
  label,
  articleRef,
}: {
  placed: Placed;
  label: string;
  articleRef?: RefObject<HTMLElement | null>;
}) {
  // New words, and hundreds of badges that become links at once, are drawn between frames.
  const placed = useDeferredValue(newest);
  const router = useRouter();
  const { format, enable_tooltips: pointing } = useCitationSettings();
  const trigger = useRef<Element | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const touch = useRef(false);
  const [shown, setShown] = useState<Citation | null>(null);
  const [uncited, setUncited] = useState<readonly Uncited[] | null>(null);
  useEffect(() => () => clearTimeout(timer.current), []);

  function show(element: Element) {
    clearTimeout(timer.current);
    const citation = citationOf(element, placed.badges);
    if (!citation) return;
    trigger.current = element;
    setShown(citation);
  }
  function wait(ms: number, then: () => void) {
    clearTimeout(timer.current);
    timer.current = setTimeout(then, ms);
  }
  const hide = () => wait(CLOSE_MS, () => setShown(null));

  function onPointerOver(event: PointerEvent) {
    const badge = badgeAt(event.target);
    if (badge && pointing && event.pointerType === "mouse") wait(shown ? 0 : OPEN_MS, () => show(badge));
  }
  function onPointerOut(event: PointerEvent) {
    if (badgeAt(event.target) && event.pointerType === "mouse") hide();
  }
  function onFocus(event: FocusEvent) {
    const badge = badgeAt(event.target);
    // A finger focuses, too, but what it does is told by the click.
    if (pointing && badge?.matches(":focus-visible")) show(badge);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Escape" || !shown) return;
    event.preventDefault();
    setShown(null);
  }
  function onClick(event: MouseEvent<HTMLElement>) {
    const mark = event.target instanceof Element ? event.target.closest("[data-uncited]") : null;
    if (mark) {
      trigger.current = mark;
      setShown(null);
      setUncited(marksBeside(mark, event.currentTarget).flatMap((at) => placed.marks[at] ?? []));
    }
    const badge = badgeAt(event.target);
    if (!badge || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const href = badge.getAttribute("href");
    // A finger cannot point without pressing: it gets the evidence first, with a way on.
    if ((touch.current && pointing) || !href) {
      event.preventDefault();
      show(badge);
    } else if (href.startsWith("/")) {
      event.preventDefault();
      router.history.push(href);
    }
  }

  return (
    <BadgesContext value={placed.badges}>
      {/* The badges inside are links and buttons; this hears of them all in one place, because there may be hundreds. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <article
        ref={articleRef}
        className={styles.text}
        aria-label={label}
        onPointerOver={onPointerOver}
        onPointerOut={onPointerOut}
        onPointerDown={(event) => (touch.current = event.pointerType !== "mouse")}
        onFocus={onFocus}
        onBlur={(event) => badgeAt(event.target) && hide()}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        <FormatContext value={format}>
          <MarksContext value={placed.marks}>
            <ClaimsContext value={placed.claims}>
              <Parts text={placed.text} />
            </ClaimsContext>
          </MarksContext>
        </FormatContext>
      </article>
      {uncited && <UncitedPopover statements={uncited} trigger={trigger} onClose={() => setUncited(null)} />}
      {shown && (
        <CitationPopover
          citation={shown}
          trigger={trigger}
          onClose={() => setShown(null)}
          onEnter={() => clearTimeout(timer.current)}
          onLeave={hide}
        />
      )}
    </BadgesContext>
  );
}

function badgeAt(target: EventTarget): Element | null {
  return target instanceof Element ? target.closest("[data-badge]") : null;
}

function citationOf(element: Element, badges: readonly Badge[]): Citation | null {
  const [badge, item] = (element.getAttribute("data-badge") ?? "").split(".").map(Number);
  return badges[badge ?? -1]?.items[item ?? -1]?.citation ?? null;
}

/** Finished parts stay as they are while more of the text comes. */
function Parts({ text }: { text: string }) {
  const [read, setRead] = useState(() => readParts(text));
  if (read.text !== text) setRead(readParts(text, read));
  const count = useGradually(read.parts.length, PARTS_AT_ONCE);
  const isLong = read.parts.length > LONG_PARTS;
  return read.parts
    .slice(0, count)
    .map(({ raw, block }, index) => <PartView key={index} raw={raw} block={block} far={isLong} />);
}
