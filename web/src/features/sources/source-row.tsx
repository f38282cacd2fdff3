import { Link } from "@tanstack/react-router";
import { SAMPLE_TAG } from "@/api/sample";
import type { Source } from "@/api/types";
import { Cell, Row, rowLink } from "@/components/table";
import { Time } from "@/components/time";
import { Cover } from "@/features/sources/cover";
import { SourceStatus } from "@/features/sources/source-status";
import { byline } from "@/features/sources/source-words";
import styles from "@/features/sources/sources.module.css";

export function SourceRow({ source }: { source: Source }) {
  return (
    <Row>
      <Cell className={styles.coverCell}>
        <Cover key={source.revision_id} source={source} />
      </Cell>
      <Cell className={styles.name}>
        <Link {...rowLink} to="/sources/$sourceId" params={{ sourceId: source.id }}>
          {source.title}
        </Link>
        {source.tags.includes(SAMPLE_TAG) && <span className={styles.mark}>sample</span>}
        <div className={styles.byline}>{byline(source)}</div>
      </Cell>
      <Cell className={styles.statusCell}>
        <SourceStatus source={source} />
      </Cell>
      <Cell dim end className={styles.when}>
        <Time iso={source.created_at} />
      </Cell>
    </Row>
  );
}
