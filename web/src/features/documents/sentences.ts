/** The sentence that a place of a text stands in, or that ends right before it. */
export function sentenceAround(text: string, at: number): string {
  const before = text.slice(0, at);
  // The end of the sentence that a footnote stands behind is not its beginning.
  const body = before.replace(/[.!?…]["”’)]*\s*$/, (end) => "\u0001".repeat(end.length));
  const start = Math.max(body.lastIndexOf("\n") + 1, ...[".", "!", "?", "…"].map((sign) => lastEnd(body, sign)));
  const rest = text.slice(at);
  const stop = body === before ? (/[.!?…](?=\s|$)|\n|$/.exec(rest)?.index ?? 0) + 1 : 0;
  return text.slice(start, at + stop).trim();
}

function lastEnd(text: string, sign: string): number {
  for (let at = text.lastIndexOf(sign); at >= 0; at = text.lastIndexOf(sign, at - 1)) {
    // A point within a number or a name ends nothing.
    if (/^[.!?…]["”’)]*(\[\^\d+\]|#footnote\[\d+\])*\s/.test(text.slice(at, at + 40))) return at + 1;
    if (at === 0) break;
  }
  return 0;
}
