import { entityKeys } from "@/api/entities";
import { listEvents } from "@/api/events";
import type { EntityAnswer } from "@/api/types";
import { EventItem, participantsOf } from "@/components/knowledge/event-item";
import { Empty, ErrorNote, More } from "@/components/states";
import { byMonth } from "@/features/entities/entity-words";
import { whenWords } from "@/lib/event-words";
import { usePages } from "@/lib/use-pages";
import styles from "@/features/entities/entity.module.css";

/** What happened with somebody, the newest first. */
export function Timeline({ entity, at }: { entity: EntityAnswer; at: number }) {
  const id = entity.entity_id;
  const events = usePages(
    entityKeys.events(id, at),
    // The first of them came with the entity.
    (cursor, signal) =>
      cursor === null
        ? Promise.resolve({ items: entity.events, next_cursor: entity.events_next_cursor })
        : listEvents({ entity_id: id }, cursor, signal),
    { keepPrevious: true },
  );
  const shown = events.items ?? entity.events;
  if (shown.length === 0) {
    return (
      <Empty title="Nothing is told of it">
        <p>
          It is named, but no sentence says what it did, decided or promised. Where it is named stands under Mentions.
        </p>
      </Empty>
    );
  }
  return (
    <div className={styles.timeline}>
      {byMonth(shown).map(({ year, months }) => (
        <section key={year ?? ""} aria-label={year ?? "Undated"}>
          <h2>{year ?? "Undated"}</h2>
          {months.map(({ month, events: inMonth }) => (
            <div key={month ?? ""} className={styles.month}>
              {month ? <h3>{month}</h3> : <div />}
              <ol>
                {inMonth.map(({ event, when }) => (
                  <li key={event.id}>
                    <EventItem
                      category={event.category}
                      when={whenWords(when, event.dated_by)}
                      narrative={event.narrative}
                      evidence={event.evidence}
                      participants={participantsOf(event, id)}
                    />
                  </li>
                ))}
              </ol>
            </div>
          ))}
        </section>
      ))}
      {events.error && (
        <ErrorNote error={events.error} what="Older events could not be listed." onRetry={events.retry} />
      )}
      {events.hasMore && <More onPress={events.more} loading={events.loadingMore} label="Older events" />}
    </div>
  );
}
