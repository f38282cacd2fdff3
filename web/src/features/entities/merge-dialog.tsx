import { useQuery, keepPreviousData } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { entityKeys, listEntities } from "@/api/entities";
import type { Entity } from "@/api/types";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { SearchField } from "@/components/search-field";
import { ErrorNote, Skeleton } from "@/components/states";
import { entityLine } from "@/features/entities/entity-words";
import { useMerge } from "@/features/entities/use-decisions";
import { shortened, typeWord } from "@/lib/event-words";
import { formatPlural } from "@/lib/format";
import styles from "@/features/entities/entity.module.css";

const OFFERED = 8;
const NAME_CHARS = 60;

/** Says that this is somebody who is known by another name. */
export function MergeDialog({ entity, onClose }: { entity: Entity; onClose: () => void }) {
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState<Entity | null>(null);
  const navigate = useNavigate();
  const merge = useMerge();
  const filter = words ? { q: words } : {};
  const found = useQuery({
    queryKey: [...entityKeys.list(filter), "first"],
    queryFn: ({ signal }) => listEntities(filter, null, signal),
    placeholderData: keepPreviousData,
  });
  const name = shortened(entity.name, NAME_CHARS);
  const others = found.data?.items.filter(({ entity_id }) => entity_id !== entity.entity_id).slice(0, OFFERED);

  function confirm() {
    if (!chosen) return;
    merge.mutate(
      { id: entity.entity_id, into: chosen.entity_id },
      {
        onSuccess: () => {
          onClose();
          void navigate({ to: "/entities/$entityId", params: { entityId: chosen.entity_id } });
        },
      },
    );
  }

  return (
    <Dialog title="Who is it?" onClose={onClose}>
      {chosen ? (
        <>
          <p className={styles.words}>
            <bdi>{name}</bdi> will count as <bdi>{shortened(chosen.name, NAME_CHARS)}</bdi>, with all names, mentions
            and events. Nothing is lost: it can be taken apart again.
          </p>
          {merge.isError && <ErrorNote error={merge.error} what="They were not put together." />}
          <div className={styles.dialogButtons}>
            <Button onPress={() => setChosen(null)}>Choose another</Button>
            <Button look="primary" isDisabled={merge.isPending} onPress={confirm}>
              Put together
            </Button>
          </div>
        </>
      ) : (
        <>
          <SearchField label={`Search who ${name} is`} words={words} onSearch={setWords} />
          {found.isPending && <Skeleton label="Searching" rows={3} />}
          {found.isError && (
            <ErrorNote error={found.error} what="The search failed." onRetry={() => void found.refetch()} />
          )}
          {others && others.length === 0 && <p className={styles.quiet}>Nobody else goes by these words.</p>}
          {others && others.length > 0 && (
            <ul className={styles.offered} aria-label="Who it may be">
              {others.map((other) => (
                <li key={other.entity_id}>
                  <button type="button" onClick={() => setChosen(other)}>
                    <bdi>{shortened(other.name, NAME_CHARS)}</bdi>
                    <span>
                      {[
                        typeWord(other.type),
                        shortened(entityLine(other), 80),
                        formatPlural(other.mention_count, "mention"),
                      ]
                        .filter(Boolean)
                        .join(" · ")}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Dialog>
  );
}
