import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { entityKeys, getNeighborhood } from "@/api/entities";
import type { Neighborhood } from "@/api/types";
import { Button } from "@/components/button";
import { Category } from "@/components/knowledge/category";
import { EntityLink } from "@/components/knowledge/entity-link";
import { PlaceLink } from "@/components/place-link";
import { Empty, ErrorNote, Skeleton } from "@/components/states";
import { Drawing } from "@/features/entities/picture/drawing";
import { picturePages, type PicturePage } from "@/features/entities/picture/pages";
import { dateWords, shortened, whenWords } from "@/lib/event-words";
import { formatCount, formatPlural } from "@/lib/format";
import styles from "@/features/entities/picture/picture.module.css";

/** Who and what is one step away, drawn, and the same as a list. */
export function Picture({ id }: { id: string }) {
  const around = useQuery({
    queryKey: entityKeys.neighborhood(id),
    queryFn: ({ signal }) => getNeighborhood(id, signal),
  });
  if (around.data) return <Around around={around.data} />;
  if (around.isError)
    return (
      <ErrorNote error={around.error} what="The picture could not be drawn." onRetry={() => void around.refetch()} />
    );
  return <Skeleton label="Loading the picture" />;
}

function Around({ around }: { around: Neighborhood }) {
  const pages = useMemo(() => picturePages(around), [around]);
  const [at, setAt] = useState(0);
  const index = Math.min(at, pages.length - 1);
  const page = pages[index]!;
  if (around.events.length === 0 && page.entities.length === 0) {
    return (
      <Empty title="Nothing is connected with it">
        <p>No event that is told of it has a part for somebody else.</p>
      </Empty>
    );
  }
  const newer = pages.slice(0, index).reduce((sum, { events }) => sum + events.length, 0);
  return (
    <div className={styles.picture}>
      <Drawing center={around.center} page={page} />
      <div className={styles.bar}>
        <p>
          {page.events.length === around.total_events
            ? formatPlural(around.total_events, "event")
            : `Events ${formatCount(newer + 1)} to ${formatCount(newer + page.events.length)} of ${formatCount(around.total_events)}, the newest first`}
          {around.total_events > around.events.length &&
            index === pages.length - 1 &&
            "; older ones are in the timeline"}
        </p>
        {pages.length > 1 && (
          <div className={styles.turn}>
            <Button look="quiet" isDisabled={index === 0} onPress={() => setAt(index - 1)}>
              Newer
            </Button>
            <Button look="quiet" isDisabled={index === pages.length - 1} onPress={() => setAt(index + 1)}>
              More, older
            </Button>
          </div>
        )}
      </div>
      <AsList around={around} page={page} />
    </div>
  );
}

/** The picture in words. */
function AsList({ around: { center }, page }: { around: Neighborhood; page: PicturePage }) {
  const alone = page.events.filter(({ others }) => others.length === 0);
  return (
    <details className={styles.list}>
      <summary>The same as a list</summary>
      <ul>
        {page.entities.map((entity) => (
          <li key={entity.entity_id}>
            <p>
              <EntityLink entity={entity} />
              {page.likeIt.has(entity.entity_id) && <span className={styles.note}> may be the same</span>}
            </p>
            <Events events={page.events.filter(({ others }) => others.includes(entity.entity_id))} />
          </li>
        ))}
        {alone.length > 0 && (
          <li>
            <p>
              <bdi>{shortened(center.name, 60)}</bdi> alone
            </p>
            <Events events={alone} />
          </li>
        )}
      </ul>
    </details>
  );
}

function Events({ events }: { events: PicturePage["events"] }) {
  if (events.length === 0) return null;
  return (
    <ul className={styles.events}>
      {events.map(({ event }) => {
        const [words] = event.evidence;
        const told = <bdi>{shortened(event.narrative, 140)}</bdi>;
        return (
          <li key={event.id}>
            <Category category={event.category} /> <span>{whenWords(dateWords(event.event_date), event.dated_by)}</span>{" "}
            {words ? (
              <PlaceLink
                sourceId={words.source_id}
                revisionId={words.revision_id}
                start={words.start_char}
                end={words.end_char}
              >
                {told}
              </PlaceLink>
            ) : (
              told
            )}
          </li>
        );
      })}
    </ul>
  );
}
