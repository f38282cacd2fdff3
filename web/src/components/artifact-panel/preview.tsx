import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { artifactKeys, contentUrl, readText } from "@/api/artifacts";
import type { Artifact } from "@/api/types";
import { ErrorNote, Skeleton } from "@/components/states";
import { formatSize } from "@/lib/format";
import { essence, previewOf } from "@/lib/media";
import styles from "@/components/artifact-panel/preview.module.css";

const TEXT_LIMIT = 64 * 1024;
const IMAGE_LIMIT = 32 * 1024 * 1024;
const PROSE = new Set(["text/plain", "text/markdown", "message/rfc822"]);

/** The content itself where it can be shown safely: pictures as pictures, text as text and never as a page. */
export function Preview({ artifact }: { artifact: Artifact }) {
  const kind = previewOf(artifact.media_type);
  if (kind === "text") return <TextPreview artifact={artifact} />;
  if (kind === "image" && artifact.size_bytes <= IMAGE_LIMIT) return <ImagePreview artifact={artifact} />;
  return <p className={styles.note}>This type of file is not shown here yet. Download it to read it.</p>;
}

function TextPreview({ artifact }: { artifact: Artifact }) {
  const text = useQuery({
    queryKey: artifactKeys.text(artifact.sha256),
    queryFn: ({ signal }) => readText(artifact, TEXT_LIMIT, signal),
    staleTime: Infinity,
  });
  if (text.isPending) return <Skeleton label="Loading the text" rows={3} />;
  if (text.isError) {
    return <ErrorNote error={text.error} what="The text could not be read." onRetry={() => void text.refetch()} />;
  }
  if (artifact.size_bytes === 0) return <p className={styles.note}>This file is empty.</p>;
  const prose = PROSE.has(essence(artifact.media_type));
  return (
    <section aria-label="Preview">
      {/* A region that scrolls has to be reachable by keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className={`${styles.text} ${prose ? "" : styles.code}`} tabIndex={0} aria-label="Text of the file">
        {text.data}
      </pre>
      {artifact.size_bytes > TEXT_LIMIT && (
        <p className={styles.note}>
          The first {formatSize(TEXT_LIMIT)} of {formatSize(artifact.size_bytes)}. Download the file for the rest.
        </p>
      )}
    </section>
  );
}

function ImagePreview({ artifact }: { artifact: Artifact }) {
  const [failed, setFailed] = useState(false);
  if (failed) return <p className={styles.note}>This picture could not be shown. Download it to look at it.</p>;
  return (
    <img
      className={styles.image}
      src={contentUrl(artifact.sha256)}
      alt={artifact.filename ?? "Preview"}
      onError={() => setFailed(true)}
    />
  );
}
