import {
  useEffect,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
} from "react";

const OPEN_MS = 150;
const CLOSE_MS = 250;

/** Which citation shows its evidence: the one that is pointed at, has the focus, or was pressed. `onMark` hears of pressed marks, with all that stand beside the same line. */
export function useCard(onMark: (mark: Element, beside: Element[]) => void) {
  const trigger: RefObject<Element | null> = useRef(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [number, setNumber] = useState<number | null>(null);
  useEffect(() => () => clearTimeout(timer.current), []);

  const wait = (ms: number, then: () => void) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(then, ms);
  };
  const show = (badge: Element) => {
    clearTimeout(timer.current);
    // The text may have been drawn anew since.
    if (!badge.isConnected) return;
    trigger.current = badge;
    setNumber(Number(badge.getAttribute("data-citation")));
  };
  const close = () => setNumber(null);
  const leave = () => wait(CLOSE_MS, close);

  const handlers = {
    onPointerOver(event: PointerEvent) {
      const badge = badgeAt(event.target);
      if (badge && event.pointerType === "mouse") wait(number === null ? OPEN_MS : 0, () => show(badge));
    },
    onPointerOut(event: PointerEvent) {
      if (badgeAt(event.target) && event.pointerType === "mouse") leave();
    },
    onFocus(event: FocusEvent) {
      const badge = badgeAt(event.target);
      if (badge?.matches(":focus-visible")) show(badge);
    },
    onBlur(event: FocusEvent) {
      if (badgeAt(event.target)) leave();
    },
    onKeyDown(event: KeyboardEvent) {
      if (event.key !== "Escape" || number === null) return;
      event.preventDefault();
      close();
    },
    onClick(event: MouseEvent) {
      const mark = event.target instanceof Element ? event.target.closest("[data-claim]") : null;
      if (mark) onMark(mark, marksBeside(mark, event.currentTarget));
      const badge = badgeAt(event.target);
      if (badge) show(badge);
    },
  };
  return { number, trigger, close, leave, stay: () => clearTimeout(timer.current), handlers };
}

function badgeAt(target: EventTarget): Element | null {
  return target instanceof Element ? target.closest("[data-citation]") : null;
}

/** No more than one of the marks beside a line can be hit. */
function marksBeside(mark: Element, text: Element): Element[] {
  const { top } = mark.getBoundingClientRect();
  return Array.from(text.querySelectorAll("[data-claim]")).filter(
    (other) => Math.abs(other.getBoundingClientRect().top - top) < 4,
  );
}
