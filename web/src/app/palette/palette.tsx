import { useNavigate } from "@tanstack/react-router";
import { useId, useMemo, useState, type KeyboardEvent } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { useFocusBox } from "@/app/focus-box";
import { groupsOf, type Choice } from "@/app/palette/choices";
import type { Ranked } from "@/app/palette/rank";
import { useTitles } from "@/app/palette/use-titles";
import { PLACES } from "@/app/places";
import { SearchIcon } from "@/components/icons";
import { setTheme } from "@/lib/theme";
import styles from "@/app/palette/palette.module.css";

interface Props {
  onClose: () => void;
  onAddFiles: () => void;
  onAddAddress: () => void;
  onKeys: () => void;
}

/** One box that leads everywhere: what is written finds places, commands, conversations and sources. */
export default function Palette(props: Props) {
  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(open) => !open && props.onClose()} className={styles.scrim}>
      <Modal className={styles.modal}>
        <Dialog aria-label="Commands" data-palette="" className={styles.dialog}>
          <Chooser {...props} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Chooser(props: Props) {
  const { onClose } = props;
  const [query, setQuery] = useState("");
  const commands = useCommands(query.trim(), props);
  const titles = useTitles(query);
  const groups = useMemo(() => groupsOf(query, { ...commands, ...titles }), [query, commands, titles]);
  const all = groups.flatMap(({ choices }) => choices.map(({ item }) => item));
  // The one that was moved to, as long as it is there; else the first.
  const [moved, setMoved] = useState<string | null>(null);
  const active = all.find(({ id }) => id === moved) ?? all[0];
  const list = useId();
  const idOf = (choice: Choice) => `${list}${choice.id}`;

  function choose(choice: Choice) {
    onClose();
    choice.run();
  }

  function move(to: number) {
    const next = all.at(to % all.length);
    if (!next) return;
    setMoved(next.id);
    document.getElementById(idOf(next))?.scrollIntoView({ block: "nearest" });
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    const at = active ? all.indexOf(active) : -1;
    if (event.key === "ArrowDown") move(at + 1);
    else if (event.key === "ArrowUp") move(at - 1);
    else if (event.key === "PageDown") move(Math.min(at + 8, all.length - 1));
    else if (event.key === "PageUp") move(Math.max(at - 8, 0));
    else if (event.key === "Enter" && active) choose(active);
    else return;
    event.preventDefault();
  }

  return (
    <>
      <div className={styles.box}>
        <SearchIcon />
        <input
          // A palette is opened to write into it.
          // eslint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          role="combobox"
          aria-label="Find a command, a source or a conversation"
          aria-expanded={all.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={active && idOf(active)}
          placeholder="Go, ask, find…"
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setMoved(null);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd>Esc</kbd>
      </div>
      <div id={list} role="listbox" aria-label="Choices" className={styles.list}>
        {groups.map(({ name, choices }) => (
          <div key={name} role="group" aria-label={name}>
            <div className={styles.group} aria-hidden="true">
              {name}
            </div>
            {choices.map((ranked) => (
              <Option
                key={ranked.item.id}
                id={idOf(ranked.item)}
                ranked={ranked}
                active={ranked.item === active}
                onPoint={() => setMoved(ranked.item.id)}
                onChoose={() => choose(ranked.item)}
              />
            ))}
          </div>
        ))}
      </div>
    </>
  );
}

interface OptionProps {
  id: string;
  ranked: Ranked<Choice>;
  active: boolean;
  onPoint: () => void;
  onChoose: () => void;
}

function Option({ id, ranked: { item, marks }, active, onPoint, onChoose }: OptionProps) {
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
      <span className={styles.label}>{markedLetters(item.label, marks)}</span>
      {item.detail && <span className={styles.detail}>{item.detail}</span>}
      {item.keys && (
        <span className={styles.keys} aria-hidden="true">
          {item.keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      )}
    </div>
  );
}

function markedLetters(label: string, marks: ReadonlySet<number>) {
  if (marks.size === 0) return label;
  const runs: { text: string; hit: boolean }[] = [];
  for (const [at, letter] of Array.from(label).entries()) {
    const hit = marks.has(at);
    const last = runs.at(-1);
    if (last?.hit === hit) last.text += letter;
    else runs.push({ text: letter, hit });
  }
  return runs.map(({ text, hit }, at) => (hit ? <b key={at}>{text}</b> : text));
}

/** What can be done anywhere, and with any words. */
function useCommands(words: string, { onAddFiles, onAddAddress, onKeys }: Props) {
  const navigate = useNavigate();
  const focusBox = useFocusBox();
  return useMemo(() => {
    const commands: Choice[] = [
      { id: "ask", label: "Ask a question", also: "new conversation chat", run: () => focusBox("/ask") },
      { id: "search", label: "Search the library", also: "find passages words", run: () => focusBox("/search") },
      { id: "files", label: "Add files", also: "upload import documents", keys: ["u"], run: onAddFiles },
      { id: "address", label: "Add an address", also: "url link web page", run: onAddAddress },
      { id: "light", label: "Theme: light", also: "day mode bright", run: () => setTheme("light") },
      { id: "dark", label: "Theme: dark", also: "night mode", run: () => setTheme("dark") },
      { id: "system", label: "Theme: as the system", also: "automatic mode", run: () => setTheme("system") },
      { id: "keys", label: "Show keys", also: "keyboard shortcuts help", keys: ["?"], run: onKeys },
    ];
    const places: Choice[] = PLACES.map(({ to, label, key, also }) => ({
      id: to,
      label,
      also: also && `go to ${also}`,
      detail: words ? "Place" : undefined,
      keys: ["g", key],
      run: () => void navigate({ to }),
    }));
    const withWords: Choice[] = [
      {
        id: "ask these",
        label: `Ask “${words}”`,
        run: () => void navigate({ to: "/ask", state: { question: words } }),
      },
      {
        id: "search these",
        label: `Search the library for “${words}”`,
        run: () => void navigate({ to: "/search", search: { q: words } }),
      },
    ];
    return { commands, places, withWords };
  }, [words, navigate, focusBox, onAddFiles, onAddAddress, onKeys]);
}
