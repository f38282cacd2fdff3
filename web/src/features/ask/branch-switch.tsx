import { Button } from "@/components/button";
import { ChevronIcon } from "@/components/icons";
import type { Shown } from "@/features/ask/live";
import type { Turn } from "@/features/ask/branches";
import { formatCount } from "@/lib/format";
import styles from "@/features/ask/ask.module.css";

/** ‹ 2/3 ›: leads to the other messages that follow the same. */
export function BranchSwitch({
  turn: { message, siblings },
  onSwitch,
}: {
  turn: Turn<Shown>;
  onSwitch: (id: string) => void;
}) {
  if (siblings.length < 2) return null;
  const at = siblings.findIndex(({ id }) => id === message.id);
  const [before, after] = [siblings[at - 1], siblings[at + 1]];
  const what = message.role === "user" ? "question" : "answer";
  return (
    <div className={styles.branches} role="group" aria-label={`Versions of this ${what}`}>
      <Button
        look="icon"
        aria-label={`Previous ${what}`}
        isDisabled={!before}
        onPress={() => before && onSwitch(before.id)}
      >
        <span className={styles.back}>
          <ChevronIcon />
        </span>
      </Button>
      <span aria-label={`Version ${at + 1} of ${siblings.length}`} role="img">
        {formatCount(at + 1)}/{formatCount(siblings.length)}
      </span>
      <Button look="icon" aria-label={`Next ${what}`} isDisabled={!after} onPress={() => after && onSwitch(after.id)}>
        <ChevronIcon />
      </Button>
    </div>
  );
}
