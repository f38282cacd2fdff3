import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback } from "react";
import { ENTITY_TYPES, entityKeys, listEntities } from "@/api/entities";
import type { Entity, EntityType } from "@/api/types";
import { buttonClass } from "@/components/button";
import { Page, PageHead } from "@/components/page";
import { SearchField } from "@/components/search-field";
import { Empty, ErrorNote, More, Skeleton } from "@/components/states";
import { Cell, Row, rowLink, Table } from "@/components/table";
import { Tabs, tabClass } from "@/components/tabs";
import { entityLine, typeNames } from "@/features/entities/entity-words";
import { shortened, typeWord } from "@/lib/event-words";
import { formatCount } from "@/lib/format";
import { usePageTitle } from "@/lib/page-title";
import { usePages } from "@/lib/use-pages";
import styles from "@/features/entities/entities.module.css";

const route = getRouteApi("/entities");
const CHOICES: (EntityType | null)[] = [null, ...ENTITY_TYPES];
const NAME_CHARS = 140;

/** Everybody and everything that the sources name. */
export function EntitiesPage() {
  usePageTitle("People & things");
  const filter = route.useSearch();
  const { q = "", type = null } = filter;
  const navigate = route.useNavigate();
  const entities = usePages(entityKeys.list(filter), (cursor, signal) => listEntities(filter, cursor, signal), {
    keepPrevious: true,
  });
  const search = useCallback(
    (words: string) =>
      void navigate({
        search: (previous) => ({ ...(previous.type && { type: previous.type }), ...(words && { q: words }) }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const nothing = entities.items?.length === 0;
  const first = nothing && !q && !type;

  return (
    <Page>
      <PageHead
        title="People & things"
        actions={
          <Link to="/entities/review" className={buttonClass()}>
            Review who is who
          </Link>
        }
      />
      {!first && (
        <>
          <div className={styles.search}>
            <SearchField label="Search names and addresses" words={q} onSearch={search} />
          </div>
          <Tabs label="People and things by type">
            {CHOICES.map((key) => (
              <Link
                key={key ?? "all"}
                to="/entities"
                search={{ ...(q && { q }), ...(key && { type: key }) }}
                className={tabClass}
                activeOptions={{ exact: true, includeSearch: true }}
                aria-current={type === key ? "page" : undefined}
              >
                {key ? typeNames(key) : "All"}
              </Link>
            ))}
          </Tabs>
        </>
      )}
      {entities.items === undefined && entities.error && (
        <ErrorNote error={entities.error} what="The people and things could not be listed." onRetry={entities.retry} />
      )}
      {entities.items === undefined && !entities.error && <Skeleton label="Loading people and things" />}
      {first && (
        <Empty title="Nobody is known yet">
          <p>
            Ibid reads each source for the people, organisations, projects and places that it names and for what they
            did, decided and promised. Who was found is listed here, each with the exact words that say so.
          </p>
          <p>
            Begin with <Link to="/sources">a source</Link>.
          </p>
        </Empty>
      )}
      {nothing && !first && (
        <Empty title="Nothing found">
          <p>
            {q
              ? `Nobody and nothing ${type ? "of this type " : ""}goes by these words: ${q}`
              : "Nobody and nothing of this type is known. Choose another, or All."}
          </p>
        </Empty>
      )}
      {entities.items && entities.items.length > 0 && (
        <Table
          label="People and things"
          columns={[{ label: "Name" }, { label: "Type", className: styles.typeCell }, { label: "Mentions", end: true }]}
          className={styles.entities}
        >
          {entities.items.map((entity) => (
            <EntityRow key={entity.entity_id} entity={entity} />
          ))}
        </Table>
      )}
      {entities.items !== undefined && entities.error && (
        <ErrorNote error={entities.error} what="The list could not be renewed." onRetry={entities.retry} />
      )}
      {entities.hasMore && <More onPress={entities.more} loading={entities.loadingMore} label="More names" />}
    </Page>
  );
}

function EntityRow({ entity }: { entity: Entity }) {
  const line = entityLine(entity);
  return (
    <Row>
      <Cell>
        <Link {...rowLink} to="/entities/$entityId" params={{ entityId: entity.entity_id }}>
          <bdi>{shortened(entity.name, NAME_CHARS)}</bdi>
        </Link>
        {entity.needs_review && <span className={styles.mark}>to review</span>}
        {line && (
          <div className={styles.line}>
            <bdi>{shortened(line, NAME_CHARS)}</bdi>
          </div>
        )}
      </Cell>
      <Cell dim className={styles.typeCell}>
        {typeWord(entity.type)}
      </Cell>
      <Cell dim end>
        {formatCount(entity.mention_count)}
        <span className="visually-hidden"> {entity.mention_count === 1 ? "mention" : "mentions"}</span>
      </Cell>
    </Row>
  );
}
