import { useQuery } from "@tanstack/react-query";
import type { RefObject } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Popover } from "react-aria-components/Popover";
import { groundDraft, groundKeys } from "@/api/ground";
import type { BoundClaim } from "@/api/types";
import { CopyButton } from "@/components/copy-button";
import { SourceLink } from "@/components/evidence/source-link";
import { plainWords } from "@/components/evidence/uncited-mark";
import { Quoted } from "@/components/quoted";
import { ErrorNote, Skeleton } from "@/components/states";
import type { Uncited } from "@/lib/citation-places";
import { citationHref, pageWords } from "@/lib/citation-words";
import cards from "@/components/evidence/citation-card.module.css";
import styles from "@/components/evidence/uncited.module.css";

/** What the library has for statements that name no source. */
export function UncitedPopover({
  statements,
  trigger,
  onClose,
}: {
  statements: readonly Uncited[];
  trigger: RefObject<Element | null>;
  onClose: () => void;
}) {
  return (
    <Popover
      isOpen
      triggerRef={trigger}
      placement="bottom start"
      offset={4}
      onOpenChange={(open) => !open && onClose()}
      className={cards.popover}
    >
      <Dialog aria-label="No source given" className={cards.card}>
        {statements.map((statement) => (
          <Statement key={statement.start_index} words={plainWords(statement)} />
        ))}
      </Dialog>
    </Popover>
  );
}

function Statement({ words }: { words: string }) {
  const found = useQuery({
    queryKey: groundKeys.statement(words),
    queryFn: ({ signal }) => groundDraft(words, signal),
    staleTime: 60_000,
  });
  const claim = found.data?.claims[0];
  const title = found.data?.sources.find(({ source_id }) => source_id === claim?.source_id)?.title ?? "The source";
  return (
    <div className={styles.found}>
      <p className={styles.about}>No source given for:</p>
      <p className={styles.statement}>{words}</p>
      {found.isPending && <Skeleton label="Looking in the library" rows={2} />}
      {found.isError && (
        <ErrorNote error={found.error} what="The library could not be searched." onRetry={() => void found.refetch()} />
      )}
      {found.data && !claim && <p className={styles.about}>Nothing in your library says this.</p>}
      {claim && <Passage claim={claim} title={title} />}
    </div>
  );
}

function Passage({ claim, title }: { claim: BoundClaim; title: string }) {
  const href = citationHref(claim) ?? "/";
  const where = [title, pageWords(claim), claim.verdict === "supported" ? "says this" : "says a part of it"]
    .filter(Boolean)
    .join(" · ");
  return (
    <>
      <Quoted text={claim.quote} matches={WHOLE} />
      <p className={styles.about}>{where}</p>
      <div className={styles.actions}>
        <SourceLink href={href} label={`Open ${title}`}>
          Open
        </SourceLink>
        <CopyButton
          look="quiet"
          text={`${[title, pageWords(claim)].filter(Boolean).join(", ")}. “${claim.quote.replace(/\s+/g, " ").trim()}”`}
          label="Copy citation"
        />
      </div>
    </>
  );
}

/** Every word of it is evidence. */
const WHOLE = [{ start: 0, end: Infinity }];
