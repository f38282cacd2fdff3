import createPurifier, { type Config, type DOMPurify } from "dompurify";
import { findQuote, type Place, type Quote } from "@/lib/find-quote";

const DATA_PICTURE = /^\s*data:image\/(png|jpe?g|gif|webp|avif|bmp)[;,]/i;
const NO_WORDS = "style, title";
const MOST_SHOWN_OF_A_LINK = 500;

/** Stricter than DOMPurify's own list: nothing in a saved page is filled in, played or loaded. The words of a form stay. */
const CONFIG = {
  WHOLE_DOCUMENT: true,
  RETURN_DOM: true,
  FORBID_TAGS: [
    ...["form", "input", "button", "select", "option", "optgroup", "textarea", "datalist", "dialog", "marquee"],
    ...["audio", "video", "source", "track", "canvas", "template", "slot", "map", "area"],
    ...["animateColor", "animateMotion", "animateTransform", "mpath", "image", "feImage"],
  ],
  // What is chosen or typed is no text of the page.
  ADD_FORBID_CONTENTS: ["select", "textarea", "datalist"],
  FORBID_ATTR: [
    ...["action", "background", "cite", "poster", "srcset", "usemap", "ping", "xlink:href", "xml:base", "target"],
    ...["autofocus", "popover", "popovertarget", "command", "commandfor", "nonce"],
  ],
} satisfies Config;

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
 * elsewhere. It is meant for a frame with an empty `sandbox`, which is what keeps scripts from running; DOMPurify,
 * which takes them out, is the second lock, and the policy in the page's head the third.
 */
export function safePage(source: string, quote: Quote | null): SafePage {
  purifier ??= newPurifier();
  const page = purifier.sanitize(source, CONFIG).ownerDocument!;
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

let purifier: DOMPurify | undefined;

/** DOMPurify keeps addresses that are harmless to a page that is open; here even those go. */
function newPurifier(): DOMPurify {
  const made = createPurifier(window);
  made.addHook("uponSanitizeElement", (node) => {
    if (node instanceof Element && node.localName === "style") node.textContent = withoutAddresses(node.textContent);
  });
  made.addHook("uponSanitizeAttribute", (_, attribute) => {
    const { attrName, attrValue } = attribute;
    if (attrName === "src") attribute.keepAttr = DATA_PICTURE.test(attrValue);
    // In a drawing any attribute can have the address of a pattern, a mask or a marker.
    else if (attrName === "style" || attrValue.includes("(")) attribute.attrValue = withoutAddresses(attrValue);
  });
  made.addHook("afterSanitizeAttributes", (element) => {
    const href = element.getAttribute("href");
    if (href === null) return;
    element.removeAttribute("href");
    // Where a link led can still be read.
    if (element.localName === "a") element.setAttribute("title", href.slice(0, MOST_SHOWN_OF_A_LINK));
  });
  return made;
}

/** Functions of CSS that load what they name, unless it is in the page: a part of a drawing or a picture as data. */
const LOADS = /(?:url|src|image|image-set)\((?!\s*['"]?\s*(?:#|data:image\/))/gi;
/** A letter or hyphen written as its number, or a letter after a backslash: so a function's name could be hidden. */
const ESCAPED = /\\(?:0{0,4}(2d|[46][1-9a-f]|[57][\da])\s?|([g-z]))/gi;

function withoutAddresses(css: string): string {
  const plain = css.replace(ESCAPED, (_, code?: string, letter?: string) =>
    code ? String.fromCharCode(parseInt(code, 16)) : letter!,
  );
  return plain.replace(/@import[^;]*;?/gi, "").replace(LOADS, "none(");
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
