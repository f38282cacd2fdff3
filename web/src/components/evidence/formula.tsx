import { lazy, Suspense, use, type ReactNode } from "react";
import { BadgesContext } from "@/components/evidence/badge";
import { asWritten } from "@/lib/citation-places";

/** What a formula is at most; a longer one is shown as it was written. */
const LONGEST = 2000;

const SetFormula = lazy(() =>
  import("@/components/evidence/set-formula").then(({ SetFormula }) => ({ default: SetFormula })),
);

/** A formula as it is read. What sets it is loaded with the first one; until then, and if it cannot be set, it is shown as written. */
export function Formula({ text, display = false, written }: { text: string; display?: boolean; written: ReactNode }) {
  const tex = asWritten(text, use(BadgesContext));
  if (tex.length > LONGEST) return written;
  return (
    <Suspense fallback={written}>
      <SetFormula text={tex} display={display} written={written} />
    </Suspense>
  );
}
