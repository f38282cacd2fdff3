import { eventKeys, listEvents } from "@/api/events";
import { EventItem, participantsOf } from "@/components/knowledge/event-item";
import { Empty, ErrorNote, More, Skeleton } from "@/components/states";
import { dateWords, whenWords } from "@/lib/event-words";
import { usePages } from "@/lib/use-pages";
import styles from "@/features/sources/source-page.module.css";

/** What happened according to a source, each with the words that say so. */
export function SourceTells({ id }: { id: string }) {
  const filter = { source_id: id };
  const events = usePages(eventKeys.list(filter), (cursor, signal) => listEvents(filter, cursor, signal));
  if (events.items === undefined) {
    return events.error ? (
      <ErrorNote error={events.error} what="What it tells could not be listed." onRetry={events.retry} />
    ) : (
      <Skeleton label="Loading what it tells" />
    );
  }
  if (events.items.length === 0) {
    return (
      <Empty title="It tells of nothing that happened">
        <p>
          No sentence in it was read as a decision, a promise, a risk or anything else that somebody did. It may still
          be being read.
        </p>
      </Empty>
    );
  }
  return (
    <>
      <ol className={styles.passages} aria-label="What it tells">
        {events.items.map((event) => (
          <li key={event.id}>
            <EventItem
              category={event.category}
              when={whenWords(dateWords(event.event_date), event.dated_by)}
              narrative={event.narrative}
              evidence={event.evidence}
              participants={participantsOf(event)}
            />
          </li>
        ))}
      </ol>
      {events.error && <ErrorNote error={events.error} what="More could not be listed." onRetry={events.retry} />}
      {events.hasMore && <More onPress={events.more} loading={events.loadingMore} label="More of what it tells" />}
    </>
  );
}
