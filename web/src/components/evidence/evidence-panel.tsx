import { memo, useDeferredValue, useMemo, useState, type ReactNode } from "react";
import { useCitationSettings } from "@/api/settings";
import type { Citation } from "@/api/types";
import { CitedWords, CitedWork, useCitedSource } from "@/components/evidence/citation-card";
import { Button } from "@/components/button";
import { SidePanel } from "@/components/side-panel";
import { Tabs } from "@/components/tabs";
import { citedSources, type CitedSource, type EvidenceKind } from "@/lib/citation-words";
import { formatCount, formatPlural } from "@/lib/format";
import { useGradually } from "@/lib/use-gradually";
import styles from "@/components/evidence/evidence-panel.module.css";

/** A part of the evidence; all of it if null. */
export type EvidenceTab = EvidenceKind | null;

export const EVIDENCE_TABS: readonly [tab: EvidenceTab, label: string][] = [
  [null, "All"],
  ["documents", "Documents"],
  ["web", "Web"],
  ["data", "Data"],
  ["generated", "Generated"],
];

const CARDS_AT_ONCE = 4;
const QUOTES_AT_ONCE = 6;

interface Props {
  citations: readonly Citation[];
  /** What is said where nothing is cited. */
  empty: string;
  tab: EvidenceTab;
  /** Draws the link to a part; each part has an address. */
  link: (tab: EvidenceTab, children: ReactNode) => ReactNode;
  onClose: () => void;
}

/** What a text rests on: each cited source with the words that are quoted of it. The same wherever evidence is shown. */
export function EvidencePanel({ citations, empty, tab, link, onClose }: Props) {
  // What is read goes first.
  const later = useDeferredValue(citations);
  const sources = useMemo(() => citedSources(later), [later]);
  const shown = sources.filter(({ kind }) => tab === null || kind === tab);
  const { max_sources_displayed: most, expand_sources_by_default: expanded } = useCitationSettings();
  const [allOf, setAllOf] = useState<readonly Citation[] | null>(null);
  const wanted = allOf === later ? shown.length : Math.min(shown.length, Math.max(1, most));
  const drawn = useGradually(wanted, CARDS_AT_ONCE);
  const count = (kind: EvidenceTab) => sources.filter((source) => kind === null || source.kind === kind).length;
  return (
    <SidePanel kind="Evidence" onClose={onClose}>
      <div className={styles.tabs}>
        <Tabs label="Parts of the evidence">
          {EVIDENCE_TABS.map(([kind, label]) =>
            link(
              kind,
              <>
                {label} <span className={styles.count}>{formatCount(count(kind))}</span>
              </>,
            ),
          )}
        </Tabs>
      </div>
      {shown.length === 0 ? (
        <p className={styles.none}>{sources.length === 0 ? empty : "Nothing of this kind is cited."}</p>
      ) : (
        <ul className={styles.sources} aria-label="Cited sources">
          {shown.slice(0, drawn).map((source) => (
            <SourceCard key={source.number} source={source} expanded={expanded} />
          ))}
        </ul>
      )}
      {wanted < shown.length && (
        <div className={styles.rest}>
          <Button look="quiet" onPress={() => setAllOf(later)}>
            Show all {formatPlural(shown.length, "source")}
          </Button>
        </div>
      )}
    </SidePanel>
  );
}

const SourceCard = memo(
  function SourceCard({ source: { citations }, expanded }: { source: CitedSource; expanded: boolean }) {
    const first = citations[0]!;
    const source = useCitedSource(first.source_id);
    const [opened, setOpened] = useState(false);
    const wanted = expanded || opened ? citations.length : 1;
    const drawn = useGradually(wanted, QUOTES_AT_ONCE);
    return (
      <li className={styles.source} data-deleted={first.availability === "deleted" || undefined}>
        <CitedWork citation={first} source={source} />
        {citations.slice(0, drawn).map((citation) => (
          <CitedWords key={citation.id} citation={citation} source={source} />
        ))}
        {wanted < citations.length && (
          <div className={styles.rest}>
            <Button look="quiet" onPress={() => setOpened(true)}>
              {formatPlural(citations.length - wanted, "more quote")}
            </Button>
          </div>
        )}
      </li>
    );
  },
  (before, after) =>
    before.expanded === after.expanded &&
    before.source.citations.every((citation, at) => citation === after.source.citations[at]) &&
    before.source.citations.length === after.source.citations.length,
);
