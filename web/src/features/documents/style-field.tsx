import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useRef, useState, type KeyboardEvent } from "react";
import { addStyle, documentKeys, listStyles } from "@/api/documents";
import type { CitationStyle } from "@/api/documents-types";
import { Button } from "@/components/button";
import { ErrorNote } from "@/components/states";
import { commonName, pickStyles } from "@/features/documents/document-words";
import { humanise } from "@/lib/format";
import fields from "@/components/field.module.css";
import styles from "@/features/documents/style-field.module.css";

export function useStyles() {
  return useQuery({ queryKey: documentKeys.styles, queryFn: ({ signal }) => listStyles(signal), staleTime: 300_000 });
}

/** So many more are drawn than the common ones; the rest is found by words. */
const MOST = 60;

/** The style of the citations: a box that finds one among hundreds, the common ones first, and a way to bring one's own. */
export function StyleField({
  value,
  onChange,
  focus = false,
}: {
  value: string;
  onChange: (style: string) => void;
  focus?: boolean;
}) {
  const queries = useQueryClient();
  const known = useStyles();
  const [query, setQuery] = useState("");
  const [moved, setMoved] = useState<string | null>(null);
  const file = useRef<HTMLInputElement>(null);
  const id = useId();
  const list = `${id}list`;
  const add = useMutation({
    mutationFn: async (chosen: File) => addStyle(await chosen.text()),
    onSuccess: async (style) => {
      await queries.invalidateQueries({ queryKey: documentKeys.styles });
      onChange(style.style_id);
    },
  });
  const { own, common, others } = pickStyles(known.data?.items ?? [], query);
  const groups: [string, CitationStyle[]][] = [
    ["Own", own],
    ["Common", common],
    ["All", others.slice(0, MOST)],
  ];
  const all = groups.flatMap(([, items]) => items);
  const active = all.find(({ style_id }) => style_id === moved) ?? (query ? all[0] : undefined);
  const idOf = ({ style_id }: CitationStyle) => `${list}-${style_id}`;

  function onKeyDown(event: KeyboardEvent) {
    const at = active ? all.indexOf(active) : -1;
    const move = (to: number) => {
      const next = all.at(to % Math.max(1, all.length));
      if (!next) return;
      setMoved(next.style_id);
      document.getElementById(idOf(next))?.scrollIntoView({ block: "nearest" });
    };
    if (event.key === "ArrowDown") move(at + 1);
    else if (event.key === "ArrowUp") move(at - 1);
    else if (event.key === "Enter" && active) onChange(active.style_id);
    else return;
    event.preventDefault();
  }

  return (
    <div className={fields.field}>
      <label htmlFor={id} className={fields.label}>
        Style
      </label>
      <input
        id={id}
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={active && idOf(active)}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        // eslint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={focus}
        className={fields.input}
        placeholder="Find a style by its name"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div id={list} role="listbox" aria-label="Styles" className={styles.list}>
        {groups.map(
          ([name, items]) =>
            items.length > 0 && (
              <div key={name} role="group" aria-label={name}>
                <div className={styles.group} aria-hidden="true">
                  {name}
                </div>
                {items.map((style) => (
                  // The keys are those of the box above.
                  // eslint-disable-next-line jsx-a11y/click-events-have-key-events
                  <div
                    key={style.style_id}
                    id={idOf(style)}
                    role="option"
                    tabIndex={-1}
                    aria-selected={style.style_id === value || style.aliases.includes(value)}
                    data-active={style === active || undefined}
                    className={styles.option}
                    onClick={() => onChange(style.style_id)}
                  >
                    <span>
                      {commonName(style.style_id) && <b>{commonName(style.style_id)} </b>}
                      {style.title}
                    </span>
                    <span className={styles.kind}>{humanise(style.kind)}</span>
                  </div>
                ))}
              </div>
            ),
        )}
        {others.length > MOST && <p className={styles.note}>{others.length - MOST} more: write a part of the name.</p>}
        {known.data && all.length === 0 && <p className={styles.note}>No style is called so.</p>}
        {known.isPending && <p className={styles.note}>Loading…</p>}
      </div>
      {known.isError && (
        <ErrorNote error={known.error} what="The styles could not be listed." onRetry={() => void known.refetch()} />
      )}
      <div className={styles.own}>
        <Button look="quiet" isDisabled={add.isPending} onPress={() => file.current?.click()}>
          {add.isPending ? "Reading…" : "Add a .csl file"}
        </Button>
        <input
          ref={file}
          type="file"
          accept=".csl,application/xml,text/xml"
          aria-label="Style file"
          className="visually-hidden"
          tabIndex={-1}
          onChange={({ target }) => {
            const chosen = target.files?.[0];
            if (chosen) add.mutate(chosen);
            target.value = "";
          }}
        />
      </div>
      {add.isError && <ErrorNote error={add.error} what="The style was not added." />}
    </div>
  );
}
