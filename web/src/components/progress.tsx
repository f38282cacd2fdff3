import { ProgressBar } from "react-aria-components/ProgressBar";
import styles from "@/components/progress.module.css";

/** A thin line with counts. Without a total there is no line to fill, only the count. */
export function Progress({
  label,
  words,
  count,
  done,
  total,
}: {
  label: string;
  words?: string;
  count: string;
  done: number;
  total: number | null;
}) {
  return (
    <ProgressBar
      aria-label={label}
      value={done}
      maxValue={total ?? 1}
      isIndeterminate={total === null}
      valueLabel={count}
      className={styles.progress}
    >
      {({ percentage }) => (
        <>
          <div className={styles.words}>
            <span>{words}</span>
            <span>{count}</span>
          </div>
          <div className={styles.track}>
            <div className={styles.fill} style={{ width: `${percentage ?? 0}%` }} />
          </div>
        </>
      )}
    </ProgressBar>
  );
}
