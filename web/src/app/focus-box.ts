import { useRouter } from "@tanstack/react-router";
import { useCallback } from "react";

/** Puts the cursor where a place is asked or searched. Tells whether it has such a box. */
export function focusBox(): boolean {
  const box = document.querySelector<HTMLInputElement | HTMLTextAreaElement>(
    "main :is(input[type=search], textarea[data-ask])",
  );
  box?.focus();
  box?.select();
  return box !== null;
}

/** Goes to a place to ask or search, with the cursor in its box. */
export function useFocusBox(): (to: "/ask" | "/search") => void {
  const router = useRouter();
  return useCallback(
    (to) => {
      if (router.state.location.pathname === to) {
        // After a dialog has given the focus back.
        requestAnimationFrame(() => requestAnimationFrame(focusBox));
        return;
      }
      // Not before the place is drawn: the one that is left may have a box, too.
      const stop = router.subscribe("onRendered", () => {
        stop();
        focusBox();
      });
      void router.navigate({ to });
    },
    [router],
  );
}
