import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { groundKeys, listUncited } from "@/api/ground";
import { lazy, memo, Suspense, useMemo, useRef, useState, type ReactNode, type RefObject } from "react";
import { evidenceUrl } from "@/api/conversations";
import { getRun, runKeys } from "@/api/runs";
import type { Citation, ClaimCheck, MarkerPlace, Message, RewrittenClaim } from "@/api/types";
import { Button, LinkButton } from "@/components/button";
import { CopyButton } from "@/components/copy-button";
import { CitedText } from "@/components/evidence/cited-text";
import { Covers } from "@/components/evidence/covers";
import { ErrorNote } from "@/components/states";
import { copyHtml } from "@/features/ask/copy-html";
import type { Live, Shown } from "@/features/ask/live";
import { placeCitations, sameBadges, type Placed, type Uncited } from "@/lib/citation-places";
import { verdictSummary } from "@/lib/citation-words";
import { flaggedChecks, flaggedCitations, withRewritten } from "@/lib/flagged-claims";
import { footnotesOf, withFootnotes } from "@/lib/footnotes";
import { asSentence, formatPlural } from "@/lib/format";
import { useGradually } from "@/lib/use-gradually";
import { useSeen } from "@/lib/use-seen";
import styles from "@/features/ask/ask.module.css";

const Deliverables = lazy(() =>
  import("@/features/ask/deliverables").then(({ Deliverables }) => ({ default: Deliverables })),
);

const RelatedToQuestion = lazy(() =>
  import("@/features/ask/related").then(({ RelatedToQuestion }) => ({ default: RelatedToQuestion })),
);

interface Props {
  answer: Shown;
  /** What it answers, if that is shown. */
  question?: string;
  /** Shows its evidence; absent while it is shown. */
  onEvidence?: () => void;
  onAgain?: () => void;
  children?: ReactNode;
}

/** An answer, on its way or kept. Both are one text, so that nothing jumps when the one becomes the other. */
export const Answer = memo(function Answer({
  answer: { id, content, kept, live },
  question,
  onEvidence,
  onAgain,
  children,
}: Props) {
  const article = useRef<HTMLElement>(null);
  const uncited = useUncited(kept, article);
  const placed = usePlaced(content, kept, live, uncited);
  const [handing, setHanding] = useState(false);
  const [relating, setRelating] = useState(false);
  return (
    <div className={styles.answer} data-message={id} aria-busy={live?.state === "going"}>
      <CitedText placed={placed} label="Answer" articleRef={article} />
      {live && <Progress live={live} onAgain={onAgain} />}
      {kept && (
        <>
          <Unfinished message={kept} onAgain={onAgain} />
          <Notes message={kept} />
          <Covers files={kept.cited_files} citations={kept.citations} />
          <div className={styles.actions}>
            {children}
            {kept.content && (
              <CopyButton
                look="quiet"
                label={kept.citations.length > 0 ? "Copy with footnotes" : "Copy"}
                text={() => withFootnotes(placed, footnotesOf(kept.citations, location.origin))}
                html={() => copyHtml(article.current, footnotesOf(kept.citations, location.origin))}
              />
            )}
            {kept.citations.length > 0 && (
              <LinkButton look="quiet" href={evidenceUrl(kept.id)} download="">
                Export evidence
              </LinkButton>
            )}
            {kept.run_id && kept.content && (
              <Button look="quiet" aria-expanded={handing} onPress={() => setHanding(!handing)}>
                Share…
              </Button>
            )}
            {question && kept.content && (
              <Button look="quiet" aria-expanded={relating} onPress={() => setRelating(!relating)}>
                Related
              </Button>
            )}
            {onEvidence && kept.citations.length > 0 && (
              <Button look="quiet" onPress={onEvidence}>
                Evidence
              </Button>
            )}
          </div>
          {handing && kept.run_id && (
            <Suspense fallback={<p className={styles.step}>Loading…</p>}>
              <Deliverables run={kept.run_id} />
            </Suspense>
          )}
          {relating && question && (
            <section aria-label="Related">
              <Suspense fallback={<p className={styles.step}>Looking for what is related…</p>}>
                <RelatedToQuestion question={question} />
              </Suspense>
            </section>
          )}
        </>
      )}
    </div>
  );
});

