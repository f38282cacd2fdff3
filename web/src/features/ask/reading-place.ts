/** Where someone was reading: a message, one of its parts, and how far below the top of the window that stood. */
export interface ReadingPlace {
  message: string;
  part: number;
  offset: number;
}

/** The first part that reaches into the window. Parts far from it have guessed heights, so a distance from the top would not do. */
export function placeNow(thread: Element): ReadingPlace | null {
  for (const message of thread.querySelectorAll<HTMLElement>("[data-message]")) {
    if (message.getBoundingClientRect().bottom <= 0) continue;
    const parts = partsOf(message);
    const part = parts.findIndex((one) => one.getBoundingClientRect().bottom > 0);
    const { top } = (parts[part] ?? message).getBoundingClientRect();
    return { message: message.dataset.message ?? "", part, offset: Math.round(top) };
  }
  return null;
}

/** Brings a place back to where it was; false if not all of it is drawn yet. */
export function goTo(thread: Element, { message, part, offset }: ReadingPlace): boolean {
  const found = messageIn(thread, message);
  if (!found) return false;
  const parts = partsOf(found);
  const element = part < 0 ? found : parts[part];
  scrollBy({ top: (element ?? found).getBoundingClientRect().top - offset, behavior: "instant" });
  return element !== undefined;
}

/** Brings the turn that a message is in to the top, or the newest; the first one stays below the head of the page. */
export function goToTurn(thread: Element, message: string | null): boolean {
  const turns = Array.from(thread.querySelectorAll("[data-turn]"));
  const named = message === null ? null : messageIn(thread, message)?.closest("[data-turn]");
  const turn = named ?? turns.at(-1);
  if (turn && turn !== turns[0]) turn.scrollIntoView({ block: "start", behavior: "instant" });
  return turn !== undefined;
}

function messageIn(thread: Element, id: string): Element | undefined {
  return Array.from(thread.querySelectorAll<HTMLElement>("[data-message]")).find(
    ({ dataset }) => dataset.message === id,
  );
}

function partsOf(message: Element): Element[] {
  return Array.from(message.querySelector("article")?.children ?? []);
}

const KEY = "ibid.reading";
const MOST_PLACES = 50;

/** The places of the visits of this tab, the newest last; they last as long as the tab. */
function readPlaces(): [visit: string, place: ReadingPlace][] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as unknown;
    return Array.isArray(kept) ? (kept as [string, ReadingPlace][]) : [];
  } catch {
    return [];
  }
}

export function keptPlace(visit: string): ReadingPlace | null {
  return readPlaces().find(([known]) => known === visit)?.[1] ?? null;
}

export function keepPlace(visit: string, place: ReadingPlace): void {
  const others = readPlaces().filter(([known]) => known !== visit);
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...others, [visit, place]].slice(-MOST_PLACES)));
  } catch {
    // Without storage, a thread opens at its newest turn.
  }
}
