import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { focusBox, useFocusBox } from "@/app/focus-box";
import { PLACES } from "@/app/places";
import { isTaken, SEQUENCE_MS } from "@/lib/page-keys";

const isMac = typeof navigator !== "undefined" && navigator.platform.startsWith("Mac");
const MOD = [isMac ? "⌘" : "Ctrl"];
/** What opens the palette, as it is called on this machine. */
export const PALETTE_KEYS = [...MOD, "K"];

/** What each key does, for the help dialog. */
export const KEYS: readonly [keys: string[], does: string][] = [
  [PALETTE_KEYS, "Go, ask, find: everything from one box"],
  [["j"], "Next row or citation"],
  [["k"], "Previous row or citation"],
  [["o"], "Open the row or what is cited"],
  [["x"], "Select the row"],
  [["Esc"], "Close the panel"],
  [["["], "Show the evidence"],
  [["]"], "Hide the evidence"],
  [["c"], "Copy the citation that is shown"],
  [["/"], "Ask or search"],
  [["u"], "Upload files"],
  [["s"], "Same, in the review"],
  [["d"], "Different, in the review"],
  [["u"], "Take back the last, in the review"],
  [[...MOD, "Shift", "C"], "Cite a passage, in a document"],
  [[...MOD, "S"], "Save now, in a document"],
  [[...MOD, "F"], "Find words, in a document"],
  ...PLACES.map(({ key, label }): [string[], string] => [["g", key], `Go to ${label}`]),
  [["?"], "Show these keys"],
];

interface Doing {
  onUpload: () => void;
  onHelp: () => void;
  onPalette: () => void;
  /** Something is about to open over the place, and what is typed is meant for it. */
  resting: boolean;
}

/** Single keys for the whole app; they rest while someone types or a dialog is open. */
export function useKeys({ onUpload, onHelp, onPalette, resting }: Doing): void {
  const navigate = useNavigate();
  const goToBox = useFocusBox();

  useEffect(() => {
    let goUntil = 0;

    function onKey(event: KeyboardEvent) {
      if (isPaletteKey(event)) {
        event.preventDefault();
        return onPalette();
      }
      if (resting || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
      const going = event.timeStamp < goUntil;
      goUntil = 0;
      const place = going && PLACES.find(({ key }) => key === event.key);
      if (place) void navigate({ to: place.to });
      else if (event.key === "g") goUntil = event.timeStamp + SEQUENCE_MS;
      else if (event.key === "j") step(1);
      else if (event.key === "k") step(-1);
      else if (event.key === "o") focusedRow()?.click();
      else if (event.key === "x") focusedRow()?.closest("[role=row]")?.querySelector<HTMLElement>("input")?.click();
      else if (event.key === "/") {
        if (!focusBox()) goToBox("/search");
      } else if (event.key === "[") press("main [data-panel=show]");
      else if (event.key === "]") press("main [data-panel=hide]");
      else if (event.key === "c") copyCitation();
      else if (event.key === "u") onUpload();
      else if (event.key === "?") onHelp();
      else return;
      event.preventDefault();
    }

    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [navigate, goToBox, onUpload, onHelp, onPalette, resting]);
}

/** Also while someone types: it is no letter. Another dialog has to be closed first. */
function isPaletteKey({ key, metaKey, ctrlKey, altKey, shiftKey, defaultPrevented }: KeyboardEvent): boolean {
  if (key.toLowerCase() !== "k" || metaKey === ctrlKey || altKey || shiftKey || defaultPrevented) return false;
  return !document.querySelector("[role=dialog]:not([data-palette])");
}

function press(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.click();
}

/** Of the card that is shown, or of the evidence that has the focus. */
function copyCitation(): void {
  const focused = document.activeElement?.closest("main li")?.querySelector<HTMLElement>("[data-copy-citation]");
  (document.querySelector<HTMLElement>("[data-card] [data-copy-citation]") ?? focused)?.click();
}

function rows(): HTMLElement[] {
  return Array.from(document.querySelectorAll<HTMLElement>("main [data-row]"));
}

/** The row that has the focus, on its link or on another control of it. */
function focusedRow(): HTMLElement | null {
  const active = document.activeElement;
  if (!(active instanceof HTMLElement)) return null;
  if (active.matches("[data-row]")) return active;
  return active.closest("[role=row]")?.querySelector<HTMLElement>("[data-row]") ?? null;
}

/** The row that gets the focus as soon as it is in sight. */
let coming: HTMLElement | null = null;

function step(by: 1 | -1): void {
  const all = rows();
  // With no focus yet, start at the row that is open beside, or at the first that is in sight, or at the top.
  const open = all.find((row) => row.getAttribute("aria-current") === "true");
  const at = (coming?.isConnected ? coming : null) ?? focusedRow() ?? open;
  const next = at ? all[all.indexOf(at) + by] : (all.find(isInSight) ?? all[0]);
  if (!next) return;
  if (isInSight(next)) {
    coming = null;
    next.focus();
    return;
  }
  // First the scroll and then the focus: the card of a citation closes when the page moves under it.
  coming = next;
  next.scrollIntoView({ block: "center" });
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (coming !== next) return;
      coming = null;
      next.focus({ preventScroll: true });
    }),
  );
}

function isInSight(row: HTMLElement): boolean {
  const { top, bottom } = row.getBoundingClientRect();
  const foot = document.querySelector("main [data-foot]")?.getBoundingClientRect().top ?? innerHeight;
  return top >= 0 && bottom <= foot;
}
