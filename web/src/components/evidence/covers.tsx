import { useState } from "react";
import { useCitationSettings } from "@/api/settings";
import { thumbnailUrl } from "@/api/sources";
import type { Citation, CitedFile } from "@/api/types";
import { useCitedSource } from "@/components/evidence/citation-card";
import { SourceLink } from "@/components/evidence/source-link";
import { Button } from "@/components/button";
import { ClockIcon } from "@/components/icons";
import { citationHref, standingOf } from "@/lib/citation-words";
import { formatCount } from "@/lib/format";
import { mediaName } from "@/lib/media";
import styles from "@/components/evidence/covers.module.css";

/** The files that a text cites, as small covers in a row. */
export function Covers({ files, citations }: { files: readonly CitedFile[]; citations: readonly Citation[] }) {
  const { max_sources_displayed: most } = useCitationSettings();
  const [all, setAll] = useState(false);
  if (files.length === 0) return null;
  const shown = all ? files : files.slice(0, Math.max(1, most));
  return (
    // A row that scrolls has to be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <ul className={styles.covers} aria-label="Cited files" tabIndex={0}>
      {shown.map((file) => (
        <li key={file.number}>
          <CoverOf file={file} citation={citations.find(({ number }) => number === file.number)} />
        </li>
      ))}
      {shown.length < files.length && (
        <li className={styles.more}>
          <Button look="quiet" onPress={() => setAll(true)}>
            {formatCount(files.length - shown.length)} more
          </Button>
        </li>
      )}
    </ul>
  );
}

function CoverOf({ file, citation }: { file: CitedFile; citation: Citation | undefined }) {
  const href = citation ? citationHref(citation) : null;
  const inside = <Sheet file={file} changed={citation !== undefined && standingOf(citation) === "changed"} />;
  return href ? (
    <SourceLink href={href} className={styles.cover}>
      {inside}
    </SourceLink>
  ) : (
    <div className={styles.cover}>{inside}</div>
  );
}

/** The first page or the picture where there is one; a sheet with the title where not; a grey one if it is gone. */
function Sheet({ file, changed }: { file: CitedFile; changed: boolean }) {
  const source = useCitedSource(file.file_id);
  const [failed, setFailed] = useState(false);
  const caption = (
    <span className={styles.caption}>
      <span className={styles.number}>{file.number}</span>
      {file.is_deleted ? "No longer available" : file.title}
      {changed && (
        <span className={styles.changed}>
          <ClockIcon />
          changed since
        </span>
      )}
    </span>
  );
  if (source?.has_thumbnail && !failed) {
    return (
      <>
        <img
          className={styles.sheet}
          src={thumbnailUrl(source)}
          alt=""
          loading="lazy"
          onError={() => setFailed(true)}
        />
        {caption}
      </>
    );
  }
  const kind = file.source_type === "web" ? "Web" : file.mime_type ? mediaName(file.mime_type) : "Source";
  return (
    <>
      <span className={`${styles.sheet} ${styles.paper}`} data-deleted={file.is_deleted || undefined}>
        <span className={styles.title} aria-hidden={!file.is_deleted}>
          {file.title}
        </span>
        <span className={styles.kind}>{kind}</span>
      </span>
      {caption}
    </>
  );
}
