import type { KnownEvent } from "@/api/types";
import { humanise } from "@/lib/format";

type DatedBy = KnownEvent["dated_by"];

/** A word that the server should have kept short. */
const WORD_CHARS = 40;

/** "QualityRisk" -> "Quality risk". */
export function categoryWord(category: string): string {
  return humanise(
    shortened(category, WORD_CHARS)
      .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
      .toLowerCase(),
  );
}

export const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** A date as exactly as a source tells it: of a month without a day, `day` is null. */
export interface TellDate {
  year: string;
  month: string | null;
  day: number | null;
}

/** Reads "2025-09-18", "2025-09" and "2025"; anything else, such as a month 13, is no date. */
export function readDate(date: string | null | undefined): TellDate | null {
  const [, year, month, day] = /^(-?\d{4,6})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(date ?? "") ?? [];
  if (!year) return null;
  const name = month ? MONTHS[Number(month) - 1] : null;
  if (name === undefined) return null;
  return { year, month: name, day: day ? Number(day) : null };
}

/** "18 September 2025", "September 2025", "2025"; null if it is not known. */
export function dateWords(date: string | null | undefined): string | null {
  const read = readDate(date);
  return read
    ? [read.day, read.month, read.year].filter((part) => part !== null).join(" ")
    : date
      ? shortened(date, WORD_CHARS)
      : null;
}

/** When an event was, and whose date that is: a document's date is never shown as if its text said it. */
export function whenWords(when: string | null, datedBy: DatedBy): string | null {
  if (datedBy !== "document") return when;
  return when ? `${when} (date of the document)` : "Date of the document";
}

/** The same where there is little room: "18 Sep 2025", "as of 18 Sep 2025" if it is the document's date. */
export function shortDate(date: string | null | undefined, datedBy: DatedBy = null): string | null {
  const read = readDate(date);
  if (!read) return null;
  const words = [read.day, read.month?.slice(0, 3), read.year].filter((part) => part != null).join(" ");
  return datedBy === "document" ? `as of ${words}` : words;
}

/** Through whom an event is connected, if it says. */
export function reasonName(reason: string): string | null {
  return /^same_(?:actor|subject):([\s\S]+)$/.exec(reason)?.[1] ?? null;
}

/** Why an event is shown beside what was found. */
export function reasonWords(reason: string): string {
  const [, kind, what = ""] = /^([^:]*):([\s\S]*)$/.exec(reason) ?? [];
  const name = shortened(what.trim(), 80);
  if (kind === "same_actor" && name) return `because ${name} also took part`;
  if (kind === "same_subject" && name) return `because it is also about ${name}`;
  if (kind === "1_hop_via")
    return name
      ? `because it is one step away, by a ${categoryWord(name).toLowerCase()}`
      : "because it is one step away";
  return "because it is connected";
}

const TYPES: Record<string, string> = {
  person: "Person",
  org: "Organisation",
  project: "Project",
  place: "Place",
  object: "Thing",
  other: "Other",
};

export function typeWord(type: string): string {
  return TYPES[type] ?? humanise(shortened(type, WORD_CHARS));
}

/** How likely two are the same, in a word and a figure. */
export function likelihood(confidence: number): string {
  const percent = Math.round(Math.min(1, Math.max(0, confidence)) * 100);
  const word = percent >= 85 ? "Very likely" : percent >= 60 ? "Likely" : percent >= 40 ? "Possible" : "Unlikely";
  return `${word}, ${percent} %`;
}

/** A text that is cut where it is too long for its place, never inside a character. */
export function shortened(text: string, most: number): string {
  // What is far too long is not taken apart as a whole.
  const characters = Array.from(text.slice(0, most * 2 + 2));
  return characters.length > most
    ? `${characters
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`
    : text;
}

/** Whether a narrative only repeats the quote, so that one of them is enough. */
export function saysTheSame(narrative: string, quote: string): boolean {
  const plain = (text: string) => text.replace(/\s+/g, " ").trim();
  return narrative === quote || plain(narrative) === plain(quote);
}
