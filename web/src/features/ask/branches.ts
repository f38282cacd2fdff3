/** What of a message says where it stands in the tree. */
export interface Node {
  id: string;
  parent_message_id?: string | null;
  role: string;
}

/** A message of the branch that is shown, and its place among those that follow the same. */
export interface Turn<M> {
  message: M;
  /** The messages that could stand in its place, itself among them, the oldest first. */
  siblings: M[];
}

/**
 * The branch that leads through a message and on to the newest of what follows it; the newest branch, if none is
 * named or there is none of that name. Messages are given in the order in which they were said.
 */
export function branchOf<M extends Node>(messages: readonly M[], through: string | null): Turn<M>[] {
  const known = new Map(messages.map((message) => [message.id, message]));
  const parentOf = (message: M): string | null => {
    const parent = message.parent_message_id ?? null;
    return parent !== null && known.has(parent) ? parent : null;
  };
  const children = new Map<string | null, M[]>();
  const place = new Map(messages.map((message, index) => [message.id, index]));
  for (const message of messages) {
    const parent = parentOf(message);
    children.set(parent, [...(children.get(parent) ?? []), message]);
  }
  const below = newestBelow(messages, parentOf, place);

  let leaf = (through !== null && known.get(through)) || messages.at(-1);
  const turns: Turn<M>[] = [];
  if (!leaf) return turns;
  // Down to the newest of what follows.
  const seen = new Set<string>();
  for (let next: M | undefined = leaf; next && !seen.has(next.id);) {
    seen.add(next.id);
    leaf = next;
    next = children.get(next.id)?.reduce((best, child) => (below(child) >= below(best) ? child : best));
  }
  // And up to the first.
  const path: M[] = [];
  const met = new Set<string>();
  for (let at: M | undefined = leaf; at && !met.has(at.id);) {
    met.add(at.id);
    path.push(at);
    const parent = parentOf(at);
    at = parent === null ? undefined : known.get(parent);
  }
  for (const message of path.reverse()) {
    const siblings = (children.get(parentOf(message)) ?? []).filter(({ role }) => role === message.role);
    turns.push({ message, siblings });
  }
  return turns;
}

/** The place of the newest message in the branch below each. */
function newestBelow<M extends Node>(
  messages: readonly M[],
  parentOf: (message: M) => string | null,
  place: ReadonlyMap<string, number>,
) {
  const newest = new Map<string, number>();
  const byId = new Map(messages.map((message) => [message.id, message]));
  // What is said follows what was said, so one walk from the newest to the oldest tells all parents.
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index]!;
    const own = Math.max(newest.get(message.id) ?? 0, place.get(message.id) ?? 0);
    newest.set(message.id, own);
    const parent = parentOf(message);
    if (parent !== null && byId.has(parent)) newest.set(parent, Math.max(newest.get(parent) ?? 0, own));
  }
  return ({ id }: M) => newest.get(id) ?? 0;
}
