import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { readOriginal, sourceKeys } from "@/api/sources";
import { ErrorNote, Skeleton } from "@/components/states";
import type { PlacedQuote } from "@/features/sources/original/placed-quote";
import { safePage } from "@/features/sources/original/safe-html";
import styles from "@/features/sources/original/original.module.css";

interface Props {
  id: string;
  revision: string;
  title: string;
  mediaType: string;
  quote: PlacedQuote | null;
  /** The quoted words are not in the page as it is. */
  onLost: () => void;
}

/** A web page as it was saved, in a frame in which nothing can run, load or lead away. */
export default function SavedPage({ id, revision, title, mediaType, quote, onLost }: Props) {
  const original = useQuery({
    queryKey: sourceKeys.original(id, revision),
    queryFn: ({ signal }) => readOriginal(id, revision, mediaType, signal),
    staleTime: Infinity,
  });
  const page = useMemo(
    () => (original.data === undefined ? null : safePage(original.data, quote)),
    [original.data, quote],
  );
  const lost = useRef(onLost);
  useEffect(() => {
    lost.current = onLost;
  });
  const isLost = page !== null && !page.marked;
  useEffect(() => {
    if (isLost) lost.current();
  }, [isLost]);

  if (original.isError) {
    return (
      <ErrorNote error={original.error} what="The page could not be shown." onRetry={() => void original.refetch()} />
    );
  }
  if (!page) return <Skeleton label="Opening the page" />;
  // A new frame for another place, because one is brought to its place only when it opens.
  return (
    <iframe
      key={quote?.anchor ?? ""}
      className={styles.frame}
      title={`${title}, as it was saved`}
      sandbox=""
      srcDoc={page.html}
    />
  );
}
