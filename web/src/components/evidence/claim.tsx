import { createContext, use, type ReactNode } from "react";
import { SourceLink } from "@/components/evidence/source-link";
import { claimNote, isStruck, type Correction, type FlaggedClaim } from "@/lib/flagged-claims";
import styles from "@/components/evidence/claim.module.css";

/** The claims of the text that is shown which their sources do not bear out; a place in it names one. */
export const ClaimsContext = createContext<readonly FlaggedClaim[]>([]);

interface Props {
  /** Place of the claim in the context. */
  claim: number;
  /** Place of a correction among those of the claim; null for the claim itself. */
  correction: number | null;
  /** Whether these are the last words of it. */
  isLast: boolean;
  children: ReactNode;
}

/** Words of a claim that is marked: as a sentence, and where they are wrong. */
export function ClaimWords({ claim: at, correction, isLast, children }: Props) {
  const claim = use(ClaimsContext)[at];
  if (!claim) return children;
  if (correction !== null) {
    const right = claim.corrections[correction];
    return right ? <Corrected correction={right} isLast={isLast} words={children} /> : children;
  }
  const note = isLast && claimNote(claim);
  return (
    <>
      {isStruck(claim) ? (
        <del className={styles.struck} data-claim={claim.verdict}>
          {children}
        </del>
      ) : (
        <span className={styles[claim.verdict ?? "rewritten"]} data-claim={claim.verdict ?? "rewritten"}>
          {children}
        </span>
      )}
      {note && <Note words={note} href={claim.href} />}
    </>
  );
}

/** Wrong words, and beside the last of them those of the source. */
function Corrected({ correction, isLast, words }: { correction: Correction; isLast: boolean; words: ReactNode }) {
  const { source, href } = correction;
  return (
    <>
      <del className={styles.wrong}>{words}</del>
      {isLast && (
        <>
          {" "}
          <span aria-hidden="true">→</span>
          <span className="visually-hidden" data-spoken="">
            is not what the source says. It says:
          </span>{" "}
          <ins className={styles.right}>
            {href ? (
              <SourceLink href={href} className={styles.place}>
                {source}
              </SourceLink>
            ) : (
              source
            )}
          </ins>
        </>
      )}
    </>
  );
}

/** What is to be said of a claim, after it. */
function Note({ words, href }: { words: string; href: string | null }) {
  return (
    <>
      {" "}
      <span className={styles.note} data-claim-note="">
        {href ? (
          <SourceLink href={href} className={styles.place}>
            {words}
          </SourceLink>
        ) : (
          words
        )}
      </span>
    </>
  );
}
