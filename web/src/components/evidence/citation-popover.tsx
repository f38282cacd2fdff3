import type { RefObject } from "react";
import { Popover } from "react-aria-components/Popover";
import type { Citation } from "@/api/types";
import { CitedWords, CitedWork, useCitedSource } from "@/components/evidence/citation-card";
import { citationLabel } from "@/lib/citation-words";
import styles from "@/components/evidence/citation-card.module.css";

interface Props {
  citation: Citation;
  trigger: RefObject<Element | null>;
  onClose: () => void;
  onEnter: () => void;
  onLeave: () => void;
}

/** The evidence of one badge, beside it. It holds no focus, so that reading goes on. */
export function CitationPopover({ citation, trigger, onClose, onEnter, onLeave }: Props) {
  const source = useCitedSource(citation.source_id);
  return (
    <Popover
      isOpen
      isNonModal
      triggerRef={trigger}
      placement="top"
      offset={4}
      onOpenChange={(open) => !open && onClose()}
      className={styles.popover}
    >
      {/* It only hears whether it is still being looked at. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        role="group"
        aria-label={citationLabel(citation)}
        data-card=""
        className={styles.card}
        onPointerEnter={onEnter}
        onPointerLeave={(event) => event.pointerType === "mouse" && onLeave()}
        onFocus={onEnter}
      >
        <CitedWork citation={citation} source={source} />
        <CitedWords citation={citation} source={source} />
      </div>
    </Popover>
  );
}
