import { useId } from "react";
import type { Entity, RelatedItem } from "@/api/types";
import { EntityChips } from "@/components/knowledge/entity-link";
import { EventItem, participantsOf } from "@/components/knowledge/event-item";
import { dateWords, reasonName, reasonWords, whenWords } from "@/lib/event-words";
import styles from "@/components/knowledge/knowledge.module.css";

interface Props {
  related: readonly RelatedItem[];
  entities: readonly Entity[];
  /** How deep its headings are. */
  under?: 2 | 3;
}

/** What is connected with what was found, through the same people and things; nothing where nothing is. */
export function Related({ related, entities, under = 2 }: Props) {
  const id = useId();
  const Heading = `h${under}` as const;
  return (
    <>
      {entities.length > 0 && (
        <section className={styles.related} aria-labelledby={`${id}who`}>
          <Heading id={`${id}who`}>Who and what takes part</Heading>
          <EntityChips entities={entities} label="People and things" />
        </section>
      )}
      {related.length > 0 && (
        <section className={styles.related} aria-labelledby={`${id}what`}>
          <Heading id={`${id}what`}>Connected with it</Heading>
          <ul className={styles.events} aria-label="Connected events">
            {related.map((item) => (
              <li key={item.id}>
                <EventItem
                  category={item.category}
                  when={whenWords(dateWords(item.event_date), item.dated_by)}
                  narrative={item.summary}
                  evidence={item.evidence}
                  // Who connects it is said already.
                  participants={participantsOf(item).filter(({ name }) => name !== reasonName(item.reason))}
                  reason={reasonWords(item.reason)}
                />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
