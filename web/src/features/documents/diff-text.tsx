import { useMemo } from "react";
import type { DiffPart } from "@/api/documents-types";
import { shortened } from "@/features/documents/text-diff";
import { formatPlural } from "@/lib/format";
import styles from "@/features/documents/diff.module.css";

/** A text with what was added and removed; of what stayed, as much as says where that is. */
export function DiffText({
  parts,
  label,
  side = false,
}: {
  parts: readonly DiffPart[];
  label: string;
  /** One of two texts: what the other has not is marked, not struck out. */ side?: boolean;
}) {
  const short = useMemo(() => shortened(parts), [parts]);
  return (
    <article className={styles.text} aria-label={label}>
      {short.map((part, index) => {
        if (side && part.kind !== "same") return <mark key={index}>{part.text}</mark>;
        if (part.kind === "removed") return <del key={index}>{part.text}</del>;
        if (part.kind === "added") return <ins key={index}>{part.text}</ins>;
        return (
          <span key={index}>
            {part.text}
            {part.hidden && (
              <>
                <span className={styles.hidden}>{formatPlural(part.hidden.count, "character")} unchanged</span>
                {part.hidden.tail}
              </>
            )}
          </span>
        );
      })}
    </article>
  );
}
