import { createContext, Fragment, use, type ReactNode } from "react";
import { USUAL_LOOK, type CitationLook } from "@/api/settings";
import { UncitedMark } from "@/components/evidence/uncited-mark";
import { markAt, type Badge as BadgeData, type BadgeItem } from "@/lib/citation-places";
import { citationHref, citationLabel, standingOf } from "@/lib/citation-words";
import { ClockIcon } from "@/components/icons";
import styles from "@/components/evidence/badge.module.css";

/** The badges of the text that is shown; a place in it names one. */
export const BadgesContext = createContext<readonly BadgeData[]>([]);

/** How markers look; asked for once for the whole text, because there may be hundreds. */
export const FormatContext = createContext<CitationLook["format"]>(USUAL_LOOK.format);

/** Raised numbers at a place of a text: `1,3`. Each leads to the words that it stands for. */
export function Badge({ at }: { at: number }) {
  const mark = markAt(at);
  return mark === null ? <Numbers at={at} /> : <UncitedMark at={mark} />;
}

function Numbers({ at }: { at: number }) {
  const badge = use(BadgesContext)[at];
  const format = use(FormatContext);
  if (!badge) return null;
  const names = format === "inline_links" && badge.items.some(({ citation }) => citation);
  const numbers = badge.items.map((item, index) => (
    <Fragment key={index}>
      {index > 0 && (names ? "; " : ",")}
      <Number item={item} place={`${at}.${index}`} named={names} />
    </Fragment>
  ));
  if (format === "superscript") return <sup className={styles.badge}>{numbers}</sup>;
  // The space before a badge was taken away, because a raised one needs none.
  return (
    <>
      {" "}
      <span className={styles.inline}>{names ? <>({numbers})</> : <>[{numbers}]</>}</span>
    </>
  );
}

const LONGEST_NAME = 40;

/** A title that does not drown the sentence that it stands in. */
function nameOf(title: string): string {
  const words = title.replace(/\s+/g, " ").trim();
  return words.length > LONGEST_NAME ? `${words.slice(0, LONGEST_NAME - 1).trimEnd()}…` : words;
}

function Number({ item: { number, citation }, place, named }: { item: BadgeItem; place: string; named: boolean }) {
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
  const inside: ReactNode = (
    <>
      {named ? nameOf(citation.title) : number}
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
