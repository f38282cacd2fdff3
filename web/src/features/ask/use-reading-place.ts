import { useRouter, type ParsedLocation } from "@tanstack/react-router";
import { useLayoutEffect, type RefObject } from "react";
import { goTo, goToTurn, keepPlace, keptPlace, placeNow, type ReadingPlace } from "@/features/ask/reading-place";

const LONGEST_MS = 2000;
const STILL_FRAMES = 8;
const SETTLED_MS = 150;
const INPUTS = ["wheel", "touchstart", "pointerdown", "keydown"] as const;

/**
 * Opens a thread where it was left on this visit, else at the message that the address names, else at its newest
 * turn. What is above is drawn bit by bit, so the place is held until nothing moves any more or someone takes over.
 */
export function useReadingPlace(thread: RefObject<HTMLElement | null>, isDrawn: boolean, named: string | null): void {
  const router = useRouter();

  useLayoutEffect(() => {
    const element = thread.current;
    if (!element || !isDrawn) return;
    const kept = keptPlace(visitOf(router.latestLocation));
    const place = () => (kept ? goTo(element, kept) : goToTurn(element, named));
    const until = performance.now() + LONGEST_MS;
    let [still, last] = [0, -1];
    let frame = 0;
    function hold() {
      still = place() && scrollY === last ? still + 1 : 0;
      last = scrollY;
      if (still < STILL_FRAMES && performance.now() < until) frame = requestAnimationFrame(hold);
    }
    const release = () => cancelAnimationFrame(frame);
    for (const input of INPUTS) addEventListener(input, release, { passive: true });
    // Before the next frame is drawn, but not in the same breath as what was just made.
    frame = requestAnimationFrame(hold);
    return () => {
      release();
      for (const input of INPUTS) removeEventListener(input, release);
    };
    // Only when it is opened: what happens in it moves nothing.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isDrawn]);

  useLayoutEffect(() => {
    let settled: ReturnType<typeof setTimeout>;
    let last: ReadingPlace | null = null;
    const look = () => (last = thread.current && placeNow(thread.current));
    function keep(location: ParsedLocation | undefined) {
      if (location && last) keepPlace(visitOf(location), last);
    }
    function onScroll() {
      clearTimeout(settled);
      settled = setTimeout(look, SETTLED_MS);
    }
    // To look costs a layout, which a page that is going away has no time for.
    const onLeave = () => keep(router.latestLocation);
    const unsubscribe = router.subscribe("onBeforeNavigate", ({ fromLocation }) => {
      look();
      keep(fromLocation);
    });
    addEventListener("scroll", onScroll, { passive: true });
    addEventListener("pagehide", onLeave);
    return () => {
      clearTimeout(settled);
      unsubscribe();
      removeEventListener("scroll", onScroll);
      removeEventListener("pagehide", onLeave);
    };
  }, [router, thread]);
}

/** A visit is an entry of the browser's history. */
function visitOf({ state, href }: ParsedLocation): string {
  return state.__TSR_key ?? href;
}
