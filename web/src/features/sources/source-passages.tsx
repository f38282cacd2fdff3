import { Link } from "@tanstack/react-router";
import { listChunks, sourceKeys } from "@/api/sources";
import type { Source } from "@/api/types";
import { ErrorNote, More, Skeleton } from "@/components/states";
import { NoText } from "@/features/sources/no-text";
import { placeWords } from "@/features/sources/source-words";
import { formatCount } from "@/lib/format";
import { spanHash } from "@/lib/span";
import { usePages } from "@/lib/use-pages";
import styles from "@/features/sources/source-page.module.css";

/** The stretches that a search finds, in order; each leads to its place in the text. */
export function SourcePassages({ source, revision }: { source: Source; revision: string | null }) {
  if (revision === null || source.chunk_count === 0) return <NoText source={source} />;
  return <Passages id={source.id} revision={revision} />;
}

function Passages({ id, revision }: { id: string; revision: string }) {
  const chunks = usePages(sourceKeys.chunks(id, revision), (cursor, signal) =>
    listChunks(id, revision, cursor, signal),
  );
  if (chunks.items === undefined) {
    return chunks.error ? (
      <ErrorNote error={chunks.error} what="The passages could not be listed." onRetry={chunks.retry} />
    ) : (
      <Skeleton label="Loading passages" />
    );
  }
  return (
    <>
      <ol className={styles.passages} aria-label="Passages">
        {chunks.items.map((chunk) => (
          <li key={chunk.id}>
            <div className={styles.place}>
              <Link
                data-row=""
                from="/sources/$sourceId"
                to="."
                search={(previous) => ({ ...previous, view: undefined })}
                hash={spanHash({ start: chunk.start_char, end: chunk.end_char })}
              >
                Passage {formatCount(chunk.chunk_index + 1)}
              </Link>
              <span>{placeWords(chunk)}</span>
            </div>
            <p className={styles.words}>{chunk.content}</p>
          </li>
        ))}
      </ol>
      {chunks.error && (
        <ErrorNote error={chunks.error} what="More passages could not be listed." onRetry={chunks.retry} />
      )}
      {chunks.hasMore && <More onPress={chunks.more} loading={chunks.loadingMore} label="More passages" />}
    </>
  );
}
