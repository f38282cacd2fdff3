import { useQuery } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { getSource, sourceKeys } from "@/api/sources";
import type { Citation, Source } from "@/api/types";
import { CopyButton } from "@/components/copy-button";
import { ClockIcon, DataIcon, DocumentIcon, GeneratedIcon, WebIcon } from "@/components/icons";
import {
  citationHref,
  citationLine,
  differenceWords,
  kindOf,
  pageWords,
  standingOf,
  STANDING_WORDS,
  type EvidenceKind,
} from "@/lib/citation-words";
import { SourceLink } from "@/components/evidence/source-link";
import styles from "@/components/evidence/citation-card.module.css";

const ICONS: Record<EvidenceKind, ComponentType> = {
  documents: DocumentIcon,
  web: WebIcon,
  data: DataIcon,
  generated: GeneratedIcon,
};
const KIND_NAMES: Record<EvidenceKind, string> = {
  documents: "Document",
  web: "Web page",
  data: "Data",
  generated: "Generated",
};

/** The source as it is now, where it still is in the library. */
export function useCitedSource(id: string | null | undefined): Source | null {
  const source = useQuery({
    queryKey: sourceKeys.one(id ?? ""),
    queryFn: ({ signal }) => getSource(id ?? "", signal),
    enabled: Boolean(id),
    staleTime: 60_000,
  });
  return source.data ?? null;
}

/** As much of a citation as says what is cited. */
export type CitedSummary = Pick<Citation, "number" | "title" | "url" | "availability" | "source_type" | "mime_type">;

/** What is cited: number, kind, title, who and when. */
export function CitedWork({ citation, source }: { citation: CitedSummary; source: Source | null }) {
  const kind = kindOf(citation);
  const KindIcon = ICONS[kind];
  const author = source && (source.authors.length > 0 ? source.authors.join("; ") : source.author);
  const line = [author, source?.publication_date, source?.container ?? source?.site_name ?? hostOf(citation.url)]
    .filter(Boolean)
    .join(" · ");
  const deleted = citation.availability === "deleted";
  return (
    <div className={styles.work}>
      <span className={styles.kind} title={KIND_NAMES[kind]}>
        <KindIcon />
        <span className="visually-hidden">{KIND_NAMES[kind]}</span>
      </span>
      <div>
        <p className={styles.title}>
          <span className={styles.number}>{citation.number}</span>
          {citation.title}
        </p>
        {line && <p className={styles.line}>{line}</p>}
        {deleted && <p className={styles.line}>No longer available. What was cited of it is kept here.</p>}
      </div>
    </div>
  );
}

/** The quoted words with what stands around them, where they are, what the check came to, and what can be done. */
export function CitedWords({ citation, source }: { citation: Citation; source: Source | null }) {
  const standing = standingOf(citation);
  const href = citationHref(citation);
  return (
    <div className={styles.quoted}>
      {citation.quote ? (
        <blockquote className={styles.quote}>
          {citation.prefix && <span>{startOfWords(citation.prefix)}</span>}
          {/* What does not bear the claim out is not evidence, and does not look like it. */}
          {standing === "unsupported" ? citation.quote : <mark>{citation.quote}</mark>}
          {citation.suffix && <span>{endOfWords(citation.suffix)}</span>}
        </blockquote>
      ) : (
        <p className={styles.line}>No words are quoted.</p>
      )}
      <p className={styles.standing} data-standing={standing}>
        {standing === "changed" && <ClockIcon />}
        <span>{[pageWords(citation), STANDING_WORDS[standing]].filter(Boolean).join(" · ")}</span>
        {standing === "unsupported" && citation.quote && " · these words come closest"}
      </p>
      {citation.why?.map((difference, index) => {
        const words = differenceWords(difference, "answer");
        return (
          words && (
            <p key={index} className={styles.line}>
              {words}
            </p>
          )
        );
      })}
      <div className={styles.actions}>
        {href && (
          <SourceLink href={href} label={`Open ${citation.title}`}>
            Open
          </SourceLink>
        )}
        <CopyButton look="quiet" data-copy-citation="" text={citationLine(citation, source)} label="Copy citation" />
      </div>
    </div>
  );
}

/** The words around a quote are cut anywhere; half a word says nothing. */
function startOfWords(prefix: string): string {
  return `… ${prefix.replace(/^\S*\s+/, "")}`;
}

function endOfWords(suffix: string): string {
  return `${suffix.replace(/\s+\S*$/, "")} …`;
}

function hostOf(url: string | null | undefined): string | null {
  try {
    return url ? new URL(url).host.replace(/^www\./, "") : null;
  } catch {
    return null;
  }
}
