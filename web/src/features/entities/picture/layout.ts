import type { Entity, KnownEvent } from "@/api/types";
import type { PicturePage } from "@/features/entities/picture/pages";
import { shortDate, shortened } from "@/lib/event-words";

export interface PlacedEntity {
  kind: "entity";
  id: string;
  label: string;
  entity: Entity;
}

export interface PlacedEvent {
  kind: "event";
  id: string;
  /** Its day, if it is known. */
  label: string;
  event: KnownEvent;
}

/** Something at its place; x and y are its middle, and the one everything is about is at 0, 0. */
export type Placed = (PlacedEntity | PlacedEvent) & { x: number; y: number; width: number; height: number };

export interface Line {
  from: string;
  to: string;
  /** Two that may be the same are connected by a broken line. */
  broken: boolean;
}

export interface Layout {
  center: Placed;
  nodes: Placed[];
  lines: Line[];
  bounds: { left: number; top: number; right: number; bottom: number };
}

/** Whether there is more room beside or below. */
export type Shape = "wide" | "tall";

const GAP = 8;
const ROUNDS = 120;
const OUTWARD = 8;
const FARTHEST = 500;
const NAME_CHARS = { wide: 32, tall: 20 };
/** About what a letter takes in the size that names and days are written in. */
const LETTER = { center: 8.6, entity: 7.4, event: 6.2 };

/**
 * Others on a ring around the middle, events on the lines to those who have a part in them, and then everything moved
 * apart that would lie on something else. The same picture each time.
 */
export function layOut(center: Entity, { events, entities, likeIt }: PicturePage, shape: Shape): Layout {
  const middle = { ...entityNode(center, shape, LETTER.center), x: 0, y: 0 };
  const crowd = Math.max(entities.length, events.length * 0.7);
  const ring =
    shape === "wide" ? { x: 250 + crowd * 9, y: 130 + crowd * 7 } : { x: 96 + crowd * 3, y: 150 + crowd * 13 };
  const start = shape === "wide" ? 0 : -Math.PI / 2;

  // Those that appear in the same event stand beside each other.
  const first = new Map<string, number>();
  for (const [index, { others }] of events.entries()) for (const id of others) if (!first.has(id)) first.set(id, index);
  const order = (entity: Entity) => first.get(entity.entity_id) ?? events.length;
  const around = [...entities].sort(
    (a, b) => order(a) - order(b) || compare(a.name, b.name) || compare(a.entity_id, b.entity_id),
  );
  const alone = events.filter(({ others }) => others.length === 0);
  const angles = slots(around.length, alone.length).map((slot) => slot.map((part) => start + 2 * Math.PI * part));
  const nodes: Placed[] = around.map((entity, index) => {
    const angle = angles[0]![index]!;
    return { ...entityNode(entity, shape), x: Math.cos(angle) * ring.x, y: Math.sin(angle) * ring.y };
  });
  const placeOf = new Map(nodes.map((node) => [node.id, node]));

  const together = new Map<string, number>();
  const count = new Map<string, number>();
  for (const { others } of events) count.set(others.join(), (count.get(others.join()) ?? 0) + 1);
  const lines: Line[] = [...likeIt].map((id) => ({ from: middle.id, to: id, broken: true }));
  for (const { event, others } of events) {
    const node = eventNode(event);
    lines.push(
      { from: middle.id, to: node.id, broken: false },
      ...others.map((id) => ({ from: node.id, to: id, broken: false })),
    );
    if (others.length === 0) {
      // Between the lines, nearer to the middle.
      const angle = angles[1]![alone.findIndex((one) => one.event === event)]!;
      nodes.push({ ...node, x: Math.cos(angle) * ring.x * 0.55, y: Math.sin(angle) * ring.y * 0.55 });
      continue;
    }
    const places = others.flatMap((id) => placeOf.get(id) ?? []);
    const mean = { x: average(places.map(({ x }) => x)), y: average(places.map(({ y }) => y)) };
    // Of two that are opposite, the mean is the middle itself.
    const toward = Math.hypot(mean.x / ring.x, mean.y / ring.y) > 0.2 ? mean : (places[0] ?? mean);
    const key = others.join();
    const at = together.get(key) ?? 0;
    together.set(key, at + 1);
    // What many have a part in stands between them, but not on the one in the middle.
    const near = 0.34 / (Math.hypot(toward.x / ring.x, toward.y / ring.y) || 1);
    const part = Math.max(near, 0.38 + (0.36 * (at + 0.5)) / (count.get(key) ?? 1));
    const aside = (count.get(key) ?? 1) > 2 ? (at % 2 === 0 ? 14 : -14) : 0;
    const length = Math.hypot(toward.x, toward.y) || 1;
    nodes.push({
      ...node,
      x: toward.x * part - (toward.y / length) * aside,
      y: toward.y * part + (toward.x / length) * aside,
    });
  }
  moveApart(middle, nodes);
  return { center: middle, nodes, lines, bounds: boundsOf([middle, ...nodes]) };
}

