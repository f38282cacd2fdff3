import { useEffect, useRef } from "react";

/** How long `g` waits for the letter of a place. */
export const SEQUENCE_MS = 1200;

/** Whether a key is meant for something else: someone types, or a dialog is open. */
export function isTaken({ target }: KeyboardEvent): boolean {
  if (document.querySelector("[role=dialog]")) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return target.type !== "checkbox" && target.type !== "radio";
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Keys of one place, by what the event calls them; they come before those of the whole app, except after its `g`. */
export function usePageKeys(keys: Readonly<Record<string, () => void>>): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });

  useEffect(() => {
    let goUntil = 0;
    function onKey(event: KeyboardEvent) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
      const going = event.timeStamp < goUntil;
      goUntil = event.key === "g" && !going ? event.timeStamp + SEQUENCE_MS : 0;
      const does = Object.hasOwn(current.current, event.key) ? current.current[event.key] : undefined;
      if (going || !does) return;
      event.preventDefault();
      // A key that is held down decides once.
      if (!event.repeat) does();
    }
    // On its way down, so that the keys of the app find it taken.
    document.addEventListener("keydown", onKey, { capture: true });
    return () => document.removeEventListener("keydown", onKey, { capture: true });
  }, []);
}
