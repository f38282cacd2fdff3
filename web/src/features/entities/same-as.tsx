import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { entityKeys, getEntity } from "@/api/entities";
import type { EntityAnswer, PossiblySame, ReviewDecision } from "@/api/types";
import { Button } from "@/components/button";
import { EntityLink } from "@/components/knowledge/entity-link";
import { Empty, ErrorNote } from "@/components/states";
import { entityLine } from "@/features/entities/entity-words";
import { MergeDialog } from "@/features/entities/merge-dialog";
import { useDecision, useSplit } from "@/features/entities/use-decisions";
import { likelihood, shortened } from "@/lib/event-words";
import { asSentence, formatPlural } from "@/lib/format";
import styles from "@/features/entities/entity.module.css";

/** Who may be the same, and who was found to be. */
export function SameAs({ entity }: { entity: EntityAnswer }) {
  const open = entity.possibly_same.filter(({ state }) => state === "open");
  // Those that are the same stand among the merged ones.
  const apart = entity.possibly_same.filter(({ state }) => state === "different");
  const [merging, setMerging] = useState(false);
  const another = !entity.merged_into && <Button onPress={() => setMerging(true)}>It is known by another name…</Button>;
  const dialog = merging && <MergeDialog entity={entity} onClose={() => setMerging(false)} />;
  if (open.length + apart.length + entity.merged.length === 0) {
    return (
      <Empty title="Only one of this name" actions={another}>
        <p>Nobody else here goes by a name like this.</p>
        {dialog}
      </Empty>
    );
  }
  return (
    <div className={styles.same}>
      {open.length > 0 && (
        <section aria-labelledby="open">
          <h2 id="open">May be the same</h2>
          <ul>
            {open.map((pair) => (
              <Possible key={pair.pair_id} pair={pair} />
            ))}
          </ul>
        </section>
      )}
      {entity.merged.length > 0 && (
        <section aria-labelledby="merged">
          <h2 id="merged">Counted as it</h2>
          <ul>
            {entity.merged.map((merged) => (
              <Merged key={merged.entity_id} id={entity.entity_id} merged={merged} />
            ))}
          </ul>
        </section>
      )}
      {apart.length > 0 && (
        <section aria-labelledby="apart">
          <h2 id="apart">Somebody else</h2>
          <ul>
            {apart.map((pair) => (
              <Possible key={pair.pair_id} pair={pair} />
            ))}
          </ul>
        </section>
      )}
      <div>{another}</div>
      {dialog}
    </div>
  );
}

function Possible({ pair }: { pair: PossiblySame }) {
  const decision = useDecision();
  const decide = (said: ReviewDecision) => decision.mutate({ pairId: pair.pair_id, decision: said });
  const name = shortened(pair.name, 60);
  return (
    <li>
      <div>
        <EntityLink entity={{ ...pair, type: "" }} />
        <p className={styles.quiet}>
          {likelihood(pair.confidence)}: {asSentence(pair.reason)}
        </p>
      </div>
      <div className={styles.buttons}>
        {pair.state === "open" ? (
          <>
            <Button aria-label={`Same as ${name}`} isDisabled={decision.isPending} onPress={() => decide("same")}>
              Same
            </Button>
            <Button
              aria-label={`Different from ${name}`}
              isDisabled={decision.isPending}
              onPress={() => decide("different")}
            >
              Different
            </Button>
          </>
        ) : (
          <Button
            look="quiet"
            aria-label={`Take back: ${name}`}
            isDisabled={decision.isPending}
            onPress={() => decide("undo")}
          >
            Take back
          </Button>
        )}
      </div>
      {decision.isError && <ErrorNote error={decision.error} what="That was not kept." />}
    </li>
  );
}

function Merged({ id, merged }: { id: string; merged: EntityAnswer["merged"][number] }) {
  const split = useSplit();
  const line = [entityLine(merged), formatPlural(merged.mention_count, "mention")].filter(Boolean).join(" · ");
  return (
    <li>
      <div>
        <EntityLink entity={merged} />
        <p className={styles.quiet}>{line}</p>
      </div>
      <div className={styles.buttons}>
        <Button
          aria-label={`Take apart: ${shortened(merged.name, 60)}`}
          isDisabled={split.isPending}
          onPress={() => split.mutate({ id, merged: merged.entity_id })}
        >
          Take apart
        </Button>
      </div>
      {split.isError && <ErrorNote error={split.error} what="It could not be taken apart." />}
    </li>
  );
}

/** Says of one that was merged whose it counts as, and lets it stand for itself again. */
export function MergedInto({ entity, into }: { entity: EntityAnswer; into: string }) {
  const other = useQuery({ queryKey: entityKeys.one(into), queryFn: ({ signal }) => getEntity(into, signal) });
  const split = useSplit();
  return (
    <div className={styles.into}>
      <p>
        Counted as{" "}
        <Link to="/entities/$entityId" params={{ entityId: into }}>
          <bdi>{other.data ? shortened(other.data.name, 60) : "another"}</bdi>
        </Link>
        , where all that is known stands together.
      </p>
      <Button isDisabled={split.isPending} onPress={() => split.mutate({ id: into, merged: entity.entity_id })}>
        Take apart
      </Button>
      {split.isError && <ErrorNote error={split.error} what="It could not be taken apart." />}
    </div>
  );
}
