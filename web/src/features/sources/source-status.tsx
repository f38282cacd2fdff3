import type { Source } from "@/api/types";
import { statusWords } from "@/features/sources/source-words";
import styles from "@/features/sources/sources.module.css";

/** `brief` where the reason stands elsewhere on the page. */
export function SourceStatus({ source, brief = false }: { source: Source; brief?: boolean }) {
  const { word, sign, tone, why } = statusWords(source);
  return (
    <div className={`${styles.status} ${styles[tone] ?? ""}`}>
      <span className={styles.sign} aria-hidden="true">
        {sign}
      </span>
      <span>
        {word}
        {why && !brief && (
          <>
            :{" "}
            <span className={styles.why} title={why}>
              {why}
            </span>
          </>
        )}
      </span>
    </div>
  );
}