/**
 * Where around the circle others stand, and where what happened with nobody else, in parts of the whole: the latter fill
 * the gaps between the former evenly, and take less room.
 */
function slots(others: number, alone: number): [others: number[], alone: number[]] {
  const [wide, narrow] = [1, 0.6];
  const whole = others * wide + alone * narrow;
  const [outer, inner]: [number[], number[]] = [[], []];
  let at = 0;
  for (let other = 0; other < Math.max(1, others); other += 1) {
    if (others > 0) {
      outer.push(at / whole);
      at += wide;
    }
    const until = others > 0 ? Math.floor(((other + 1) * alone) / others) : alone;
    for (; inner.length < until; at += narrow) inner.push((at - (others > 0 ? (wide - narrow) / 2 : 0)) / whole);
  }
  return [outer, inner];
}

function entityNode(entity: Entity, shape: Shape, letter = LETTER.entity) {
  const label = shortened(entity.name, NAME_CHARS[shape]);
  return {
    kind: "entity" as const,
    id: entity.entity_id,
    label,
    entity,
    width: Array.from(label).length * letter + 20,
    height: 28,
  };
}

function eventNode(event: KnownEvent) {
  const label = shortDate(event.event_date, event.dated_by) ?? "";
  return {
    kind: "event" as const,
    id: event.id,
    label,
    event,
    width: Math.max(16, label.length * LETTER.event),
    height: label ? 32 : 16,
  };
}

/** Pushes what overlaps apart by the shorter way, until nothing does or it has been tried often enough. */
function moveApart(middle: Placed, nodes: Placed[]): void {
  for (let round = 0; round < ROUNDS; round += 1) {
    let moved = false;
    for (const [index, a] of nodes.entries()) {
      for (const b of [middle, ...nodes.slice(index + 1)]) {
        const [dx, dy] = [a.x - b.x, a.y - b.y];
        const overX = (a.width + b.width) / 2 + GAP - Math.abs(dx);
        const overY = (a.height + b.height) / 2 + GAP - Math.abs(dy);
        if (overX <= 0.01 || overY <= 0.01) continue;
        moved = true;
        const share = b === middle ? 1 : 0.5;
        if (overX < overY) {
          const by = overX * share * (dx < 0 ? -1 : 1);
          a.x += by;
          if (b !== middle) b.x -= by;
        } else {
          const by = overY * share * (dy < 0 ? -1 : 1);
          a.y += by;
          if (b !== middle) b.y -= by;
        }
      }
    }
    if (!moved) return;
  }
  moveOut(middle, nodes);
}

/** Where pushing comes to no end, because there is too much in one place, what lies on something else goes outward until it is free. */
function moveOut(middle: Placed, nodes: readonly Placed[]): void {
  const placed = [middle];
  for (const node of [...nodes].sort((a, b) => Math.hypot(a.x, a.y) - Math.hypot(b.x, b.y))) {
    const length = Math.hypot(node.x, node.y);
    const way = length > 0 ? { x: node.x / length, y: node.y / length } : { x: 0, y: 1 };
    const lies = () =>
      placed.some(
        (other) =>
          Math.abs(node.x - other.x) < (node.width + other.width) / 2 &&
          Math.abs(node.y - other.y) < (node.height + other.height) / 2,
      );
    for (let step = 0; step < FARTHEST && lies(); step += 1) {
      node.x += way.x * OUTWARD;
      node.y += way.y * OUTWARD;
    }
    placed.push(node);
  }
}

function boundsOf(nodes: readonly Placed[]): Layout["bounds"] {
  return {
    left: Math.min(...nodes.map(({ x, width }) => x - width / 2)),
    top: Math.min(...nodes.map(({ y, height }) => y - height / 2)),
    right: Math.max(...nodes.map(({ x, width }) => x + width / 2)),
    bottom: Math.max(...nodes.map(({ y, height }) => y + height / 2)),
  };
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** Not by the language of the browser: the picture is the same everywhere. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
