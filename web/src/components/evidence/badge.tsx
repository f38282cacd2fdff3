import { createContext, Fragment, use } from "react";
import { UncitedMark } from "@/components/evidence/uncited-mark";
import { markAt, type Badge as BadgeData, type BadgeItem } from "@/lib/citation-places";
import { citationHref, citationLabel, standingOf } from "@/lib/citation-words";
import { ClockIcon } from "@/components/icons";
import styles from "@/components/evidence/badge.module.css";

/** The badges of the text that is shown; a place in it names one. */
export const BadgesContext = createContext<readonly BadgeData[]>([]);

/** Raised numbers at a place of a text: `1,3`. Each leads to the words that it stands for. */
export function Badge({ at }: { at: number }) {
  const mark = markAt(at);
  return mark === null ? <Numbers at={at} /> : <UncitedMark at={mark} />;
}

function Numbers({ at }: { at: number }) {
  const badge = use(BadgesContext)[at];
  if (!badge) return null;
  return (
    <sup className={styles.badge}>
      {badge.items.map((item, index) => (
        <Fragment key={index}>
          {index > 0 && ","}
          <Number item={item} place={`${at}.${index}`} />
        </Fragment>
      ))}
    </sup>
  );
}

function Number({ item: { number, citation }, place }: { item: BadgeItem; place: string }) {
  if (!citation) return <span className={styles.number}>{number}</span>;
  const standing = standingOf(citation);
  const href = citationHref(citation);
  const props = {
    className: styles.number,
    // By `data-row`, the keys j, k and o find it.
    "data-row": "",
    "data-badge": place,
    "data-standing": standing,
    "aria-label": citationLabel(citation),
  };
  const inside = (
    <>
      {number}
      {standing === "changed" && <ClockIcon />}
    </>
  );
  if (!href) {
    return (
      <button type="button" {...props}>
        {inside}
      </button>
    );
  }
  const outside = href.startsWith("/") ? {} : { target: "_blank", rel: "noreferrer noopener" };
  return (
    <a href={href} {...outside} {...props}>
      {inside}
    </a>
  );
}
