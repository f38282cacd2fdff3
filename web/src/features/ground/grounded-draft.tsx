import { useMemo } from "react";
import type { BoundClaim, CheckMethod, ContradictedClaim, GroundAnswer } from "@/api/types";
import { CopyButton } from "@/components/copy-button";
import { PlaceLink } from "@/components/place-link";
import { Quoted } from "@/components/quoted";
import { Empty } from "@/components/states";
import {
  claimsOf,
  differenceWords,
  pieces,
  summaryWords,
  verdictWords,
  type Claim,
  type Piece,
} from "@/features/ground/claims";
import { asSentence } from "@/lib/format";
import styles from "@/features/ground/ground.module.css";

const METHODS: Record<CheckMethod, string> = {
  words_and_meaning: "Checked by words and by meaning.",
  words: "Checked by words only: no model could tell the meaning.",
};

/** What was found for each claim, in the draft and as a list. */
export function GroundedDraft({ draft, answer }: { draft: string; answer: GroundAnswer }) {
  const claims = useMemo(() => claimsOf(answer), [answer]);
  const titles = useMemo(() => new Map(answer.sources.map(({ source_id, title }) => [source_id, title])), [answer]);
  if (claims.length === 0) {
    return (
      <Empty title="Nothing to look up">
        <p>There is no statement of fact in this text.</p>
      </Empty>
    );
  }
  return (
    <div className={styles.grounded}>
      <p className={styles.summary} role="status">
        {summaryWords(claims)}. {METHODS[answer.method]}
      </p>
      <section aria-labelledby="in-the-draft">
        <h2 id="in-the-draft">In the draft</h2>
        <p className={styles.reading}>
          {pieces(draft, claims).map((piece, index) => (
            <PieceOf key={index} piece={piece} />
          ))}
        </p>
      </section>
      <section aria-labelledby="claims">
        <h2 id="claims">Claim by claim</h2>
        <ol className={styles.claims}>
          {claims.map((claim) => (
            <ClaimOf key={claim.id} claim={claim} title={claim.bound ? titles.get(claim.bound.source_id) : undefined} />
          ))}
        </ol>
      </section>
      <section aria-labelledby="annotated">
        <div className={styles.head}>
          <h2 id="annotated">With its citations</h2>
          <CopyButton text={answer.annotated} label="Copy Markdown" />
        </div>
        <pre className={styles.annotated}>{answer.annotated}</pre>
      </section>
    </div>
  );
}

function PieceOf({ piece: { text, claim } }: { piece: Piece }) {
  if (!claim) return text;
  const { word, look } = verdictWords(claim);
  return (
    <>
      <span className={styles[look]}>{text}</span>
      <a
        className={styles.badge}
        href={`#${claim.id}`}
        aria-label={claim.bound ? `Citation ${claim.bound.number}, ${word.toLowerCase()}` : word}
      >
        {claim.bound ? claim.bound.number : claim.against ? "≠" : "?"}
      </a>
    </>
  );
}

function ClaimOf({ claim, title }: { claim: Claim; title: string | undefined }) {
  const { word, sign, look } = verdictWords(claim);
  return (
    <li id={claim.id} className={styles.claim}>
      <p className={styles.words}>{claim.text}</p>
      <p className={`${styles.verdict} ${look === "unsupported" || look === "contradicted" ? styles.bad : ""}`}>
        <span aria-hidden="true">{sign}</span> {word}
        {look === "unsupported" && ": nothing in the library says this."}
      </p>
      {claim.bound && (
        <Evidence
          found={claim.bound}
          place={placeWords(claim.bound, title)}
          remarks={claim.bound.reasons?.map(asSentence) ?? []}
        />
      )}
      {claim.against && (
        <Evidence
          found={claim.against}
          place={claim.against.title}
          remarks={claim.against.why.flatMap((difference) => differenceWords(difference) ?? [])}
        />
      )}
    </li>
  );
}

/** Words of a source, where they stand, and what is to be said of them. */
function Evidence({
  found,
  place,
  remarks,
}: {
  found: BoundClaim | ContradictedClaim;
  place: string;
  remarks: readonly string[];
}) {
  return (
    <div className={styles.support}>
      <Quoted text={found.quote} />
      <PlaceLink
        row
        sourceId={found.source_id}
        revisionId={found.revision_id}
        start={found.start_char}
        end={found.end_char}
      >
        {place}
      </PlaceLink>
      {remarks.map((remark) => (
        <p key={remark} className={styles.reason}>
          {remark}
        </p>
      ))}
    </div>
  );
}

function placeWords({ number, page }: BoundClaim, title: string | undefined): string {
  return `[${number}] ${title ?? "The source"}${page != null ? `, page ${page}` : ""}`;
}
