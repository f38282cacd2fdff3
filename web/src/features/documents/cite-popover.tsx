import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Popover } from "react-aria-components/Popover";
import { documentKeys, searchDocument } from "@/api/documents";
import { search, searchKeys } from "@/api/search";
import { SearchIcon } from "@/components/icons";
import { ErrorNote } from "@/components/states";
import { passagesOf, type Choice } from "@/features/documents/cite-choices";
import { useDesk, type Passage } from "@/features/documents/desk";
import { CLAIM_WORDS, type ClaimMark } from "@/features/documents/claims";
import styles from "@/features/documents/cite.module.css";

/** Where a citation is to be set, and for what. */
export interface Citing {
  words: string;
  at: number;
  box: { left: number; top: number; bottom: number };
  /** The sentences that ask for it, of which one is chosen; more than one can stand beside a line. */
  claims?: readonly ClaimMark[];
}

const PAUSE_MS = 200;

/** Finds a passage to cite, first among the sources of the document, then in the library. */
export function CitePopover({ citing, onClose }: { citing: Citing; onClose: () => void }) {
  const anchor = useRef<HTMLSpanElement>(null);
  const { left, top, bottom } = citing.box;
  return (
    <>
      <span
        ref={anchor}
        aria-hidden="true"
        className={styles.anchor}
        style={{ left, top, height: Math.max(1, bottom - top) }}
      />
      <Popover
        isOpen
        triggerRef={anchor}
        placement="bottom start"
        offset={4}
        onOpenChange={(open) => !open && onClose()}
        className={styles.popover}
      >
        <Dialog aria-label="Cite a passage" className={styles.dialog}>
          <Chooser citing={citing} onClose={onClose} />
        </Dialog>
      </Popover>
    </>
  );
}

function Chooser({ citing, onClose }: { citing: Citing; onClose: () => void }) {
  const { id, sources, cite, editor } = useDesk();
  const [query, setQuery] = useState(citing.words);
  const [claim, setClaim] = useState(citing.claims?.[0]);
  const words = useSettled(query.trim());
  const inDocument = useQuery({
    queryKey: documentKeys.search(id, words),
    queryFn: ({ signal }) => searchDocument(id, words, signal),
    enabled: words !== "" && (sources?.length ?? 0) > 0,
    placeholderData: keepPreviousData,
  });
  const body = { query: words, limit: 10 };
  const inLibrary = useQuery({
    queryKey: searchKeys.answer(body),
    queryFn: ({ signal }) => search(body, signal),
    enabled: words !== "",
    placeholderData: keepPreviousData,
  });
  const groups = useMemo(
    () =>
      passagesOf(
        words,
        sources ?? [],
        words ? (inDocument.data ?? []) : [],
        words ? (inLibrary.data?.primary_results ?? []) : [],
      ),
    [words, sources, inDocument.data, inLibrary.data],
  );
  const all = groups.flatMap(({ choices }) => choices);
  const [moved, setMoved] = useState<string | null>(null);
  const active = all.find(({ key }) => key === moved) ?? all[0];
  const [failed, setFailed] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const list = useId();
  const searching = words !== "" && (inLibrary.isFetching || inDocument.isFetching || words !== query.trim());

  // A dialog gives the focus back to what had it in the frame after it is gone; the text takes it from there.
  const isCited = useRef(false);
  useEffect(
    () => () => {
      if (isCited.current) requestAnimationFrame(() => editor.current?.focus());
    },
    [editor],
  );

  async function choose(passage: Passage) {
    if (busy) return;
    setBusy(true);
    setFailed(null);
    try {
      await cite(passage, claim?.to ?? citing.at);
      isCited.current = true;
      onClose();
    } catch (thrown) {
      setFailed(thrown);
      setBusy(false);
    }
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    const at = active ? all.indexOf(active) : -1;
    const move = (to: number) => {
      const next = all.at(to % Math.max(1, all.length));
      if (!next) return;
      setMoved(next.key);
      document.getElementById(`${list}${next.key}`)?.scrollIntoView({ block: "nearest" });
    };
    if (event.key === "ArrowDown") move(at + 1);
    else if (event.key === "ArrowUp") move(at - 1);
    else if (event.key === "Enter" && active) void choose(active.passage);
    else return;
    event.preventDefault();
  }

  return (
    <>
      {claim && (
        <p className={styles.claim}>
          <strong>{CLAIM_WORDS[claim.kind]}</strong> for “{claim.text}”
        </p>
      )}
      {citing.claims && citing.claims.length > 1 && (
        <div className={styles.others} role="group" aria-label="Sentences beside this line">
          {citing.claims.map((one, index) => (
            <button
              key={one.from}
              type="button"
              aria-pressed={one === claim}
              title={one.text}
              onClick={() => {
                setClaim(one);
                setQuery(one.text);
              }}
            >
              Sentence {index + 1}
            </button>
          ))}
        </div>
      )}
      <div className={styles.box}>
        <SearchIcon />
        <input
          // It is opened to write into it.
          // eslint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          role="combobox"
          aria-label="Search a passage to cite"
          placeholder="Words of the passage, or its title"
          aria-expanded={all.length > 0}
          aria-controls={list}
          aria-activedescendant={active ? `${list}${active.key}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={list} role="listbox" aria-label="Passages" aria-busy={searching} className={styles.list}>
        {groups.map(({ name, choices }) => (
          <div key={name} role="group" aria-label={name}>
            <div className={styles.group} aria-hidden="true">
              {name}
            </div>
            {choices.map((choice) => (
              <Option
                key={choice.key}
                id={`${list}${choice.key}`}
                choice={choice}
                active={choice === active}
                onPoint={() => setMoved(choice.key)}
                onChoose={() => void choose(choice.passage)}
              />
            ))}
          </div>
        ))}
      </div>
      <p role="status" className={styles.status}>
        {busy
          ? "Citing…"
          : all.length > 0
            ? ""
            : searching
              ? "Searching…"
              : words
                ? "Nothing says this. Try other words."
                : "Write words of a passage. Enter cites it at the cursor."}
      </p>
      {inLibrary.isError && (
        <ErrorNote
          error={inLibrary.error}
          what="The library could not be searched."
          onRetry={() => void inLibrary.refetch()}
        />
      )}
      {failed !== null && <ErrorNote error={failed} what="It was not cited." />}
    </>
  );
}

function Option({
  id,
  choice,
  active,
  onPoint,
  onChoose,
}: {
  id: string;
  choice: Choice;
  active: boolean;
  onPoint: () => void;
  onChoose: () => void;
}) {
  const { passage, line } = choice;
  return (
    // The keys are those of the box above, which keeps the focus.
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={id}
      role="option"
      aria-selected={active}
      tabIndex={-1}
      className={styles.option}
      onPointerMove={active ? undefined : onPoint}
      onClick={onChoose}
    >
      <span className={styles.title}>{passage.title}</span>
      {line && <span className={styles.line}>{line}</span>}
      {passage.quote && <span className={styles.quote}>{passage.quote}</span>}
    </div>
  );
}

function useSettled(words: string): string {
  const [settled, setSettled] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(words), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return settled;
}
