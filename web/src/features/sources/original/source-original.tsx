import { lazy, Suspense, useCallback, useMemo, useState } from "react";
import { originalUrl } from "@/api/sources";
import type { Source } from "@/api/types";
import { Button } from "@/components/button";
import { ErrorNote, Skeleton } from "@/components/states";
import type { OriginalKind } from "@/features/sources/original/original-kind";
import { quoteAt } from "@/features/sources/original/placed-quote";
import { SourceText } from "@/features/sources/source-text";
import { isReadable, useSpan, useText } from "@/features/sources/use-text";
import styles from "@/features/sources/original/original.module.css";

// pdf.js is as large as all of the app.
const PdfPages = lazy(() => import("@/features/sources/original/pdf-pages"));
// What makes a page safe is needed for no other source.
const SavedPage = lazy(() => import("@/features/sources/original/saved-page"));

interface Props {
  source: Source;
  revision: string;
  kind: OriginalKind;
  mediaType: string;
}

/** The source as it came, at the words that the address names; in its text where they cannot be found in it. */
export function SourceOriginal({ source, revision, kind, mediaType }: Props) {
  const span = useSpan();
  const wantsPlace = span !== null && kind !== "picture" && isReadable(source, revision);
  const text = useText(source.id, wantsPlace ? revision : null);
  const quote = useMemo(
    () => (wantsPlace && text.data ? quoteAt(text.data, span) : null),
    [wantsPlace, text.data, span],
  );
  const here = `${revision} ${quote?.anchor ?? ""}`;
  const [lostAt, setLostAt] = useState<string | null>(null);
  const [allTheSame, setAllTheSame] = useState<string | null>(null);
  const onLost = useCallback(() => setLostAt(here), [here]);

  if (kind === "picture") return <Picture key={revision} source={source} url={originalUrl(source.id, revision)} />;
  if (wantsPlace && text.isPending) return <Skeleton label="Looking for the place" />;
  const isLost = lostAt === here || (wantsPlace && text.data !== undefined && quote === null);
  if (isLost && allTheSame !== here) {
    return (
      <>
        <div className={styles.note} role="status">
          {quote && <span>These words could not be found in the original as it is drawn, so its text is shown.</span>}
          <Button onPress={() => setAllTheSame(here)}>Show the original</Button>
        </div>
        <SourceText source={source} revision={revision} />
      </>
    );
  }
  const shown = isLost ? null : quote;
  return (
    <>
      {text.isError && (
        <ErrorNote error={text.error} what="The place could not be looked up." onRetry={() => void text.refetch()} />
      )}
      <Suspense fallback={<Skeleton label={kind === "pdf" ? "Opening the pages" : "Opening the page"} />}>
        {kind === "pdf" ? (
          <PdfPages url={originalUrl(source.id, revision)} quote={shown} language={source.language} onLost={onLost} />
        ) : (
          <SavedPage
            id={source.id}
            revision={revision}
            title={source.title}
            mediaType={mediaType}
            quote={shown}
            onLost={onLost}
          />
        )}
      </Suspense>
    </>
  );
}

function Picture({ source, url }: { source: Source; url: string }) {
  const [failed, setFailed] = useState(false);
  if (failed) return <p className={styles.note}>This picture could not be shown. Download it to look at it.</p>;
  return <img className={styles.picture} src={url} alt={source.title} onError={() => setFailed(true)} />;
}
