// Makes docs/screenshot.png: a source open at the words that a citation leads to. Starts a server of its own ($IBID_BIN or the debug build)
// with a few made-up files in it.
import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { startServer } from "./server.mjs";

const TARGET = fileURLToPath(new URL("../../docs/screenshot.png", import.meta.url));
const LIMIT = 300_000;

const MINUTES = `SAMPLE, made up for this picture.

Minutes of the harbour board, 14 March 1931

Present: the chairman, four members, the engineer.

1. The mole. The engineer reported that the outer forty metres were carried away in the storm of 2 February. The \
board resolved to rebuild them in stone, at a cost not above 18,400 kr.

2. Depth at the quay. The survey of the autumn gives 7.2 m at low water, half a metre less than in 1927. Dredging is \
put off until the mole stands.

3. Dues. The tariff of 1930 stays in force for one more year.
`;

/**
 * Oldest first; the last is on top of the list.
 * @type {[name: string, type: string, text: string][]}
 */
const FILES = [
  ["sample-tide-table-1931.csv", "text/csv", tides()],
  ["sample-dues-1930.json", "application/json", JSON.stringify({ sample: true, year: 1930, per_tonne: 0.45 }, null, 2)],
  ["sample-letter-to-the-engineer.eml", "message/rfc822", "From: clerk@harbour.example\nSubject: Depth at the quay (sample)\n\nDear Sir,\n\nthe board asks for the soundings of the autumn.\n"],
  ["sample-mole-drawing.svg", "image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="160"><path d="M0 120h320v40H0z" fill="#345878"/><path d="M60 120l30-60h120l30 60z" fill="#999"/></svg>'],
  ["sample-harbour-survey-1930.md", "text/markdown", "# Harbour survey (sample)\n\nDepth at the quay: 7.2 m at low water.\n"],
  ["sample-budget-1931.csv", "text/csv", "sample,kr\nmole,18400\ndredging,0\nlights,950\n"],
  ["sample-minutes-1931-03-14.txt", "text/plain", MINUTES],
  ["sample-minutes-1931-04-11.txt", "text/plain", "SAMPLE. Minutes of the harbour board, 11 April 1931.\n\nThe stone for the mole has come.\n"],
];

function tides() {
  const days = Array.from({ length: 31 }, (_, day) => `1931-03-${String(day + 1).padStart(2, "0")},0.${day % 7},3.${day % 9}`);
  return ["date,low_m,high_m", ...days, "sample,,"].join("\n");
}

/**
 * @param {string} url
 * @param {BodyInit} body
 * @param {Record<string, string>} [headers]
 * @returns {Promise<{ items: { id: string }[] }>}
 */
async function post(url, body, headers) {
  const answer = await fetch(url, { method: "POST", body, headers });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** The words that are shown as quoted. */
const QUOTE = "the outer forty metres were carried away in the storm of 2 February";

/**
 * Brings the files as sources and waits until the minutes are read.
 * @param {string} origin
 * @returns {Promise<string>} the address of the quoted words
 */
async function fill(origin) {
  let minutes = "";
  for (const [name, type, text] of FILES) {
    const form = new FormData();
    form.append("file", new File([text], name, { type }), name);
    const { items } = await post(`${origin}/api/v1/sources/upload`, form);
    if (text === MINUTES) minutes = items[0]?.id ?? "";
  }
  for (;;) {
    const answer = await fetch(`${origin}/api/v1/sources/${minutes}/text`);
    if (answer.ok) {
      const { text } = await answer.json();
      const start = [...text.slice(0, text.indexOf(QUOTE))].length;
      return `${origin}/sources/${minutes}#c=${start}-${start + [...QUOTE].length}`;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const server = await startServer();
try {
  const quoted = await fill(server.origin);
  const browser = await chromium.launch({
    executablePath: process.env.IBID_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"],
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: "light", locale: "en-GB" });
  await page.goto(quoted);
  await page.locator("mark").first().waitFor();
  await page.evaluate("document.fonts.ready.then(() => null)");
  await page.screenshot({ path: TARGET });
  await browser.close();
} finally {
  await server.stop();
}
const { size } = await stat(TARGET);
if (size > LIMIT) throw new Error(`${TARGET} has ${size} bytes, more than ${LIMIT}`);
console.log(`${TARGET}: ${size} bytes`);
