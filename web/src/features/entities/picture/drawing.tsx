import { useRouter } from "@tanstack/react-router";
import {
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
} from "react";
import type { Entity } from "@/api/types";
import { Button } from "@/components/button";
import { categoryShape } from "@/components/knowledge/category";
import { layOut, type Placed } from "@/features/entities/picture/layout";
import type { PicturePage } from "@/features/entities/picture/pages";
import { brought, fitted, panned, zoomed, type Size, type View } from "@/features/entities/picture/view";
import { categoryWord, shortened, typeWord } from "@/lib/event-words";
import styles from "@/features/entities/picture/picture.module.css";

const STEP = 48;
const NEARER = 1.25;
/** A hand that shakes has not dragged. */
const STILL = 4;
const NARROW = 560;
const PANS: Record<string, [dx: number, dy: number]> = {
  ArrowLeft: [STEP, 0],
  ArrowRight: [-STEP, 0],
  ArrowUp: [0, STEP],
  ArrowDown: [0, -STEP],
};

/** Names around a name, and what happened as dots on the lines between them. Each is a link. */
export function Drawing({ center, page }: { center: Entity; page: PicturePage }) {
  const frame = useRef<SVGSVGElement>(null);
  const hint = useId();
  const [size, setSize] = useState<Size | null>(null);
  useEffect(() => {
    const svg = frame.current;
    if (!svg) return;
    const observer = new ResizeObserver(() => setSize({ width: svg.clientWidth, height: svg.clientHeight }));
    observer.observe(svg);
    return () => observer.disconnect();
  }, []);

  const shape = size && size.width < NARROW ? "tall" : "wide";
  const layout = useMemo(() => layOut(center, page, shape), [center, page, shape]);
  const places = useMemo(() => new Map([layout.center, ...layout.nodes].map((node) => [node.id, node])), [layout]);
  const usual = useMemo(() => (size ? fitted(layout.bounds, size) : null), [layout, size]);
  // Where it was moved to, for as long as it is the same picture.
  const [moved, setMoved] = useState<{ from: View; view: View } | null>(null);
  const view = moved && moved.from === usual ? moved.view : usual;
  const change = (next: (view: View) => View) =>
    usual && setMoved((before) => ({ from: usual, view: next(before && before.from === usual ? before.view : usual) }));
  const changed = useRef(change);
  useEffect(() => {
    changed.current = change;
  });

  useEffect(() => {
    const svg = frame.current;
    if (!svg) return;
    // The wheel is the page's, until the picture was clicked or Ctrl is held, as on a map.
    function onWheel(event: WheelEvent) {
      if (!svg || !(event.ctrlKey || event.metaKey || svg.contains(document.activeElement))) return;
      event.preventDefault();
      const { left, top } = svg.getBoundingClientRect();
      changed.current((now) =>
        zoomed(now, 1.0015 ** -event.deltaY, { x: event.clientX - left, y: event.clientY - top }),
      );
    }
    svg.addEventListener("wheel", onWheel, { passive: false });
    return () => svg.removeEventListener("wheel", onWheel);
  }, []);

  const middle = size ? { x: size.width / 2, y: size.height / 2 } : { x: 0, y: 0 };
  const zoom = (by: number) => change((now) => zoomed(now, by, middle));

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pan = PANS[event.key];
    if (pan) change((now) => panned(now, ...pan));
    else if (event.key === "+" || event.key === "=") zoom(NEARER);
    else if (event.key === "-") zoom(1 / NEARER);
    else if (event.key === "0") setMoved(null);
    else return;
    event.preventDefault();
  }

  const drag = useRef<{ id: number; x: number; y: number; far: boolean } | null>(null);
  function onPointerDown(event: PointerEvent) {
    if (event.button !== 0) return;
    drag.current = { id: event.pointerId, x: event.clientX, y: event.clientY, far: false };
  }
  function onPointerMove(event: PointerEvent) {
    const held = drag.current;
    if (held?.id !== event.pointerId) return;
    const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
    if (!held.far && Math.hypot(dx, dy) < STILL) return;
    if (!held.far) frame.current?.setPointerCapture(event.pointerId);
    drag.current = { ...held, x: event.clientX, y: event.clientY, far: true };
    change((now) => panned(now, dx, dy));
  }
  /** What was dragged was not clicked. */
  function onClickCapture(event: MouseEvent) {
    if (drag.current?.far) {
      event.preventDefault();
      event.stopPropagation();
    }
    drag.current = null;
  }
  function onPointerUp() {
    // After the click that may follow.
    setTimeout(() => (drag.current = null), 0);
  }

  return (
    <div className={styles.frame}>
      {/* It takes keys to be moved by; what is inside are links. */}
      {}
      <svg
        ref={frame}
        className={styles.drawing}
        role="group"
        aria-label={`Around ${shortened(center.name, 60)}`}
        aria-describedby={hint}

        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => (drag.current = null)}
        onClickCapture={onClickCapture}
        onDragStart={(event) => event.preventDefault()}
      >
        {view && (
          <g data-view="" transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}>
            {layout.lines.map(({ from, to, broken }) => {
              const [a, b] = [places.get(from), places.get(to)];
              return (
                a &&
                b && (
                  <line
                    key={`${from}${to}`}
                    x1={a.x}
                    y1={a.y}
                    x2={b.x}
                    y2={b.y}
                    className={broken ? styles.broken : styles.line}
                  />
                )
              );
            })}
            {[layout.center, ...layout.nodes].map((node) => (
              <Node
                key={node.id}
                node={node}
                isCenter={node === layout.center}
                onFocus={() => size && change((now) => brought(now, node, size))}
              />
            ))}
          </g>
        )}
      </svg>
      <div className={styles.zoom}>
        <Button look="icon" aria-label="Nearer" onPress={() => zoom(NEARER)}>
          +
        </Button>
        <Button look="icon" aria-label="Farther" onPress={() => zoom(1 / NEARER)}>
          −
        </Button>
        <Button look="quiet" onPress={() => setMoved(null)}>
          Fit
        </Button>
      </div>
      <p id={hint} className={styles.hint}>
        Drag to move; with the picture in focus, <kbd>+</kbd> <kbd>−</kbd> or the wheel bring it nearer, arrows move it,{" "}
        <kbd>0</kbd> fits it.
      </p>
    </div>
  );
}

