import { RemoveSample } from "@/features/sample/remove-sample";
import { useSample } from "@/features/sample/use-sample";
import { formatPlural } from "@/lib/format";
import styles from "@/features/sample/sample.module.css";

/** Says above a list that some of it came with Ibid, and how it goes again. */
export function SampleLine() {
  const { sources } = useSample();
  if (!sources || sources.length === 0) return null;
  return (
    <div className={styles.line}>
      <span>{formatPlural(sources.length, "document")} of the sample library, marked “sample”.</span>
      <RemoveSample look="quiet" />
    </div>
  );
}
