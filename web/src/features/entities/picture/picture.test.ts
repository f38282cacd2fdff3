import { describe, expect, it } from "vitest";
import type { Entity, KnownEvent, Neighborhood } from "@/api/types";
import { layOut, type Placed } from "@/features/entities/picture/layout";
import { MOST_NODES, picturePages } from "@/features/entities/picture/pages";
import { brought, fitted, panned, zoomed } from "@/features/entities/picture/view";

const entity = (id: string, name = `Name of ${id}`) => ({ entity_id: id, name, type: "person" }) as Entity;
const event = (id: string, event_date: string | null = "2025-09-18") =>
  ({ id, event_date, category: "Decision", evidence: [] }) as unknown as KnownEvent;

type Edge = Neighborhood["edges"][number];

/** Somebody with events, each with those who have a part in it. */
function around(events: Record<string, string[]>, like: string[] = []): Neighborhood {
  const others = [...new Set([...Object.values(events).flat(), ...like])];
  const edges: Edge[] = [
    ...Object.entries(events).flatMap(([id, parts]): Edge[] => [
      { type: "ACTED_IN", from: "me", to: id },
      ...parts.map((part, index): Edge =>
        index % 2 ? { type: "ABOUT", from: id, to: part } : { type: "ACTED_IN", from: part, to: id },
      ),
    ]),
    ...like.map((id, index): Edge => ({
      type: "POSSIBLY_SAME",
      ...(index % 2 ? { from: id, to: "me" } : { from: "me", to: id }),
    })),
  ];
  return {
    center: entity("me", "The one in the middle"),
    entities: others.map((id) => entity(id)),
    events: Object.keys(events).map((id) => event(id)),
    edges,
    total_events: Object.keys(events).length,
  };
}

const overlap = (a: Placed, b: Placed) =>
  Math.abs(a.x - b.x) < (a.width + b.width) / 2 && Math.abs(a.y - b.y) < (a.height + b.height) / 2;

describe("what one picture shows", () => {
  it("is everything, if that can be read", () => {
    const [page, ...more] = picturePages(around({ e: ["a", "b"], f: [] }, ["c"]));
    expect(more).toEqual([]);
    expect(page!.events.map(({ event: { id }, others }) => `${id}:${others.join()}`)).toEqual(["e:a,b", "f:"]);
    expect(page!.entities.map(({ entity_id }) => entity_id)).toEqual(["a", "b", "c"]);
    expect([...page!.likeIt]).toEqual(["c"]);
  });

  it("is never more than can be read, and no event is lost", () => {
    const events = Object.fromEntries(
      Array.from({ length: 120 }, (_, index) => [`e${index}`, [`a${index % 50}`, `b${index % 7}`]]),
    );
    const pages = picturePages(around(events, ["like"]));
    for (const { events: shown, entities } of pages)
      expect(1 + shown.length + entities.length).toBeLessThanOrEqual(MOST_NODES);
    expect(pages.flatMap(({ events: shown }) => shown.map(({ event: { id } }) => id))).toEqual(Object.keys(events));
    expect(pages.map(({ likeIt }) => likeIt.size)).toEqual([1, ...pages.slice(1).map(() => 0)]);
  });

  it("has room for an event in which a hundred have a part, and there is one where nothing is", () => {
    const [page] = picturePages(around({ e: Array.from({ length: 100 }, (_, index) => `a${index}`) }));
    expect(1 + page!.events.length + page!.entities.length).toBeLessThanOrEqual(MOST_NODES);
    expect(picturePages(around({}))).toEqual([{ events: [], entities: [], likeIt: new Set() }]);
  });
});

describe.each(["wide", "tall"] as const)("a %s picture", (shape) => {
  const cases: [string, Neighborhood][] = [
    ["few", around({ e: ["a"], f: [] }, ["b"])],
    ["one with much", around(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`e${index}`, ["a"]])))],
    ["many alone", around(Object.fromEntries(Array.from({ length: 39 }, (_, index) => [`e${index}`, []])))],
    ["opposite", around({ e: ["a", "b"], f: ["a", "b", "c", "d"], g: ["b", "d"] })],
    [
      "full",
      around(
        Object.fromEntries(
          Array.from({ length: 20 }, (_, index) => [`e${index}`, [`a${index % 19}`, `a${(index * 5) % 19}`]]),
        ),
      ),
    ],
  ];

  it.each(cases)("of %s has everything beside everything else", (_, neighborhood) => {
    const page = picturePages(neighborhood)[0]!;
    const { center, nodes, bounds } = layOut(neighborhood.center, page, shape);
    expect(nodes).toHaveLength(page.events.length + page.entities.length);
    const all = [center, ...nodes];
    for (const node of all) {
      expect(Number.isFinite(node.x + node.y)).toBe(true);
      expect(node.x - node.width / 2).toBeGreaterThanOrEqual(bounds.left);
      expect(node.y + node.height / 2).toBeLessThanOrEqual(bounds.bottom);
    }
    const over = all.flatMap((a, index) =>
      all
        .slice(index + 1)
        .filter((b) => overlap(a, b))
        .map((b) => `${a.id} ${b.id}`),
    );
    expect(over).toEqual([]);
    expect([center.x, center.y]).toEqual([0, 0]);
  });

  it("is the same each time, in whatever order others come", () => {
    const neighborhood = around({ e: ["a", "b"], f: ["c"], g: [] });
    const turned = { ...neighborhood, entities: [...neighborhood.entities].reverse() };
    expect(layOut(turned.center, picturePages(turned)[0]!, shape)).toEqual(
      layOut(neighborhood.center, picturePages(neighborhood)[0]!, shape),
    );
  });

  it("stays small, however long a name is", () => {
    const neighborhood = around({ e: ["a"] });
    neighborhood.entities[0] = entity("a", "🚢".repeat(10_000));
    const { nodes } = layOut(neighborhood.center, picturePages(neighborhood)[0]!, shape);
    expect(Math.max(...nodes.map(({ width }) => width))).toBeLessThan(300);
  });
});

describe("looking at it", () => {
  const size = { width: 800, height: 500 };

  it("begins with all of it, or with the middle if that would be too small to read", () => {
    expect(fitted({ left: -100, top: -50, right: 300, bottom: 50 }, size)).toEqual({ x: 300, y: 250, scale: 1 });
    expect(fitted({ left: -5000, top: -50, right: 300, bottom: 50 }, size)).toMatchObject({ x: 400, y: 250 });
  });

  it("comes nearer without losing the place, within limits", () => {
    const view = { x: 400, y: 250, scale: 1 };
    const near = zoomed(view, 2, { x: 100, y: 100 });
    expect((100 - near.x) / near.scale).toBe((100 - view.x) / view.scale);
    expect(zoomed(view, 1000, { x: 0, y: 0 }).scale).toBe(4);
    expect(zoomed(view, 0, { x: 0, y: 0 }).scale).toBe(0.25);
    expect(panned(view, 10, -5)).toEqual({ x: 410, y: 245, scale: 1 });
  });

  it("brings what has the focus into the frame, and moves for nothing else", () => {
    const view = { x: 400, y: 250, scale: 1 };
    expect(brought(view, { x: 0, y: 0, width: 100, height: 28 }, size)).toBe(view);
    const moved = brought(view, { x: 900, y: 0, width: 100, height: 28 }, size);
    expect(moved.x + 900 + 50).toBeLessThanOrEqual(size.width);
    expect(moved.y).toBe(250);
  });
});
