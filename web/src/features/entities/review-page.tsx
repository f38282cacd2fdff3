import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { entityKeys, getEntity } from "@/api/entities";
import type { Entity, Pair } from "@/api/types";
import { Button } from "@/components/button";
import { PlaceLink } from "@/components/place-link";
import { Page, PageHead } from "@/components/page";
import { Fact, Facts } from "@/components/side-panel";
import { Empty, ErrorNote, Skeleton } from "@/components/states";
import type { Decided } from "@/features/entities/review-queue";
import { useReview } from "@/features/entities/use-review";
import { likelihood, shortened, typeWord } from "@/lib/event-words";
import { asSentence, formatCount } from "@/lib/format";
import { usePageKeys } from "@/lib/page-keys";
import { usePageTitle } from "@/lib/page-title";
import styles from "@/features/entities/review.module.css";

const NAME_CHARS = 120;
const SAMPLES = 4;

/** Pair by pair: are these two the same? */
export function ReviewPage() {
  usePageTitle("Review who is who");
  const { pages, pairs, pair, at, last, next, decide, undo, go, problem } = useReview();
  usePageKeys({
    s: () => decide("same"),
    d: () => decide("different"),
    u: undo,
    j: () => go(1),
    k: () => go(-1),
    ArrowRight: () => go(1),
    ArrowLeft: () => go(-1),
  });
  return (
    <Page>
      <nav aria-label="Where this is" className={styles.crumbs}>
        <Link to="/entities" activeOptions={{ exact: true }}>
          People & things
        </Link>
      </nav>
      <PageHead title="Review who is who" />
      {pages.items === undefined && pages.error && (
        <ErrorNote error={pages.error} what="The pairs could not be listed." onRetry={pages.retry} />
      )}
      {pages.items === undefined && !pages.error && <Skeleton label="Loading pairs" />}
      {problem && <ErrorNote error={problem} what="What was said last was not kept." />}
      {pair && (
        <>
          <div className={styles.bar}>
            <p className={styles.count}>
              Pair {formatCount(at + 1)} of {formatCount(pairs.length)}
              {pages.hasMore && " or more"}
            </p>
            <div className={styles.steps}>
              <Button look="quiet" isDisabled={at === 0} onPress={() => go(-1)}>
                Previous <kbd>K</kbd>
              </Button>
              <Button look="quiet" isDisabled={!next} onPress={() => go(1)}>
                Next <kbd>J</kbd>
              </Button>
            </div>
          </div>
          <Asked key={pair.pair_id} pair={pair} />
          <div className={styles.decide}>
            <Button look="primary" onPress={() => decide("same")}>
              Same <kbd>S</kbd>
            </Button>
            <Button onPress={() => decide("different")}>
              Different <kbd>D</kbd>
            </Button>
            <Undo last={last} onUndo={undo} />
          </div>
        </>
      )}
      {pages.items !== undefined && !pair && (
        <Empty title="Nobody is in doubt">
          <p>
            Where two names may mean the same person or thing, and reading alone cannot tell, the two stand here side by
            side, and you say which it is. What you say can be taken back.
          </p>
          <Undo last={last} onUndo={undo} />
        </Empty>
      )}
      {next && <Ahead pair={next} />}
    </Page>
  );
}

function Undo({ last, onUndo }: { last: Decided | null; onUndo: () => void }) {
  return (
    <>
      {last && (
        <Button look="quiet" onPress={onUndo}>
          Undo <kbd>U</kbd>
        </Button>
      )}
      <p className={styles.last} role="status">
        {last && (
          <>
            <bdi>{shortened(last.pair.a.name, 40)}</bdi> and <bdi>{shortened(last.pair.b.name, 40)}</bdi>:{" "}
            {last.decision}
          </>
        )}
      </p>
    </>
  );
}

function Asked({ pair }: { pair: Pair }) {
  return (
    <section aria-label="Are these two the same?" className={styles.asked}>
      <p className={styles.why}>
        <strong>{likelihood(pair.confidence)}</strong> {asSentence(pair.reason)}
      </p>
      <div className={styles.sides}>
        <Side entity={pair.a} />
        <Side entity={pair.b} />
      </div>
    </section>
  );
}

/** One of the two, with what is known of it. What is not known is said, so that the two sides can be compared line by line. */
function Side({ entity }: { entity: Entity }) {
  const known = useEntity(entity.entity_id);
  const names = entity.aliases.filter((alias) => alias !== entity.name);
  const told = known.data?.events.slice(0, 2) ?? [];
  const mentions = known.data?.mentions.slice(0, SAMPLES) ?? [];
  const facts: [name: string, value: string][] = [
    ["Type", typeWord(entity.type)],
    ["Role", entity.role ?? ""],
    ["Organisation", entity.organization ?? ""],
    ["E-mail", entity.email ?? ""],
    [
      "Other names",
      names
        .slice(0, 6)
        .map((name) => shortened(name, 60))
        .join(", "),
    ],
    ["Mentions", formatCount(entity.mention_count)],
  ];
  return (
    <article className={styles.side} aria-label={shortened(entity.name, NAME_CHARS)}>
      <h2>
        <Link to="/entities/$entityId" params={{ entityId: entity.entity_id }}>
          <bdi>{shortened(entity.name, NAME_CHARS)}</bdi>
        </Link>
      </h2>
      <Facts>
        {facts.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value ? <bdi>{shortened(value, NAME_CHARS)}</bdi> : <span className={styles.unknown}>not known</span>}
          </Fact>
        ))}
      </Facts>
      {known.isError && (
        <ErrorNote error={known.error} what="More could not be loaded." onRetry={() => void known.refetch()} />
      )}
      <ul className={styles.samples} aria-label={`Where ${shortened(entity.name, 60)} is named`}>
        {told.flatMap(({ id, evidence }) =>
          evidence.slice(0, 1).map((words) => (
            <li key={id}>
              <blockquote dir="auto">{shortened(words.quote, 240)}</blockquote>
              <PlaceLink
                sourceId={words.source_id}
                revisionId={words.revision_id}
                start={words.start_char}
                end={words.end_char}
              >
                <bdi>{shortened(words.title, 80)}</bdi>
              </PlaceLink>
            </li>
          )),
        )}
        {mentions.slice(0, SAMPLES - told.length).map((mention) => (
          <li key={mention.id}>
            <blockquote dir="auto">{shortened(mention.surface_form, 120)}</blockquote>
            <PlaceLink
              sourceId={mention.source_id}
              revisionId={mention.revision_id}
              start={mention.start_char}
              end={mention.end_char}
            >
              <bdi>{shortened(mention.source_title, 80)}</bdi>
            </PlaceLink>
          </li>
        ))}
      </ul>
    </article>
  );
}

/** Fetches the next two, so that they are there at once. */
function Ahead({ pair }: { pair: Pair }) {
  useEntity(pair.a.entity_id);
  useEntity(pair.b.entity_id);
  return null;
}

function useEntity(id: string) {
  return useQuery({ queryKey: entityKeys.one(id), queryFn: ({ signal }) => getEntity(id, signal), staleTime: 60_000 });
}
