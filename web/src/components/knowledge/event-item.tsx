import type { ReactNode } from "react";
import type { EventCategory, EventEvidence, Participant } from "@/api/types";
import { PlaceLink } from "@/components/place-link";
import { Category } from "@/components/knowledge/category";
import { EntityLink } from "@/components/knowledge/entity-link";
import { Quoted } from "@/components/quoted";
import { saysTheSame, shortened } from "@/lib/event-words";
import styles from "@/components/knowledge/knowledge.module.css";

interface Props {
  category: EventCategory;
  /** When it was, as it is said here. */
  when: string | null;
  /** What happened, in somebody's words. */
  narrative: string;
  evidence: readonly EventEvidence[];
  /** Who has a part in it, without the one whose page it stands on. */
  participants: readonly Participant[];
  /** Why it is shown. */
  reason?: ReactNode;
}

const QUOTE_CHARS = 600;
const TITLE_CHARS = 120;
const PARTICIPANTS = 8;

/** Something that happened, with the words that say so; the same wherever events are shown. */
export function EventItem({ category, when, narrative, evidence, participants, reason }: Props) {
  const repeats = evidence.some(({ quote }) => saysTheSame(narrative, quote));
  const shown = participants.slice(0, PARTICIPANTS);
  return (
    <div className={styles.event}>
      <p className={styles.line}>
        <Category category={category} />
        {when && <span>{when}</span>}
        {reason && (
          <span className={styles.reason}>
            <bdi>{reason}</bdi>
          </span>
        )}
      </p>
      {!repeats && (
        <p className={styles.narrative} dir="auto">
          {shortened(narrative, QUOTE_CHARS)}
        </p>
      )}
      {evidence.map((words) => (
        <div key={`${words.source_id}${words.start_char}`} className={styles.evidence}>
          <div dir="auto">
            <Quoted text={shortened(words.quote, QUOTE_CHARS)} />
          </div>
          <PlaceLink
            row
            className={styles.place}
            sourceId={words.source_id}
            revisionId={words.revision_id}
            start={words.start_char}
            end={words.end_char}
          >
            <bdi>{shortened(words.title, TITLE_CHARS)}</bdi>
            {words.page != null && `, page ${words.page}`}
          </PlaceLink>
        </div>
      ))}
      {shown.length > 0 && (
        <p className={styles.participants}>
          With{" "}
          {shown.map((participant, index) => (
            <span key={participant.entity_id}>
              {index > 0 && ", "}
              <EntityLink entity={participant} />
            </span>
          ))}
          {participants.length > shown.length && ` and ${participants.length - shown.length} more`}
        </p>
      )}
    </div>
  );
}

/** Everybody who has a part in an event, each once, without one of them. */
export function participantsOf(
  { actors, subjects }: { actors: readonly Participant[]; subjects: readonly Participant[] },
  without?: string,
): Participant[] {
  const seen = new Set([without]);
  return [...actors, ...subjects].filter(({ entity_id }) => !seen.has(entity_id) && Boolean(seen.add(entity_id)));
}
