import { Link } from "@tanstack/react-router";
import { shortened, typeWord } from "@/lib/event-words";
import styles from "@/components/knowledge/knowledge.module.css";

/** As much of a name as fits a line; the whole of it is on its page. */
const NAME_CHARS = 60;

interface Named {
  entity_id: string;
  name: string;
  type: string;
}

/** A name that leads to its page. */
export function EntityLink({ entity }: { entity: Named }) {
  return (
    <Link to="/entities/$entityId" params={{ entityId: entity.entity_id }} title={typeWord(entity.type)}>
      <bdi>{shortened(entity.name, NAME_CHARS)}</bdi>
    </Link>
  );
}

/** People and things side by side, each leading to its page. */
export function EntityChips({ entities, label }: { entities: readonly Named[]; label: string }) {
  return (
    <ul className={styles.chips} aria-label={label}>
      {entities.map((entity) => (
        <li key={entity.entity_id}>
          <Link to="/entities/$entityId" params={{ entityId: entity.entity_id }} className={styles.chip}>
            <bdi>{shortened(entity.name, NAME_CHARS)}</bdi> <span>{typeWord(entity.type).toLowerCase()}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
