import { findQuote, type Place, type Quote } from "@/lib/find-quote";

/** What can act, load or lead elsewhere; the words of the others stay. */
const ACTIVE =
  "script, iframe, frame, object, embed, applet, portal, link, meta, base, template, audio, video, source, track, foreignObject, animate, set, use";
const ADDRESSES = new Set([
  "src",
  "srcset",
  "poster",
  "background",
  "data",
  "longdesc",
  "cite",
  "profile",
  "xlink:href",
  "href",
  "action",
  "formaction",
  "ping",
  "srcdoc",
  "manifest",
  "archive",
  "codebase",
  "classid",
]);
const DATA_PICTURE = /^\s*data:image\/(png|jpe?g|gif|webp|avif|bmp)[;,]/i;
const NO_WORDS = "style, title, script, noscript, head";

/** The frame has no origin and no scripts anyway; this is what it may load besides. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'";
const STYLE =
  "html{color-scheme:only light;background:#fff;color:#1d1c1a;font:16px/1.6 Georgia,serif;overflow-wrap:anywhere}" +
  "body{margin:24px}img{max-width:100%;height:auto}mark.ibid-quote{background:#fbe58a;color:#1d1c1a}" +
  // The frame opens at what stands a little above the first mark, so that the mark is a third down the window.
  "mark.ibid-first{position:relative}mark.ibid-first::before{content:'';position:absolute;left:0;top:-24vh;width:1px;height:1px;scroll-initial-target:nearest}";

export interface SafePage {
  html: string;
  /** Whether the quoted words were found and marked; true where none were asked for. */
  marked: boolean;
}

/**
 * A saved page as one that can do nothing: no scripts, no handlers, no forms, no addresses, nothing loaded from
 * elsewhere. It is meant for a frame with an empty `sandbox`, which is what keeps scripts from running; taking them
 * out is the second lock, and the policy in its head the third.
 */
export function safePage(source: string, quote: Quote | null): SafePage {
  const page = new DOMParser().parseFromString(source, "text/html");
  for (const element of page.querySelectorAll(ACTIVE)) element.remove();
  for (const element of page.querySelectorAll("*")) quieten(element);
  for (const style of page.querySelectorAll("style")) style.textContent = withoutAddresses(style.textContent);
  const marked = quote === null || mark(page, quote);
  const head = page.createElement("head");
  const policy = page.createElement("meta");
  policy.setAttribute("http-equiv", "Content-Security-Policy");
  policy.setAttribute("content", POLICY);
  const style = page.createElement("style");
  style.textContent = STYLE;
  const charset = page.createElement("meta");
  charset.setAttribute("charset", "utf-8");
  head.append(charset, policy, style, ...page.querySelectorAll("head style"));
  page.head.replaceWith(head);
  return { html: `<!doctype html>${page.documentElement.outerHTML}`, marked };
}

function quieten(element: Element): void {
  for (const { name, value } of [...element.attributes]) {
    const key = name.toLowerCase();
    if (key.startsWith("on") || key === "autofocus" || key === "target") element.removeAttribute(name);
    else if (key === "style") element.setAttribute(name, withoutAddresses(value));
    else if (ADDRESSES.has(key) && !(key === "src" && DATA_PICTURE.test(value))) {
      element.removeAttribute(name);
      // Where a link led can still be read.
      if (key === "href" && element.localName === "a") element.setAttribute("title", value.slice(0, 500));
    }
  }
}

function withoutAddresses(css: string): string {
  return css.replace(/@import[^;]*;?/gi, "").replace(/url\(\s*(?!['"]?data:image\/)[^)]*\)/gi, "none");
}

/** Marks the quoted words in the page's own text. */
function mark(page: Document, quote: Quote): boolean {
  const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    if (!text.parentElement?.closest(NO_WORDS)) texts.push(text);
  }
  const places = findQuote(
    texts.map(({ data }) => data),
    quote,
  );
  if (!places) return false;
  const inWords = places.filter(({ piece, start, end }) => texts[piece]!.data.slice(start, end).trim());
  // From the end, so that what is wrapped does not move what is still to be.
  for (const [index, place] of [...inWords.entries()].reverse()) wrap(page, texts[place.piece]!, place, index === 0);
  return true;
}

function wrap(page: Document, text: Text, { start, end }: Place, first: boolean): void {
  const range = page.createRange();
  range.setStart(text, start);
  range.setEnd(text, end);
  const marked = page.createElement("mark");
  marked.className = first ? "ibid-quote ibid-first" : "ibid-quote";
  range.surroundContents(marked);
}
