import type { EvidenceKind } from "@/lib/citation-words";

/** What of a conversation is shown; all of it is in the address. */
export interface AskSearch {
  /** A message that the shown branch leads through. */
  at?: string;
  /** The answer whose evidence is shown. */
  of?: string;
  /** A part of the evidence. */
  part?: EvidenceKind;
  /** Whether the evidence is shown; as the room allows if not said. */
  evidence?: "shown" | "hidden";
}

const PARTS: readonly EvidenceKind[] = ["documents", "web", "data", "generated"];

export function parseAskSearch({ at, of, part, evidence }: Record<string, unknown>): AskSearch {
  const known = PARTS.find((one) => one === part);
  return {
    ...(isId(at) && { at: String(at) }),
    ...(isId(of) && { of: String(of) }),
    ...(known && { part: known }),
    ...((evidence === "shown" || evidence === "hidden") && { evidence }),
  };
}

/** Ids of messages may be anything that others call theirs; one of digits comes parsed out of the address. */
function isId(value: unknown): value is string | number {
  return (typeof value === "string" && value.length > 0 && value.length <= 255) || typeof value === "number";
}
