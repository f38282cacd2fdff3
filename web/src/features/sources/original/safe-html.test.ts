// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { safePage } from "@/features/sources/original/safe-html";

/** The page as a browser reads it again from what is put into the frame. */
function shown(source: string): Document {
  return new DOMParser().parseFromString(safePage(source, null).html, "text/html");
}
const body = (source: string) => shown(source).body.innerHTML;

const ALLOWED_ADDRESS = /^(?:#|data:image\/)/;

/** What is left in a page that could run, load, send or lead away; its own policy and style aside. */
function leftIn(page: Document): string[] {
  const found: string[] = [];
  for (const element of page.querySelectorAll("*")) {
    const name = element.localName.toLowerCase();
    if (
      /^(script|iframe|frame|object|embed|link|base|template|noscript|form|input|button|use|animate|set|foreignobject)$/.test(
        name,
      )
    )
      found.push(`<${name}>`);
    if (name === "meta" && !/^(?:utf-8)$/.test(element.getAttribute("charset") ?? "")) {
      if (element.getAttribute("http-equiv") !== "Content-Security-Policy") found.push("<meta>");
    }
    for (const { name: key, value } of element.attributes) {
      if (/^on|^(srcset|href|xlink:href|action|formaction|poster|ping|background|srcdoc|autofocus|target)$/i.test(key))
        found.push(`${name} ${key}`);
      if (/^src$/i.test(key) && !ALLOWED_ADDRESS.test(value)) found.push(`${name} ${key}=${value}`);
      if (/script:/i.test(value.replace(/[\s\0]/g, ""))) found.push(`${name} ${key}=${value}`);
      for (const [, address] of value.matchAll(/url\(\s*['"]?([^)]*)/gi))
        if (!ALLOWED_ADDRESS.test(address!)) found.push(`${name} ${key}=${value}`);
    }
    if (name === "style" && /\\0*(?:[46][1-9a-f]|[57][\da])/i.test(element.textContent))
      found.push(element.textContent);
    if (name === "style" && /@import|(?:url|image-set)\((?!['"]?(?:#|data:image\/))/i.test(element.textContent))
      found.push(element.textContent);
  }
  return found;
}

describe("a saved page", () => {
  it("keeps its words, its look, its pictures as data and its tables", () => {
    const page = shown(
      `<html lang="de"><head><style>p { color: red }</style></head><body class="a"><h1>Title</h1>
       <p style="margin: 1px">Some <b>bold</b> <a href="https://example.org/x">link</a>.</p>
       <table><thead><tr><th colspan="2">Head</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>
       <img alt="dot" width="3" src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><math><mi>x</mi></math>
       <svg viewBox="0 0 9 9"><defs><mask id="m"></mask></defs><path d="M0 0" mask="url(#m)"></path></svg></body></html>`,
    );
    expect(leftIn(page)).toEqual([]);
    expect(page.documentElement.lang).toBe("de");
    expect(page.body.className).toBe("a");
    expect(page.head.textContent).toContain("p { color: red }");
    expect(page.querySelector("p")!.outerHTML).toBe(
      '<p style="margin: 1px">Some <b>bold</b> <a title="https://example.org/x">link</a>.</p>',
    );
    expect(page.querySelector("th")!.outerHTML).toBe('<th colspan="2">Head</th>');
    expect(page.querySelector("img")!.getAttribute("src")).toMatch(/^data:image\/gif/);
    expect(page.querySelector("path")!.getAttribute("mask")).toBe("url(#m)");
    expect(page.querySelector("math mi")!.textContent).toBe("x");
  });

  it("says what may be loaded before anything of the page is read", () => {
    const { html } = safePage("<p>x</p>", null);
    expect(html).toMatch(
      /^<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"/,
    );
    expect(html).toContain("default-src 'none'");
  });

  it("keeps the words of a form and nothing to fill in", () => {
    expect(
      body('<form action="/x"><p>Words</p><input value="a"><select><option>b</select><button>Send</button></form>'),
    ).toBe("<p>Words</p>Send");
  });

  it("has the quoted words marked, over elements, and says when they are not there", () => {
    const quote = { words: "was rebuilt in 1931", before: "The mole ", after: " after" };
    const { html, marked } = safePage("<p>The mole was <b>rebuilt</b> in 1931 after.</p>", quote);
    expect(marked).toBe(true);
    expect(html).toContain(
      '<mark class="ibid-quote ibid-first">was </mark><b><mark class="ibid-quote">rebuilt</mark></b>',
    );
    expect(safePage("<p>Nothing of it.</p>", quote).marked).toBe(false);
  });

  it.each([
    ["script", "<script>alert(1)</script><p onclick=alert(1)>x</p><ScRiPt src=//evil.example/x></sCrIpT>"],
    ["handlers", "<img src=x onerror=alert(1)><body onload=alert(1)><details open ontoggle=alert(1)>"],
    [
      "addresses of scripts",
      '<a href=" jav&#x09;ascript:alert(1)">x</a><a href="&#1;javascript:alert(1)">y</a><a href=vbscript:x>z</a>',
    ],
    [
      "addresses in drawings",
      '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a><use href="data:image/svg+xml,x#y"/></svg>',
    ],
    [
      "animated addresses",
      "<svg><a><animate attributeName=href values=javascript:alert(1) /><set attributeName=href to=javascript:alert(1) /><text>x</text></a></svg>",
    ],
    [
      "pictures from elsewhere",
      '<img src="https://evil.example/a.png" srcset="https://evil.example/b.png 2x"><picture><source srcset=//evil.example/c><img src=//evil.example/d></picture>',
    ],
    [
      "pictures as documents",
      '<img src="data:text/html,<script>alert(1)</script>"><svg><image href="https://evil.example/x.png"/><feImage href="//evil.example/y"/></svg>',
    ],
    [
      "base and links",
      '<base href="https://evil.example/"><link rel=stylesheet href=//evil.example/a.css><link rel=prefetch href=//evil.example/b>',
    ],
    [
      "refresh",
      '<meta http-equiv="refresh" content="0;url=https://evil.example/"><meta http-equiv="Content-Security-Policy" content="img-src *"><meta name=referrer content=unsafe-url>',
    ],
    [
      "styles",
      "<style>@import 'https://evil.example/a.css'; p { background: url( 'https://evil.example/b.png' ) }</style><p style=\"background: url(//evil.example/c)\">x</p>",
    ],
    [
      "styles in disguise",
      "<style>p { background: \\75rl(https://evil.example/a) } @\\69mport '//evil.example/b'; q { background: \\000075\\72 l(//evil.example/c) }</style>",
    ],
    [
      "sets of pictures in styles",
      "<p style=\"background-image: image-set('https://evil.example/a' 1x); cursor: url(//evil.example/b), auto\">x</p>",
    ],
    [
      "patterns of drawings",
      '<svg><rect fill="url(https://evil.example/p#a)" filter="url(//evil.example/f#a)" mask="url( \'//evil.example/m\' )"/></svg>',
    ],
    [
      "forms",
      "<form action=//evil.example><button formaction=javascript:alert(1)>x</button><input autofocus onfocus=alert(1)></form>",
    ],
    [
      "frames",
      '<iframe srcdoc="<script>alert(1)</script>"></iframe><object data=//evil.example/x></object><embed src=//evil.example/y><frameset><frame src=javascript:alert(1)>',
    ],
    [
      "media",
      "<video src=//evil.example/a poster=//evil.example/b><source onerror=alert(1)></video><audio src=//evil.example/c></audio><table background=//evil.example/d></table>",
    ],
    [
      "templates",
      "<template><img src=x onerror=alert(1)></template><div><template shadowrootmode=open><script>alert(1)</script></template></div>",
    ],
    ["noscript", '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>'],
    ["style in svg", '<svg><style><img title="</style><img src=x onerror=alert(1)>"></style></svg>'],
    [
      "style in math",
      '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    ],
    ["form in form in math", "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>"],
    [
      "annotations",
      '<math><annotation-xml encoding="text/html"><style><img src=x onerror=alert(1)></style></annotation-xml></math>',
    ],
    [
      "foreign objects",
      "<svg><foreignObject><iframe srcdoc=x></iframe><p onclick=alert(1)>x</p></foreignObject><desc><b onclick=alert(1)>y</b></desc></svg>",
    ],
    ["titles in svg", '<svg></p><title><a id="</title><img src=x onerror=alert(1)>"></title></svg>'],
    [
      "comments",
      "<!--><img src=x onerror=alert(1)>--><!--[if IE]><script>alert(1)</script><![endif]--><? <img src=x onerror=alert(1)> ?>",
    ],
    [
      "raw text",
      '<xmp><p title="</xmp><img src=x onerror=alert(1)>"></xmp><noembed><img src=x onerror=alert(1)></noembed><plaintext><img src=x onerror=alert(1)>',
    ],
    [
      "names that hide properties",
      "<form id=x><input name=attributes><input name=nodeName></form><img name=body><a id=ownerDocument><a id=defaultView name=x>",
    ],
    [
      "much of it, deep",
      `${"<div>".repeat(300)}<svg><math><style><script>alert(1)</script><img src=x onerror=alert(1)>`,
    ],
  ])("holds nothing that acts: %s", (_, source) => {
    expect(leftIn(shown(source))).toEqual([]);
    // Read and written once more, it still is the same page.
    const once = shown(source);
    const twice = new DOMParser().parseFromString(once.documentElement.outerHTML, "text/html");
    expect(leftIn(twice)).toEqual([]);
  });
});
