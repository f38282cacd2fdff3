import type { ReactNode } from "react";
import { unitPlaces } from "@/lib/scalars";
import styles from "@/components/quoted.module.css";

interface Props {
  text: string;
  /** The characters that match what was asked, counted from the beginning of the text. */
  matches?: readonly { start: number; end: number }[];
}

/** Words of a source, with those marked that match. */
export function Quoted({ text, matches = [] }: Props) {
  return <blockquote className={styles.quote}>{marked(text, matches)}</blockquote>;
}

function marked(text: string, matches: readonly { start: number; end: number }[]): ReactNode[] {
  const places = unitPlaces(
    text,
    matches.flatMap(({ start, end }) => [start, end]),
  );
  const parts: ReactNode[] = [];
  let at = 0;
  for (let index = 0; index < places.length; index += 2) {
    const [start, end] = [Math.max(at, places[index]!), places[index + 1]!];
    if (end <= start) continue;
    parts.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>);
    at = end;
  }
  return [...parts, text.slice(at)];
}
