import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { wholeSettings } from "@/api/settings";
import { isPossible, MODES, modes, useModes, type Mode } from "@/features/ask/modes";
import styles from "@/features/ask/composer.module.css";

const USUAL = "usual";

const ABOUT: Record<Mode, string> = {
  extractive: "Quoted from your library, word for word",
  generated: "Written by a model, and checked against your library",
  research: "Several searches first, then an answer",
};

/** How the next question is answered; with the browser's own list, as every choice of one. */
export function ModePicker() {
  const state = useModes();
  const settings = useQuery(wholeSettings);
  const provider = settings.data?.answers.provider;
  useEffect(() => {
    if (provider) modes.told(provider !== "none");
  }, [provider]);
  const { chosen, usual } = state;
  const shown = (isPossible(chosen, state) ? chosen : null) ?? usual;
  return (
    <select
      className={styles.mode}
      aria-label="How to answer"
      title={shown ? ABOUT[shown] : "Written by a model if there is one, else quoted from your library"}
      value={shown ?? USUAL}
      onChange={(event) => modes.choose(MODES.find(([mode]) => mode === event.target.value)?.[0] ?? null)}
    >
      {usual === null && <option value={USUAL}>Usual</option>}
      {MODES.map(([mode, name]) => (
        <option key={mode} value={mode} disabled={!isPossible(mode, state)}>
          {nameIn(mode, name)}
        </option>
      ))}
    </select>
  );

  function nameIn(mode: Mode, name: string): string {
    if (!isPossible(mode, state)) return `${name}: no model is configured`;
    return mode === usual ? `${name} (usual)` : name;
  }
}
