import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { getImpact, sourceKeys } from "@/api/sources";
import type { Source } from "@/api/types";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { ErrorNote } from "@/components/states";
import { useRemoveSample, useSample } from "@/features/sample/use-sample";
import { formatPlural } from "@/lib/format";
import styles from "@/features/sample/sample.module.css";

/** Takes the sample library out again; says first what rests on it. */
export function RemoveSample({ look = "plain" }: { look?: "plain" | "quiet" }) {
  const { sources } = useSample();
  const [asking, setAsking] = useState(false);
  if (!sources || sources.length === 0) return null;
  return (
    <>
      <Button look={look} onPress={() => setAsking(true)}>
        Remove the sample library
      </Button>
      {asking && <RemoveDialog sources={sources} onClose={() => setAsking(false)} />}
    </>
  );
}

function RemoveDialog({ sources, onClose }: { sources: readonly Source[]; onClose: () => void }) {
  const remove = useRemoveSample(onClose);
  const impacts = useQueries({
    queries: sources.map(({ id }) => ({
      queryKey: sourceKeys.impact(id, null),
      queryFn: ({ signal }: { signal: AbortSignal }) => getImpact(id, null, null, signal),
    })),
  });
  const known = impacts.every(({ isSuccess }) => isSuccess);
  const failed = impacts.some(({ isError }) => isError);
  const claims = impacts.reduce((sum, { data }) => sum + (data?.claim_count ?? 0), 0);
  return (
    <Dialog title="Remove the sample library" onClose={onClose}>
      <p>
        {formatPlural(sources.length, "document")} that came with Ibid would be deleted. What you added yourself stays.
      </p>
      <p role="status" className={claims > 0 ? styles.lost : styles.quiet}>
        {known &&
          (claims === 0
            ? "Nothing that was written rests on them."
            : `${formatPlural(claims, "claim")} in conversations and documents would lose ${claims === 1 ? "its" : "their"} support. The quoted words stay with them.`)}
        {!known && (failed ? "What rests on them is not known." : "Looking for what rests on them…")}
      </p>
      {remove.isError && <ErrorNote error={remove.error} what="The sample library was not removed." />}
      <div className={styles.actions}>
        <Button onPress={onClose}>Cancel</Button>
        <Button look="danger" isDisabled={remove.isPending || (!known && !failed)} onPress={() => remove.mutate()}>
          {remove.isPending ? "Removing…" : "Remove"}
        </Button>
      </div>
    </Dialog>
  );
}
