import { useState } from "react";
import { thumbnailUrl } from "@/api/sources";
import type { Source } from "@/api/types";
import { mediaName } from "@/lib/media";
import styles from "@/features/sources/sources.module.css";

// A cover has room for one short word.
const MAX_CHARS = 5;
const SHORT: Record<string, string> = { "E-mail": "Mail", Markdown: "Text", PowerPoint: "Slides" };

/** A small picture of the source where there is one, and a sheet of paper with the name of its kind where not. */
export function Cover({ source }: { source: Source }) {
  const [failed, setFailed] = useState(false);
  if (source.has_thumbnail && !failed) {
    return (
      <img className={styles.cover} src={thumbnailUrl(source)} alt="" loading="lazy" onError={() => setFailed(true)} />
    );
  }
  return <span className={`${styles.cover} ${styles.paper}`}>{kindName(source)}</span>;
}

function kindName({ origin, media_type }: Source): string {
  if (origin === "web") return "Web";
  if (!media_type) return "Note";
  const name = mediaName(media_type);
  return SHORT[name] ?? (name.length > MAX_CHARS ? "File" : name);
}
