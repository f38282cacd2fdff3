import { Link } from "@tanstack/react-router";
import { entityKeys, listMentions } from "@/api/entities";
import type { EntityAnswer } from "@/api/types";
import { PlaceLink } from "@/components/place-link";
import { Empty, ErrorNote, More } from "@/components/states";
import { bySource } from "@/features/entities/entity-words";
import { shortened } from "@/lib/event-words";
import { usePages } from "@/lib/use-pages";
import styles from "@/features/entities/entity.module.css";

const FORM_CHARS = 80;
const TITLE_CHARS = 140;

/** The places that name somebody, as in the index of a book: how it is written there, and each place by its number. */
export function Mentions({ entity, at }: { entity: EntityAnswer; at: number }) {
  const id = entity.entity_id;
  const mentions = usePages(
    entityKeys.mentions(id, at),
    (cursor, signal) =>
      cursor === null
        ? Promise.resolve({ items: entity.mentions, next_cursor: entity.mentions_next_cursor })
        : listMentions(id, cursor, signal),
    { keepPrevious: true },
  );
  const shown = mentions.items ?? entity.mentions;
  if (shown.length === 0) {
    return (
      <Empty title="No source names it now">
        <p>The sources that named it are gone or say something else.</p>
      </Empty>
    );
  }
  return (
    <>
      <ul className={styles.mentions} aria-label="Mentions">
        {bySource(shown).map(({ sourceId, title, forms }) => (
          <li key={sourceId}>
            <h2>
              <Link to="/sources/$sourceId" params={{ sourceId }}>
                <bdi>{shortened(title, TITLE_CHARS)}</bdi>
              </Link>
            </h2>
            {forms.map(({ form, mentions: places }) => (
              <p key={form}>
                <bdi>{shortened(form, FORM_CHARS)}</bdi>
                <span className={styles.places}>
                  {places.map((mention, index) => (
                    <PlaceLink
                      key={mention.id}
                      row={index === 0}
                      sourceId={mention.source_id}
                      revisionId={mention.revision_id}
                      start={mention.start_char}
                      end={mention.end_char}
                    >
                      <span className="visually-hidden">{shortened(form, FORM_CHARS)}, place </span>
                      {index + 1}
                    </PlaceLink>
                  ))}
                </span>
              </p>
            ))}
          </li>
        ))}
      </ul>
      {mentions.error && (
        <ErrorNote error={mentions.error} what="More mentions could not be listed." onRetry={mentions.retry} />
      )}
      {mentions.hasMore && <More onPress={mentions.more} loading={mentions.loadingMore} label="More mentions" />}
    </>
  );
}
