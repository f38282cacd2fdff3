import { useRouter, type ParsedLocation } from "@tanstack/react-router";
import { useLayoutEffect, type RefObject } from "react";
import { goTo, goToTurn, keepPlace, keptPlace, placeNow } from "@/features/ask/reading-place";

const LONGEST_MS = 2000;
const STILL_FRAMES = 8;
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
    hold();
    return () => {
      release();
      for (const input of INPUTS) removeEventListener(input, release);
    };
    // Only when it is opened: what happens in it moves nothing.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isDrawn]);

  useLayoutEffect(() => {
    function keep(location: ParsedLocation | undefined) {
      const place = thread.current && placeNow(thread.current);
      if (location && place) keepPlace(visitOf(location), place);
    }
    const onLeave = () => keep(router.latestLocation);
    const unsubscribe = router.subscribe("onBeforeNavigate", ({ fromLocation }) => keep(fromLocation));
    addEventListener("pagehide", onLeave);
    return () => {
      unsubscribe();
      removeEventListener("pagehide", onLeave);
    };
  }, [router, thread]);
}

/** A visit is an entry of the browser's history. */
function visitOf({ state, href }: ParsedLocation): string {
  return state.__TSR_key ?? href;
}
