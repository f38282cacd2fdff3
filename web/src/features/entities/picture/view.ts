import type { Layout } from "@/features/entities/picture/layout";

/** How the picture is looked at: where its middle lies in the frame, and how large it is. */
export interface View {
  x: number;
  y: number;
  scale: number;
}

export interface Size {
  width: number;
  height: number;
}

const LEAST = 0.25;
const MOST = 4;
/** Names that are smaller than this cannot be read; then it is looked at in parts. */
const READABLE = 0.72;
const MARGIN = 16;

/** All of it if that can be read, or else its middle. */
export function fitted({ left, top, right, bottom }: Layout["bounds"], { width, height }: Size): View {
  const whole = Math.min((width - 2 * MARGIN) / (right - left), (height - 2 * MARGIN) / (bottom - top), 1);
  if (whole < READABLE) return { x: width / 2, y: height / 2, scale: READABLE };
  return { x: width / 2 - ((left + right) / 2) * whole, y: height / 2 - ((top + bottom) / 2) * whole, scale: whole };
}

export function panned(view: View, dx: number, dy: number): View {
  return { ...view, x: view.x + dx, y: view.y + dy };
}

/** Nearer or farther; what is at this place of the frame stays there. */
export function zoomed(view: View, by: number, at: { x: number; y: number }): View {
  const scale = Math.min(MOST, Math.max(LEAST, view.scale * by));
  const ratio = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio };
}

/** So that a place of the picture is in the frame, with as little movement as possible. */
export function brought(
  view: View,
  place: { x: number; y: number; width: number; height: number },
  { width, height }: Size,
): View {
  const into = (at: number, half: number, size: number) =>
    Math.min(Math.max(at, half + MARGIN), Math.max(size - half - MARGIN, half + MARGIN)) - at;
  const dx = into(view.x + place.x * view.scale, (place.width / 2) * view.scale, width);
  const dy = into(view.y + place.y * view.scale, (place.height / 2) * view.scale, height);
  return dx === 0 && dy === 0 ? view : panned(view, dx, dy);
}
