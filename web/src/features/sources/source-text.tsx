import { useEffect, useMemo } from "react";
import type { Source } from "@/api/types";
import { ErrorNote, Skeleton } from "@/components/states";
import { NoText } from "@/features/sources/no-text";
import { TextBlock } from "@/features/sources/text-block";
import { layOut, overlap } from "@/features/sources/text-layout";
import { spanStretch } from "@/features/sources/text-span";
import { spanHash } from "@/lib/span";
import { isReadable, useSpan, useText } from "@/features/sources/use-text";
import styles from "@/features/sources/source-text.module.css";

/** The text of one version of a source; the place that the address names is marked and brought into view. */
export function SourceText({ source, revision }: { source: Source; revision: string | null }) {
  if (!isReadable(source, revision)) return <NoText source={source} />;
  return <Words id={source.id} revision={revision} language={source.language} />;
}

function Words({ id, revision, language }: { id: string; revision: string; language: string | null }) {
  const text = useText(id, revision);
  const span = useSpan();
  const blocks = useMemo(() => (text.data ? layOut(text.data.text, text.data.marks) : []), [text.data]);
  const stretch = useMemo(() => (text.data ? spanStretch(text.data.text, span) : null), [text.data, span]);
  const anchor = span ? spanHash(span) : "";

  useEffect(() => {
    if (!stretch) return;
    const show = () => document.getElementById(anchor)?.scrollIntoView({ block: "start" });
    show();
    // What comes into view on the way takes its true height only then.
    const later = requestAnimationFrame(() => requestAnimationFrame(show));
    return () => cancelAnimationFrame(later);
  }, [stretch, anchor]);

  if (text.isPending) return <Skeleton label="Loading the text" />;
  if (text.isError) {
    return <ErrorNote error={text.error} what="The text could not be read." onRetry={() => void text.refetch()} />;
  }
  if (blocks.length === 0) return <p className={styles.note}>There are no words in it.</p>;
  const firstMarked = blocks.findIndex(({ pieces }) => pieces.some((piece) => overlap(piece, stretch)));
  return (
    <>
      {span && firstMarked < 0 && (
        <p className={styles.note} role="status">
          The place that the address names is not in this version of the text.
        </p>
      )}
      <article className={styles.text} aria-label="Text" lang={language ?? undefined}>
        {blocks.map((block, index) => {
          const marked = block.pieces.some((piece) => overlap(piece, stretch));
          return (
            <TextBlock
              key={index}
              block={block}
              text={text.data.text}
              span={marked ? stretch : null}
              anchor={index === firstMarked ? anchor : undefined}
            />
          );
        })}
      </article>
    </>
  );
}
