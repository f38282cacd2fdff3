import { RemoveSample } from "@/features/sample/remove-sample";
import { SampleWay } from "@/features/sample/sample-way";
import { useSample } from "@/features/sample/use-sample";
import { formatPlural } from "@/lib/format";
import styles from "@/features/sample/sample.module.css";

/** The sample library in the settings: in or out. */
export function SampleSetting() {
  const { step, sources } = useSample();
  return (
    <>
      <SampleWay />
      {step?.kind === "here" && sources && (
        <div className={styles.way}>
          <RemoveSample />
          <span>{formatPlural(sources.length, "document")} in your library.</span>
        </div>
      )}
    </>
  );
}
