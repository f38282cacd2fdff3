import { footnoteText, type Footnote } from "@/lib/footnotes";

/** An answer as it is shown, for programs that take rich text: plain elements, badges as raised numbers, notes below. */
export function copyHtml(article: HTMLElement | null, notes: readonly Footnote[]): string {
  const holder = document.createElement("div");
  if (article) holder.append(...Array.from(article.cloneNode(true).childNodes));
  for (const badge of holder.querySelectorAll("[data-badge]")) badge.replaceWith(badge.textContent ?? "");
  for (const mark of holder.querySelectorAll("[data-uncited], [data-spoken]")) mark.remove();
  // Without its look, what is said of a claim would read like a part of it.
  for (const note of holder.querySelectorAll("[data-claim-note]")) note.replaceWith(`(${note.textContent})`);
  for (const link of holder.querySelectorAll("a")) link.setAttribute("href", link.href);
  for (const icon of holder.querySelectorAll("svg")) icon.remove();
  for (const element of holder.querySelectorAll("*")) {
    for (const { name } of Array.from(element.attributes)) {
      if (!(name === "href" && element.tagName === "A") && name !== "start") element.removeAttribute(name);
    }
  }
  if (notes.length > 0) {
    holder.append(document.createElement("hr"));
    for (const note of notes) {
      const line = document.createElement("p");
      const number = document.createElement("sup");
      number.textContent = String(note.number);
      line.append(number, ` ${footnoteText(note)}`);
      if (note.url) {
        const link = document.createElement("a");
        link.href = note.url;
        link.textContent = note.url;
        line.append(" ", link);
      }
      holder.append(line);
    }
  }
  return holder.innerHTML;
}
