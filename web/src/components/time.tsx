import { formatAbsolute, formatRelative } from "@/lib/format";
import { useNow } from "@/lib/clock";

/** A moment as people say it, with the exact one on hover. */
export function Time({ iso }: { iso: string }) {
  const now = useNow();
  return (
    <time dateTime={iso} title={formatAbsolute(iso)}>
      {formatRelative(iso, now)}
    </time>
  );
}
