import type { Entity, EntityType, KnownEvent, Mention } from "@/api/types";
import { readDate } from "@/lib/event-words";

const TYPE_NAMES: Record<EntityType, string> = {
  person: "People",
  org: "Organisations",
  project: "Projects",
  place: "Places",
  object: "Things",
  other: "Others",
};

/** What those of a type are called together. */
export function typeNames(type: EntityType): string {
  return TYPE_NAMES[type];
}

/** The line under a name: what it is there for, and whom it belongs to. */
export function entityLine({ role, organization }: Pick<Entity, "role" | "organization">): string {
  return [role && role.charAt(0).toUpperCase() + role.slice(1), organization].filter(Boolean).join(" · ");
}

/** Events of one month; of those whose month is not told, it is null. */
export interface Month {
  month: string | null;
  events: { event: KnownEvent; when: string | null }[];
}

/** Events of one year; of those that have no date, it is null. */
export interface Year {
  year: string | null;
  months: Month[];
}

/** Events by year and month, in the order they come in: the newest first, and those without a date at the end. */
export function byMonth(events: readonly KnownEvent[]): Year[] {
  const years = new Map<string | null, Map<string | null, Month>>();
  const dated = events.map((event) => ({ event, date: readDate(event.event_date) }));
  for (const { event, date } of [...dated.filter(({ date }) => date), ...dated.filter(({ date }) => !date)]) {
    const months = years.get(date?.year ?? null) ?? new Map<string | null, Month>();
    const month = months.get(date?.month ?? null) ?? { month: date?.month ?? null, events: [] };
    month.events.push({ event, when: date?.day ? `${date.day} ${date.month} ${date.year}` : null });
    months.set(month.month, month);
    years.set(date?.year ?? null, months);
  }
  return [...years].map(([year, months]) => ({ year, months: [...months.values()] }));
}

/** How a source writes a name, and each place where it does. */
export interface NamedIn {
  sourceId: string;
  title: string;
  forms: { form: string; mentions: Mention[] }[];
}

/** Mentions by source and by how they are written, as an index has them. */
export function bySource(mentions: readonly Mention[]): NamedIn[] {
  const sources = new Map<string, { title: string; forms: Map<string, Mention[]> }>();
  for (const mention of mentions) {
    const source = sources.get(mention.source_id) ?? {
      title: mention.source_title,
      forms: new Map<string, Mention[]>(),
    };
    source.forms.set(mention.surface_form, [...(source.forms.get(mention.surface_form) ?? []), mention]);
    sources.set(mention.source_id, source);
  }
  return [...sources].map(([sourceId, { title, forms }]) => ({
    sourceId,
    title,
    forms: [...forms].map(([form, places]) => ({ form, mentions: places.sort((a, b) => a.start_char - b.start_char) })),
  }));
}
