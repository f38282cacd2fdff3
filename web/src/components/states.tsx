import type { CSSProperties, ReactNode } from "react";
import { Button } from "@/components/button";
import { asSentence } from "@/lib/format";
import { Problem } from "@/lib/problem";
import styles from "@/components/states.module.css";

const WIDTHS = ["44%", "62%", "36%", "54%", "48%", "30%"];

/** Still bars where rows will be. They do not shimmer: nothing moves without a reason. */
export function Skeleton({ label, rows = 6 }: { label: string; rows?: number }) {
  return (
    <div className={styles.skeleton} role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={styles.bar} style={{ "--width": WIDTHS[row % WIDTHS.length] } as CSSProperties} />
      ))}
    </div>
  );
}

/** An empty list: what belongs here, and how to get it here. */
export function Empty({ title, children, actions }: { title: string; children: ReactNode; actions?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children}
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}

/** What went wrong, in the server's words, with its request id and a way to try again. */
export function ErrorNote({
  error,
  what,
  onRetry,
  children,
}: {
  error: unknown;
  what: string;
  onRetry?: () => void;
  children?: ReactNode;
}) {
  const problem = Problem.from(error);
  return (
    <div className={styles.error} role="alert">
      <p>
        <strong>{what}</strong> {asSentence(problem.message)}
      </p>
      {problem.hint && <p className={styles.hint}>{problem.hint}</p>}
      {problem.requestId && <p className={styles.request}>Request {problem.requestId}</p>}
      {children}
      {onRetry && <Button onPress={onRetry}>Try again</Button>}
    </div>
  );
}

export function More({ onPress, loading, label }: { onPress: () => void; loading: boolean; label: string }) {
  return (
    <div className={styles.more}>
      <Button onPress={onPress} isDisabled={loading}>
        {loading ? "Loading…" : label}
      </Button>
    </div>
  );
}
