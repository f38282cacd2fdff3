import type { MouseEvent, ReactNode } from "react";
import styles from "@/components/table.module.css";

export interface Column {
  label: string;
  /** Numbers stand at the end, so that their digits line up. */
  end?: boolean;
  /** A column whose cells speak for themselves has a name for screen readers only. */
  quiet?: boolean;
  /** The class that its cells have, too, where the column comes and goes with the room there is. */
  className?: string;
}

/**
 * A list in columns. It is made of grids, which lets a row become two lines on a phone, and says with roles that it
 * is a table. The class sets `--columns`.
 */
export function Table({
  label,
  columns,
  className,
  children,
}: {
  label: string;
  columns: Column[];
  className?: string;
  children: ReactNode;
}) {
  return (
    <div role="table" aria-label={label} className={`${styles.table} ${className ?? ""}`}>
      <div role="rowgroup">
        <div role="row" className={`${styles.row} ${styles.head}`}>
          {columns.map((column) => (
            <div
              key={column.label}
              role="columnheader"
              className={`${column.end ? styles.end : ""} ${column.className ?? ""}`}
            >
              <span className={column.quiet ? "visually-hidden" : undefined}>{column.label}</span>
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" className={styles.body}>
        {children}
      </div>
    </div>
  );
}

/** A row opens by its link; a click anywhere else on it that meets no other control counts as a click on that link. */
export function Row({ children }: { children: ReactNode }) {
  function onClick(event: MouseEvent<HTMLDivElement>) {
    const target = event.target as Element;
    if (target.closest("a, button, input, label") || getSelection()?.isCollapsed === false) return;
    event.currentTarget.querySelector<HTMLElement>("[data-row]")?.click();
  }
  return (
    // The link inside is there for the keyboard and for screen readers; this is only a larger target for a pointer.
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div role="row" className={`${styles.row} ${styles.openable}`} onClick={onClick}>
      {children}
    </div>
  );
}

export function Cell({
  children,
  end,
  dim,
  className,
}: {
  children?: ReactNode;
  end?: boolean;
  dim?: boolean;
  className?: string;
}) {
  const names = [styles.cell, end && styles.end, dim && styles.dim, className];
  return (
    <div role="cell" className={names.filter(Boolean).join(" ")}>
      {children}
    </div>
  );
}

/** What a row's main link carries: its looks, and the mark by which `j`, `k` and `o` find it. */
export const rowLink = { className: styles.link, "data-row": "" } as const;
