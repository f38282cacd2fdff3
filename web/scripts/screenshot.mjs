// Makes the pictures of the README in docs/: an answer, a source open at the words that a citation leads to, a search, a
// grounded draft, a document, and the settings. Starts a server of its own ($IBID_BIN or the debug build) with the sample library in it;
// with $IBID_E2E_DIST, the app is the one of dist/.
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { serveApp } from "./app.mjs";
import { startServer } from "./server.mjs";
import { smallPng } from "./small-png.mjs";

const LIMIT = 150_000;
const QUESTION = "How much does it cost to repair the Old Breakwater?";
const DRAFT = `The repair of the Old Breakwater costs 3.1 million euros. The Harbour Board chose the rock berm because the harbour \
stays open while the rock is placed. The lighthouse was painted green in 1950.`;

const PARAGRAPH =
  "The harbour has had a breakwater since its first pier. What follows says what became of it, what it costs to keep, and who decides.";

/** @param {string} name */
const target = (name) => fileURLToPath(new URL(`../../docs/${name}.png`, import.meta.url));

/**
 * Loads the sample library and waits until it is found by meaning, too.
 * @param {string} origin
 */
async function fill(origin) {
  const answer = await fetch(`${origin}/api/v1/sample`, { method: "POST" });
  if (!answer.ok) throw new Error(`the sample library was not loaded: ${answer.status} ${await answer.text()}`);
  for (;;) {
    const counts = await (await fetch(`${origin}/api/v1/sources/counts`)).json();
    if (counts.pending + counts.embedding_pending === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** @type {Record<string, (page: import("@playwright/test").Page) => Promise<void>>} */
const VIEWS = {
  async screenshot(page) {
    await page.goto("/ask");
    await page.getByRole("button", { name: QUESTION }).click();
    await page.getByText(/^\d+ claims? · \d+ supported$/).waitFor();
    await page.locator("article [data-badge]").first().hover();
    await page.locator("[data-card] mark").waitFor();
  },
  async source(page) {
    await page.locator("article [data-badge]").first().click();
    await page.locator("mark").first().waitFor();
    // The picture of the page is drawn after its words.
    await page.waitForTimeout(2000);
  },
  async search(page) {
    await page.goto("/search?q=when+do+the+works+begin");
    await page.locator("main mark").first().waitFor();
  },
  async ground(page) {
    await page.goto("/ground");
    await page.getByLabel("Your text").fill(DRAFT);
    await page.getByRole("button", { name: "Find the evidence" }).click();
    await page.getByText(/^3 claims: /).waitFor();
  },
  async documents(page) {
    const post = async (/** @type {string} */ path, /** @type {object} */ data) =>
      (await page.request.post(`/api/v1${path}`, { data })).json();
    const [first, second] = (await post("/search", { query: QUESTION, limit: 8, graph_expand: false })).primary_results
      .map((/** @type {{ source_id: string, evidence: { quote: string, page?: number }[] }} */ one) => ({
        source_id: one.source_id,
        ...one.evidence[0],
      }))
      .filter(
        (
          /** @type {{ source_id: string }} */ one,
          /** @type {number} */ at,
          /** @type {{ source_id: string }[]} */ all,
        ) => all.findIndex((other) => other.source_id === one.source_id) === at,
      );
    const text = `# The Old Breakwater\n\n${PARAGRAPH}\n\n## What it costs\n\n${first.quote.replace(/\.$/, "")}[^1]. ${second.quote.replace(/\.$/, "")}[^2].\n`;
    const { document_id } = await post("/documents", {
      title: "The Old Breakwater",
      style: "chicago-notes",
      text,
      authors: ["A. Sample"],
    });
    for (const [at, { source_id, quote, page: number }] of [first, second].entries()) {
      await post(`/documents/${document_id}/citations`, {
        source_id,
        quote,
        citation_number: at + 1,
        ...(number && { locator: `p. ${number}` }),
      });
    }
    await page.goto(`/documents/${document_id}`);
    await page.getByRole("group", { name: "Pages as printed" }).getByRole("img").first().waitFor();
    await page.waitForTimeout(3000);
  },
  async settings(page) {
    await page.goto("/settings");
    await page.getByRole("region", { name: "Answers" }).getByText("Compatible", { exact: true }).click();
    await page.getByLabel("Model").fill("llama3.1");
    await page.getByLabel("Address").fill("http://127.0.0.1:11434/v1");
    await page.getByRole("heading", { name: "Settings" }).click();
  },
};

const server = await startServer();
const app = process.env.IBID_E2E_DIST ? await serveApp(server.origin) : null;
try {
  await fill(server.origin);
  const browser = await chromium.launch({
    executablePath: process.env.IBID_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--font-render-hinting=none"],
  });
  const page = await browser.newPage({
    baseURL: app?.origin ?? server.origin,
    viewport: { width: 1280, height: 800 },
    colorScheme: "light",
    locale: "en-GB",
    reducedMotion: "reduce",
  });
  for (const [name, open] of Object.entries(VIEWS)) {
    await open(page);
    await page.evaluate("document.fonts.ready.then(() => null)");
    const picture = smallPng(await page.screenshot());
    console.log(`docs/${name}.png: ${picture.length} bytes`);
    if (picture.length > LIMIT) throw new Error(`docs/${name}.png would have more than ${LIMIT} bytes`);
    await writeFile(target(name), picture);
  }
  await browser.close();
} finally {
  await app?.stop();
  await server.stop();
}
