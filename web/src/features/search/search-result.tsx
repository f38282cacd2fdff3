import type { Evidence, SearchResult } from "@/api/types";
import { Category } from "@/components/knowledge/category";
import { PlaceLink } from "@/components/place-link";
import { Quoted } from "@/components/quoted";
import { excerpt, foundWords, resultLine } from "@/features/search/search-words";
import styles from "@/features/search/search.module.css";

/** A passage that was found: whose it is, and which words of it answer. */
export function ResultOf({ result }: { result: SearchResult }) {
  const [best] = result.evidence;
  const line = resultLine(result.source);
  return (
    <li className={styles.result}>
      <h2 className={styles.title}>
        {best ? (
          <PlaceLink
            row
            sourceId={result.source_id}
            revisionId={best.revision_id}
            start={best.start_char}
            end={best.end_char}
          >
            {result.title}
          </PlaceLink>
        ) : (
          result.title
        )}
      </h2>
      {line && <p className={styles.line}>{line}</p>}
      {result.category && <Category category={result.category} />}
      {result.evidence.map((evidence) => (
        <Found key={evidence.start_char} sourceId={result.source_id} evidence={evidence} />
      ))}
      {result.evidence.length === 0 && <Quoted text={result.content} />}
      {result.neighbors && result.neighbors.length > 0 && (
        <details className={styles.neighbors}>
          <summary>What stands beside it</summary>
          {result.neighbors.map(({ id, content }) => (
            <Quoted key={id} text={content} />
          ))}
        </details>
      )}
      <p className={styles.found}>{foundWords(result.scores)}</p>
    </li>
  );
}

function Found({ sourceId, evidence }: { sourceId: string; evidence: Evidence }) {
  const place = [evidence.page != null && `Page ${evidence.page}`, evidence.section].filter(Boolean).join(" · ");
  const { quote, matches } = excerpt(evidence);
  return (
    <div className={styles.evidence}>
      <Quoted text={quote} matches={matches} />
      <PlaceLink
        className={styles.place}
        sourceId={sourceId}
        revisionId={evidence.revision_id}
        start={evidence.start_char}
        end={evidence.end_char}
      >
        {place || "In the text"}
      </PlaceLink>
    </div>
  );
}
