import type { ReactNode } from "react";
import type { EventCategory } from "@/api/types";
import { categoryWord } from "@/lib/event-words";
import styles from "@/components/knowledge/knowledge.module.css";

/** The sign of each category in a square of 12: told apart by shape, so that no colour has to. */
const SHAPES: Record<EventCategory, ReactNode> = {
  Decision: <path d="M6 .5 11.5 6 6 11.5.5 6z" />,
  Commitment: <circle cx="6" cy="6" r="5" />,
  QualityRisk: <path d="M6 1 11.5 11H.5z" />,
  Execution: <path d="M1.5 1.5h9v9h-9z" />,
  Collaboration: <path d="M4 2.5a3.5 3.5 0 1 0 0 7h4a3.5 3.5 0 1 0 0-7z" />,
  Feedback: <path d="M1 1.5h10v7H6L3 11.5v-3H1z" />,
  Change: <path d="M1 4h6V1l4.5 5L7 11V8H1z" />,
  Stakeholder: <path d="M6 .5 11.5 4.5 9.4 11H2.6L.5 4.5z" />,
};

/** The bare shape, for a drawing; 12 by 12. */
export function categoryShape(category: EventCategory): ReactNode {
  return SHAPES[category];
}

/** What kind of event it is: a small sign and the word. */
export function Category({ category }: { category: EventCategory }) {
  return (
    <span className={styles.category} data-risk={category === "QualityRisk" || undefined}>
      <svg width="12" height="12" viewBox="0 0 12 12" fill="currentColor" aria-hidden="true">
        {categoryShape(category)}
      </svg>
      {categoryWord(category)}
    </span>
  );
}
