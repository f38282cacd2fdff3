import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { spanHash } from "@/lib/span";

interface Props {
  sourceId: string;
  revisionId: string;
  start: number;
  end: number;
  /** Whether `j`, `k` and `o` go by it. */
  row?: boolean;
  className?: string;
  children: ReactNode;
}

/** A link to the exact words of a source, in the version that they were read in. */
export function PlaceLink({ sourceId, revisionId, start, end, row, className, children }: Props) {
  return (
    <Link
      to="/sources/$sourceId"
      params={{ sourceId }}
      search={{ revision: revisionId }}
      hash={spanHash({ start, end })}
      className={className}
      {...(row && { "data-row": "" })}
    >
      {children}
    </Link>
  );
}
