import { useQuery } from "@tanstack/react-query";
import type { RefObject } from "react";
import { Popover } from "react-aria-components/Popover";
import { getText, sourceKeys } from "@/api/sources";
import type { DocumentCitation, DocumentSupport } from "@/api/documents-types";
import type { Source } from "@/api/types";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/copy-button";
import { CitedWork, useCitedSource, type CitedSummary } from "@/components/evidence/citation-card";
import { SourceLink } from "@/components/evidence/source-link";
import { citationHref, STANDING_WORDS } from "@/lib/citation-words";
import { scalarPlace } from "@/lib/scalars";
import { verdictOf } from "@/features/documents/use-support";
import cards from "@/components/evidence/citation-card.module.css";
import styles from "@/features/documents/desk.module.css";

interface Props {
  number: number;
  citation: DocumentCitation | undefined;
  support: DocumentSupport | undefined;
  trigger: RefObject<Element | null>;
  onClose: () => void;
  onEnter: () => void;
  onLeave: () => void;
  onEdit: () => void;
  onRemove: () => void;
}

/** The evidence of one citation, beside it. It holds no focus, so that writing goes on. */
export function CitationPopover({
  number,
  citation,
  support,
  trigger,
  onClose,
  onEnter,
  onLeave,
  onEdit,
  onRemove,
}: Props) {
  return (
    <Popover
      isOpen
      isNonModal
      triggerRef={trigger}
      placement="top"
      offset={4}
      onOpenChange={(open) => !open && onClose()}
      className={cards.popover}
    >
      {/* It only hears whether it is still being looked at. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        role="group"
        aria-label={`Citation ${number}`}
        data-card=""
        className={cards.card}
        onPointerEnter={onEnter}
        onPointerLeave={(event) =>
          event.pointerType === "mouse" && !event.currentTarget.contains(document.activeElement) && onLeave()
        }
        onFocus={onEnter}
        onKeyDown={(event) => event.key === "Escape" && onClose()}
      >
        {citation ? (
          <Card citation={citation} support={support} onEdit={onEdit} onRemove={onRemove} />
        ) : (
          <>
            <p className={cards.title}>
              <span className={cards.number}>{number}</span>Nothing is cited here
            </p>
            <p className={cards.line}>
              The text has this number, but no source stands behind it. Take it out, or cite a passage in its place.
            </p>
          </>
        )}
      </div>
    </Popover>
  );
}

function Card({
  citation,
  support,
  onEdit,
  onRemove,
}: Pick<Props, "support" | "onEdit" | "onRemove"> & { citation: DocumentCitation }) {
  const source = useCitedSource(citation.is_deleted ? null : citation.source_id);
  const href = useHref(citation, source);
  const verdict = citation.is_deleted ? "deleted" : verdictOf(citation.citation_number, support);
  const about = [
    citation.locator && placeWords(citation.locator),
    verdict !== "dangling" && verdict !== "unchecked" && STANDING_WORDS[verdict],
  ]
    .filter(Boolean)
    .join(" · ");
  const isWeb = citation.source_type === "WEB_PAGE" || citation.source_type === "WEBSITE";
  const work: CitedSummary = {
    number: citation.citation_number,
    title: citation.title,
    url: citation.url,
    availability: citation.is_deleted ? "deleted" : "available",
    source_type: isWeb ? "web" : (source?.origin ?? "blob_storage"),
    mime_type: source?.media_type ?? "",
  };
  return (
    <>
      <CitedWork citation={work} source={source} />
      <div className={cards.quoted}>
        {citation.quote && (
          <blockquote className={cards.quote}>
            {verdict === "unsupported" ? citation.quote : <mark>{citation.quote}</mark>}
          </blockquote>
        )}
        {about && (
          <p className={cards.standing} data-standing={verdict}>
            <span>{about}</span>
          </p>
        )}
        <p className={styles.formatted}>{citation.formatted}</p>
        <div className={cards.actions}>
          {href && (
            <SourceLink href={href} label={`Open ${citation.title}`}>
              Open
            </SourceLink>
          )}
          <CopyButton look="quiet" data-copy-citation="" text={citation.formatted} label="Copy citation" />
          <Button look="quiet" onPress={onEdit}>
            Edit
          </Button>
          <Button look="quiet" onPress={onRemove}>
            Remove
          </Button>
        </div>
      </div>
    </>
  );
}

/** A number alone is that of a page. */
function placeWords(locator: string): string {
  return /^\d/.test(locator) ? `${/^\d+$/.test(locator) ? "page" : "pages"} ${locator}` : locator;
}

/** Where the quoted words are; the source as a whole until they are found in its text. */
function useHref({ source_id, url, quote }: DocumentCitation, source: Source | null): string | null {
  const revision = source?.revision_id ?? null;
  const text = useQuery({
    queryKey: sourceKeys.text(source_id ?? "", revision ?? ""),
    queryFn: ({ signal }) => getText(source_id ?? "", revision ?? "", signal),
    enabled: Boolean(source_id && revision && quote),
    staleTime: Infinity,
  });
  const at = quote && text.data ? text.data.text.indexOf(quote) : -1;
  const start = at >= 0 ? scalarPlace(text.data!.text, at) : null;
  return citationHref({
    source_id,
    url,
    revision_id: start === null ? null : revision,
    start_char: start,
    end_char: start === null ? null : start + Array.from(quote!).length,
  });
}
