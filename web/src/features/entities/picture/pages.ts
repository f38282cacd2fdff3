import type { Entity, KnownEvent, Neighborhood } from "@/api/types";

/** As many as can be read at once, the one in the middle with them. */
export const MOST_NODES = 40;
const MOST_LIKE_IT = 6;

/** Part of what is around somebody, as much as one picture shows. */
export interface PicturePage {
  events: { event: KnownEvent; others: string[] }[];
  entities: Entity[];
  /** Those of them that may be the one in the middle. */
  likeIt: ReadonlySet<string>;
}

/** What is around somebody by pictures, the newest events first; there is always one, if an empty one. */
export function picturePages({ center, entities, events, edges }: Neighborhood): PicturePage[] {
  const known = new Map(entities.map((entity) => [entity.entity_id, entity]));
  const othersOf = new Map<string, Set<string>>(events.map(({ id }) => [id, new Set()]));
  const likeIt = new Set<string>();
  for (const { type, from, to } of edges) {
    const other = from === center.entity_id ? to : from;
    if (type === "POSSIBLY_SAME") {
      if ((from === center.entity_id || to === center.entity_id) && known.has(other) && likeIt.size < MOST_LIKE_IT)
        likeIt.add(other);
      continue;
    }
    const [event, entity] = othersOf.has(to) ? [to, from] : [from, to];
    if (known.has(entity)) othersOf.get(event)?.add(entity);
  }

  const pages: PicturePage[] = [];
  let shown = new Set(likeIt);
  let page: PicturePage["events"] = [];
  function turn() {
    pages.push({
      events: page,
      entities: entities.filter(({ entity_id }) => shown.has(entity_id)),
      likeIt: pages.length === 0 ? likeIt : new Set(),
    });
    shown = new Set();
    page = [];
  }
  for (const event of events) {
    const others = [...(othersOf.get(event.id) ?? [])].slice(0, MOST_NODES - 2);
    const added = () => 1 + others.filter((id) => !shown.has(id)).length;
    if (1 + page.length + shown.size + added() > MOST_NODES && page.length + shown.size > 0) turn();
    for (const id of others) shown.add(id);
    page.push({ event, others });
  }
  if (page.length > 0 || pages.length === 0) turn();
  return pages;
}
