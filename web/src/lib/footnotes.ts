import type { Citation } from "@/api/types";
import { splitBadges, splitClaims, type ClaimEdge, type Placed } from "@/lib/citation-places";
import { citedSources, pageWords } from "@/lib/citation-words";
import { claimNote, isStruck, type FlaggedClaim } from "@/lib/flagged-claims";

/** What stands under an answer for one of its sources. */
export interface Footnote {
  number: number;
  title: string;
  quotes: { page: string | null; words: string }[];
  url: string | null;
}

export function footnotesOf(citations: readonly Citation[], origin: string): Footnote[] {
  return citedSources(citations).map(({ number, citations: [first, ...more] }) => ({
    number,
    title: oneLine(first!.title),
    quotes: [first!, ...more].flatMap((citation) => {
      const words = oneLine(citation.quote ?? "");
      return words ? [{ page: pageWords(citation), words }] : [];
    }),
    // What is on the web is known by its address there; what is in the library, by its address here.
    url:
      first!.url && /^https?:\/\//i.test(first!.url)
        ? first!.url
        : first!.source_id
          ? `${origin}/sources/${first!.source_id}`
          : null,
  }));
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** "Harbour survey. “The depth …” (page 3)" */
export function footnoteText({ title, quotes }: Footnote): string {
  const said = quotes.map(({ page, words }) => `“${words}”${page ? ` (${page})` : ""}`);
  return [`${title}.`, ...said].join(" ");
}

/** An answer in Markdown, each badge a footnote. What its sources do not bear out is struck out or said not to be. */
export function withFootnotes({ text, badges, claims }: Placed, notes: readonly Footnote[]): string {
  const known = new Set(notes.map(({ number }) => number));
  const marked = splitClaims(text)
    .map((piece) => (typeof piece === "string" ? piece : edgeText(piece, claims[piece.claim])))
    .join("");
  const body = splitBadges(marked)
    .map((piece) => {
      if (typeof piece === "string") return piece;
      const badge = badges[piece];
      if (!badge) return "";
      const marks = badge.items.filter(({ number }) => known.has(number)).map(({ number }) => `[^${number}]`);
      return [...new Set(marks)].join("") || badge.raw;
    })
    .join("");
  const defined = notes.map(
    (note) => `[^${note.number}]: ${escapeMarkdown(footnoteText(note))}${note.url ? ` <${note.url}>` : ""}`,
  );
  return [body.trimEnd(), ...(defined.length > 0 ? ["", ...defined] : [])].join("\n");
}

function edgeText({ correction, isEnd }: ClaimEdge, claim: FlaggedClaim | undefined): string {
  if (!claim) return "";
  if (correction !== null) return isEnd ? `~~ → ${escapeMarkdown(claim.corrections[correction]?.source ?? "")}` : "~~";
  const strike = isStruck(claim) ? "~~" : "";
  const note = claimNote(claim);
  return isEnd ? `${strike}${note ? ` (${escapeMarkdown(note)})` : ""}` : strike;
}

/** Words of others are words, not markup. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>]/g, "\\$&");
}
