import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { entityKeys, getEntity } from "@/api/entities";
import type { EntityAnswer } from "@/api/types";
import { Page } from "@/components/page";
import { Fact, Facts } from "@/components/side-panel";
import { ErrorNote, Skeleton } from "@/components/states";
import { Tabs, tabClass } from "@/components/tabs";
import { entityLine } from "@/features/entities/entity-words";
import { MergedInto, SameAs } from "@/features/entities/same-as";
import { Mentions } from "@/features/entities/mentions";
import { Timeline } from "@/features/entities/timeline";
import type { EntityView } from "@/features/entities/entities-search";
import { shortened, typeWord } from "@/lib/event-words";
import { formatCount } from "@/lib/format";
import { usePageTitle } from "@/lib/page-title";
import styles from "@/features/entities/entity.module.css";

const Picture = lazy(() => import("@/features/entities/picture/picture").then(({ Picture }) => ({ default: Picture })));
const route = getRouteApi("/entities/$entityId");
const NAMES = 12;
const NAME_CHARS = 80;

/** Somebody or something: what happened with it, where it is named, with whom it is connected. */
export function EntityPage() {
  const { entityId } = route.useParams();
  const entity = useQuery({ queryKey: entityKeys.one(entityId), queryFn: ({ signal }) => getEntity(entityId, signal) });
  usePageTitle(entity.data ? shortened(entity.data.name, NAME_CHARS) : "People & things");
  return (
    <Page>
      <nav aria-label="Where this is" className={styles.crumbs}>
        <Link to="/entities" activeOptions={{ exact: true }}>
          People & things
        </Link>
      </nav>
      {entity.isPending && <Skeleton label="Loading" />}
      {entity.data === undefined && entity.isError && (
        <ErrorNote error={entity.error} what="This could not be opened." onRetry={() => void entity.refetch()} />
      )}
      {entity.data && <OpenEntity key={entityId} entity={entity.data} at={entity.dataUpdatedAt} />}
    </Page>
  );
}

function OpenEntity({ entity, at }: { entity: EntityAnswer; at: number }) {
  const { view = "timeline" } = route.useSearch();
  const open = entity.possibly_same.filter(({ state }) => state === "open");
  const views: [view: EntityView, label: string, count: string | null][] = [
    ["timeline", "Timeline", null],
    ["mentions", "Mentions", formatCount(entity.mention_count)],
    ["picture", "Picture", null],
    ["same", "Who it is", open.length > 0 ? `${formatCount(open.length)} to review` : null],
  ];
  return (
    <>
      <header className={styles.head}>
        <h1>
          <bdi>{entity.name}</bdi>
        </h1>
      </header>
      <About entity={entity} />
      {entity.merged_into && <MergedInto entity={entity} into={entity.merged_into} />}
      <Tabs label="Views of this">
        {views.map(([key, label, count]) => (
          <Link
            key={key}
            from={route.id}
            to="."
            search={key === "timeline" ? {} : { view: key }}
            resetScroll={false}
            className={tabClass}
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={view === key ? "page" : undefined}
          >
            {label}
            {count && <span className={styles.count}> {count}</span>}
          </Link>
        ))}
      </Tabs>
      {view === "timeline" && <Timeline entity={entity} at={at} />}
      {view === "mentions" && <Mentions entity={entity} at={at} />}
      {view === "picture" && (
        <Suspense fallback={<Skeleton label="Loading the picture" />}>
          <Picture id={entity.entity_id} />
        </Suspense>
      )}
      {view === "same" && <SameAs entity={entity} />}
    </>
  );
}

/** What is known of it, in a few lines. */
function About({ entity }: { entity: EntityAnswer }) {
  const names = entity.aliases.filter((alias) => alias !== entity.name);
  return (
    <div className={styles.about}>
      <p>
        <bdi>{[typeWord(entity.type), shortened(entityLine(entity), 240)].filter(Boolean).join(" · ")}</bdi>
      </p>
      {(entity.email || names.length > 0) && (
        <Facts>
          {entity.email && (
            <Fact name="E-mail">
              <bdi>{shortened(entity.email, 120)}</bdi>
            </Fact>
          )}
          {names.length > 0 && (
            <Fact name="Other names">
              {names.slice(0, NAMES).map((name, index) => (
                <span key={name}>
                  {index > 0 && ", "}
                  <bdi>{shortened(name, NAME_CHARS)}</bdi>
                </span>
              ))}
              {names.length > NAMES && ` and ${formatCount(names.length - NAMES)} more`}
            </Fact>
          )}
        </Facts>
      )}
    </div>
  );
}
