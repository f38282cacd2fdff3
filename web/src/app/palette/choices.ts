import { rank, type Ranked } from "@/app/palette/rank";

/** Something that can be chosen in the palette. */
export interface Choice {
  id: string;
  label: string;
  /** Other words by which it is found. */
  also?: string;
  /** What kind of thing it is, said quietly behind it. */
  detail?: string;
  /** The keys that do the same without the palette. */
  keys?: readonly string[];
  run: () => void;
}

export interface Group {
  name: string;
  choices: Ranked<Choice>[];
}

interface Given {
  commands: readonly Choice[];
  places: readonly Choice[];
  recent: readonly Choice[];
  conversations: readonly Choice[];
  /** Sources by their titles. */
  sources: readonly Choice[];
  /** Sources that the server found for these very words, which may be in their text. */
  found: readonly Choice[];
  /** Documents that the server found by these words. */
  documents: readonly Choice[];
  /** People and things that the server found by these words. */
  entities: readonly Choice[];
  /** What can be done with any words. */
  withWords: readonly Choice[];
}

const MOST = 6;

/** What is offered: without words all that can be done, with them what fits, and at the end what the words can be used for. */
export function groupsOf(query: string, given: Given): Group[] {
  const as = (choices: readonly Choice[]) => rank("", choices);
  if (!query.trim()) {
    return named([
      ["Recent", as(given.recent).slice(0, MOST)],
      ["Go to", as(given.places)],
      ["Do", as(given.commands)],
    ]);
  }
  const titled = rank(query, given.sources);
  const known = new Set(titled.map(({ item }) => item.id));
  return named([
    ["Commands", rank(query, [...given.places, ...given.commands])],
    ["Conversations", rank(query, given.conversations).slice(0, MOST)],
    ["Sources", [...titled, ...as(given.found.filter(({ id }) => !known.has(id)))].slice(0, MOST)],
    ["Documents", as(given.documents).slice(0, MOST)],
    ["People & things", as(given.entities).slice(0, MOST)],
    ["With these words", as(given.withWords)],
  ]);
}

function named(groups: readonly [string, Ranked<Choice>[]][]): Group[] {
  return groups.filter(([, choices]) => choices.length > 0).map(([name, choices]) => ({ name, choices }));
}
