import { useEffect, useRef, type ReactNode } from "react";
import { Button } from "@/components/button";
import { CloseIcon } from "@/components/icons";
import styles from "@/components/side-panel.module.css";

/** The panel on the right: details now, evidence later. A sheet from below where there is no room beside the text. */
export function SidePanel({ kind, onClose, children }: { kind: string; onClose: () => void; children: ReactNode }) {
  const panel = useRef<HTMLElement>(null);
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });

  useEffect(() => {
    // As a sheet it covers what was in focus. Beside the list, the focus stays there and j and k go on.
    if (panel.current && getComputedStyle(panel.current).position === "fixed") {
      panel.current.focus({ preventScroll: true });
    }
    function onKey(event: KeyboardEvent) {
      if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("[role=dialog]"))
        close.current();
    }
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);

  return (
    <aside ref={panel} tabIndex={-1} aria-label={`${kind} details`} className={styles.panel}>
      <div className={styles.head}>
        <span className={styles.kind}>{kind}</span>
        <Button look="icon" aria-label="Close panel" data-panel="hide" onPress={onClose}>
          <CloseIcon />
        </Button>
      </div>
      <div className={styles.body}>{children}</div>
    </aside>
  );
}

/** Pairs of a name and a value. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