/** The text with its badges, which stay the same ones for as long as nothing about them changes. */
function usePlaced(content: string, kept: Message | null, live: Live | null, uncited: readonly Uncited[]): Placed {
  const markers = kept?.markers ?? live?.markers ?? NO_MARKERS;
  const citations = kept?.citations ?? NO_CITATIONS;
  const checks = live?.checks ?? NO_CHECKS;
  // What is quoted is the source's own; what was found of it says whether it answers.
  const isQuoted = kept?.model === "extractive";
  const rewritten = kept?.rewritten ?? live?.rewritten ?? NO_REWRITTEN;
  const claims = useMemo(() => {
    if (isQuoted) return [];
    return withRewritten(citations.length > 0 ? flaggedCitations(citations) : flaggedChecks(checks), rewritten);
  }, [isQuoted, citations, checks, rewritten]);
  const next = useMemo(
    () => placeCitations(content, markers, citations, uncited, claims),
    [content, markers, citations, uncited, claims],
  );
  const [badges, setBadges] = useState(next.badges);
  if (badges !== next.badges && !sameBadges(badges, next.badges)) setBadges(next.badges);
  const { text, marks } = next;
  return useMemo(() => ({ text, badges, marks, claims }), [text, badges, marks, claims]);
}

const NO_MARKERS: readonly MarkerPlace[] = [];
const NO_CITATIONS: readonly Citation[] = [];
const NO_CHECKS: readonly ClaimCheck[] = [];
const NO_REWRITTEN: readonly RewrittenClaim[] = [];
const NONE: readonly Uncited[] = [];
const MARKS_AT_ONCE = 60;

/** What a written answer states without a source, asked for once it has ended and is looked at. What is quoted has none. */
function useUncited(kept: Message | null, article: RefObject<HTMLElement | null>): readonly Uncited[] {
  const isWritten = kept?.status === "complete" && kept.model !== "extractive" && kept.content !== "";
  const seen = useSeen(article, isWritten);
  const uncited = useQuery({
    queryKey: groundKeys.uncited(kept?.id ?? ""),
    queryFn: ({ signal }) => listUncited(kept?.id ?? "", signal),
    enabled: isWritten && seen,
    staleTime: Infinity,
  });
  const all = uncited.data ?? NONE;
  const count = useGradually(all.length, MARKS_AT_ONCE);
  return useMemo(() => all.slice(0, count), [all, count]);
}

function Progress({ live, onAgain }: { live: Live; onAgain?: () => void }) {
  if (live.problem?.code === "model_not_configured" && onAgain) {
    // Now that it is known, the question is asked again as it can be answered.
    return (
      <div className={styles.note} role="alert">
        <p>No language model is configured, so an answer can be quoted but not written.</p>
        <Button onPress={onAgain}>Quote from the library</Button>
      </div>
    );
  }
  if (live.problem) {
    return (
      <ErrorNote
        error={live.problem}
        what={live.runId ? "The answer was cut off." : "The question was not asked."}
        onRetry={onAgain}
      />
    );
  }
  return (
    <p className={styles.step} role="status">
      {live.state === "going" ? live.step : "Keeping the answer…"}
    </p>
  );
}

/** An answer that has no end. */
function Unfinished({ message, onAgain }: { message: Message; onAgain?: () => void }) {
  const failed = message.status === "failed";
  const run = useQuery({
    queryKey: runKeys.one(message.run_id ?? ""),
    queryFn: ({ signal }) => getRun(message.run_id ?? "", signal),
    enabled: failed && Boolean(message.run_id),
    staleTime: Infinity,
  });
  if (!failed && message.status !== "cancelled") return null;
  const why = failed
    ? `The answer failed. ${run.data?.error ? asSentence(run.data.error) : ""}`
    : "Stopped. What there was of the answer is kept.";
  return (
    <div className={failed ? styles.failed : styles.note}>
      <p>{why}</p>
      {onAgain && <Button onPress={onAgain}>Ask again</Button>}
    </div>
  );
}

/** What there is to say of an answer as a whole. */
function Notes({ message }: { message: Message }) {
  const { citations, dangling } = message;
  return (
    <div className={styles.notes}>
      <div className={styles.summary}>
        {citations.length > 0 && <p className={styles.verdicts}>{verdictSummary(citations)}</p>}
        {/* In the same line, so that nothing moves when it goes. */}
        {message.has_async_entities_in_progress && <p role="status">Creating notes…</p>}
      </div>
      {dangling.length > 0 && (
        <p>
          {formatPlural(dangling.length, "number")} in the answer {dangling.length === 1 ? "names" : "name"} no source:{" "}
          {dangling.join(", ")}
        </p>
      )}
      {message.model === "extractive" && citations.length > 0 && (
        <p>
          Extractive: quoted from your library. <Link to="/settings">Connect a model</Link> for written answers.
        </p>
      )}
    </div>
  );
}
