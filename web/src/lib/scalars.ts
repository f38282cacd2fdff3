/** Beyond the first plane of Unicode, where one character takes two units of a JavaScript string. */
const ASTRAL = /[\u{10000}-\u{10ffff}]/u;

/**
 * Turns places that count Unicode scalar values, as the server's do, into places in the string, which count UTF-16
 * units. A place past the end becomes the end.
 */
export function unitPlaces(text: string, places: readonly number[]): number[] {
  const within = (place: number) => Math.max(0, Math.min(place, text.length));
  if (!ASTRAL.test(text)) return places.map(within);
  const order = places.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place);
  const found = new Array<number>(places.length).fill(text.length);
  let scalar = 0;
  let unit = 0;
  for (const { place, index } of order) {
    while (scalar < place && unit < text.length) {
      unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
      scalar += 1;
    }
    found[index] = unit;
  }
  return found;
}

/** The other way: how many Unicode scalar values stand before a place in the string. */
export function scalarPlace(text: string, unit: number): number {
  const before = text.slice(0, Math.max(0, unit));
  if (!ASTRAL.test(before)) return before.length;
  let count = 0;
  for (let index = 0; index < before.length; count += 1) index += (before.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  return count;
}
