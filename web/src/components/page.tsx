import type { ReactNode } from "react";
import styles from "@/components/page.module.css";

/** A place of the app: one column in the centre, and beside it the panel if there is one. */
export function Page({ children, panel }: { children: ReactNode; panel?: ReactNode }) {
  return (
    <div className={styles.frame}>
      <div className={styles.centre}>
        <div className={styles.column}>{children}</div>
      </div>
      {panel}
    </div>
  );
}

export function PageHead({ title, actions }: { title: string; actions?: ReactNode }) {
  return (
    <header className={styles.head}>
      <h1>{title}</h1>
      {actions && <div className={styles.actions}>{actions}</div>}
    </header>
  );
}