function Node({ node, isCenter, onFocus }: { node: Placed; isCenter: boolean; onFocus: () => void }) {
  const router = useRouter();
  const { x, y, width, height } = node;
  const href = node.kind === "entity" ? `/entities/${encodeURIComponent(node.id)}` : node.event.evidence[0]?.url;
  const inside = href?.startsWith("/") && !href.startsWith("//") ? href : undefined;
  function onClick(event: MouseEvent) {
    if (!inside || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    router.history.push(inside);
  }
  const label =
    node.kind === "entity"
      ? // What is cut is said as it is seen, and then as far as it can be listened to.
        [
          node.label,
          node.label !== node.entity.name && shortened(node.entity.name, 80),
          typeWord(node.entity.type).toLowerCase(),
        ]
          .filter(Boolean)
          .join(", ")
      : [categoryWord(node.event.category), node.label, shortened(node.event.narrative, 160)]
          .filter(Boolean)
          .join(", ");
  const drawn = (
    <>
      <title>
        {node.kind === "entity"
          ? shortened(node.entity.name, 200)
          : `${categoryWord(node.event.category)}: ${shortened(node.event.narrative, 300)}`}
      </title>
      <rect x={-width / 2} y={-height / 2} width={width} height={height} rx="6" className={styles.ground} />
      {node.kind === "event" && (
        <g
          transform={`translate(-6 ${-height / 2 + 2})`}
          className={styles.dot}
          data-risk={node.event.category === "QualityRisk" || undefined}
        >
          {categoryShape(node.event.category)}
        </g>
      )}
      {node.label && (
        <text
          y={node.kind === "event" ? height / 2 - 4 : 5}
          className={node.kind === "event" ? styles.day : styles.name}
        >
          {node.label}
        </text>
      )}
    </>
  );
  const at = `translate(${x} ${y})`;
  if (isCenter) {
    return (
      <g transform={at} className={styles.center}>
        {drawn}
      </g>
    );
  }
  return inside ? (
    <g transform={at}>
      <a
        href={inside}
        aria-label={label}
        className={node.kind === "event" ? styles.event : styles.entity}
        onClick={onClick}
        onFocus={onFocus}
      >
        {drawn}
      </a>
    </g>
  ) : (
    <g transform={at}>{drawn}</g>
  );
}
