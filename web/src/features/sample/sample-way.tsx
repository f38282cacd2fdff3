import { useIsMutating } from "@tanstack/react-query";
import { sampleKeys } from "@/api/sample";
import { Button } from "@/components/button";
import { Progress } from "@/components/progress";
import { ErrorNote } from "@/components/states";
import { useLoadSample, useSample } from "@/features/sample/use-sample";
import { formatCount, formatPlural } from "@/lib/format";
import styles from "@/features/sample/sample.module.css";

/** The way in for who has nothing at hand: one click, and a line that counts the documents in. */
export function SampleWay() {
  const { about, step } = useSample();
  const load = useLoadSample();
  const loading = useIsMutating({ mutationKey: sampleKeys.about }) > 0;
  if (about.data === undefined)
    return about.isError ? (
      <ErrorNote error={about.error} what="The sample library is not known." onRetry={() => void about.refetch()} />
    ) : null;
  const { documents } = about.data;
  if (loading || step?.kind === "coming") {
    const [done, total] = step?.kind === "coming" ? [step.done, step.total] : [0, documents];
    return <SampleProgress done={done} total={total} />;
  }
  if (step?.kind !== "absent") return null;
  return (
    <>
      <div className={styles.way}>
        <Button onPress={() => load.mutate()}>Load the sample library</Button>
        <span>{formatPlural(documents, "short document")} made to try Ibid with, easily removed again.</span>
      </div>
      {load.isError && (
        <ErrorNote error={load.error} what="The sample library was not loaded." onRetry={() => load.mutate()} />
      )}
    </>
  );
}

export function SampleProgress({ done, total }: { done: number; total: number }) {
  return (
    <div className={styles.progress}>
      <Progress
        label="Progress of the sample library"
        words="Reading the sample library"
        count={`${formatCount(done)} of ${formatPlural(total, "document")}`}
        done={done}
        total={total}
      />
    </div>
  );
}
