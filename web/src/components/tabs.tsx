import type { ReactNode } from "react";
import styles from "@/components/tabs.module.css";

/** Views of one place. Each is a link with its own address, so this is navigation and not an ARIA tab list. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className={styles.tabs}>
      {children}
    </nav>
  );
}

/** The class of a link inside `Tabs`; the open one carries `aria-current`. */
export const tabClass = styles.tab;
