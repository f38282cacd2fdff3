import type { ReactNode } from "react";
import styles from "@/components/page.module.css";

/** A place of the app: one column in the centre, what stays at its foot, and beside it the panel if there is one. */
export function Page({ children, foot, panel }: { children: ReactNode; foot?: ReactNode; panel?: ReactNode }) {
  return (
    <div className={styles.frame}>
      <div className={foot ? `${styles.centre} ${styles.footed}` : styles.centre}>
        <div className={styles.column}>{children}</div>
        {foot && (
          <div className={styles.foot} data-foot="">
            {foot}
          </div>
        )}
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
