// Colours of code: almost none. Comments and output step back, strings are ink, everything else is text. Two classes
// take a tenth of the space that a highlighter with a style for every word takes, and the pages are in the binary.
const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const span = (kind, text) => `<span class="${kind}">${escape(text)}</span>`;

const STRING = `"(?:[^"\\\\]|\\\\.)*"`;
const QUOTED = `'[^']*'`;
/** What is marked in each language: strings, and comments that begin a line or follow a blank. */
const PATTERNS = {
  sh: new RegExp(`(?<string>${STRING}|${QUOTED})|(?<comment>(?<=^|\\s)#.*$)`, "gm"),
  toml: new RegExp(`(?<string>${STRING})|(?<comment>(?<=^|\\s)#.*$)`, "gm"),
  python: new RegExp(`(?<string>${STRING}|${QUOTED})|(?<comment>#.*$)`, "gm"),
  json: new RegExp(`(?<string>${STRING})`, "g"),
};

function mark(text, pattern) {
  let html = "";
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    html += escape(text.slice(at, match.index)) + span(match.groups.comment ? "quiet" : "string", match[0]);
    at = match.index + match[0].length;
  }
  return html + escape(text.slice(at));
}

/** Returns the code as HTML, for VitePress. */
export function highlight(text, language) {
  const code = text.replace(/\n$/, "");
  let html = escape(code);
  if (language === "console") {
    // A session: what you type, and what comes back.
    html = code
      .split("\n")
      .map((line) => (line.startsWith("$ ") ? span("quiet", "$ ") + mark(line.slice(2), PATTERNS.sh) : span("quiet", line)))
      .join("\n");
  } else if (PATTERNS[language]) {
    html = mark(code, PATTERNS[language]);
  }
  return `<pre tabindex="0" v-pre><code>${html}</code></pre>`;
}
