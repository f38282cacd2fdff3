import { textOf } from "@/features/search/search-words";
import styles from "@/features/search/search.module.css";

/** What is connected with the best results through the same people and things; nothing where nothing is. */
export function RelatedContext({ related, entities }: { related: readonly unknown[]; entities: readonly unknown[] }) {
  return (
    <>
      {related.length > 0 && (
        <section className={styles.related} aria-labelledby="related">
          <h2 id="related">Connected with it</h2>
          <ul>
            {related.map((event, index) => (
              <li key={index}>
                <p>{textOf(event, "summary", "narrative", "title")}</p>
                <p className={styles.line}>
                  {[textOf(event, "category"), textOf(event, "event_time", "time", "occurred_at"), textOf(event, "reason")].filter(Boolean).join(" · ")}
                </p>
              </li>
            ))}
          </ul>
        </section>
      )}
      {entities.length > 0 && (
        <section className={styles.related} aria-labelledby="entities">
          <h2 id="entities">Who and what takes part</h2>
          <ul className={styles.entities}>
            {entities.map((entity, index) => (
              <li key={index}>
                {textOf(entity, "name", "canonical_name")} <span className={styles.line}>{textOf(entity, "type", "entity_type")}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
