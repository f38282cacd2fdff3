import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test as base, expect, type APIRequestContext, type Page } from "@playwright/test";
import { startServer } from "../scripts/server.mjs";
import { serveApp } from "../scripts/app.mjs";
import { startModel, type Model } from "./model";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export interface Options {
  /** Parts of what the console says that a test provokes. */
  expectedErrors: RegExp[];
  /** The colour schemes that a test of looks goes through. */
  schemes: ("light" | "dark")[];
  /** Whether answers are written by a model, which the test speaks for; else they are quoted. */
  written: boolean;
  /** More settings of the server, as on its command line. */
  settings: string[];
}

/**
 * Each test has its own server. A test fails if the page wrote an error to the console, threw, or asked anything of
 * another origin. A test that provokes an error names it with `expectedErrors`.
 */
export const test = base.extend<Options & { model: Model; origin: string; guarded: void }>({
  // eslint-disable-next-line no-empty-pattern
  model: async ({}, use) => {
    const model = await startModel();
    await use(model);
    await model.stop();
  },
  origin: async ({ model, written, settings }, use) => {
    const chat = written ? ["--chat", "compatible", "--chat-model", "sample", "--chat-url", model.url] : [];
    const server = await startServer([...chat, ...settings]);
    // The binary holds the app of when it was built.
    const app = process.env.IBID_E2E_DIST ? await serveApp(server.origin) : null;
    await use(app?.origin ?? server.origin);
    await app?.stop();
    await server.stop();
  },
  baseURL: async ({ origin }, use) => use(origin),
  expectedErrors: [[], { option: true }],
  schemes: [["light"], { option: true }],
  written: [false, { option: true }],
  settings: [[], { option: true }],
  guarded: [
    async ({ context, page, origin, expectedErrors }, use) => {
      const errors: string[] = [];
      const strangers: string[] = [];
      context.on("request", (request) => {
        const url = request.url();
        if (/^(https?|wss?):/.test(url) && !url.startsWith(`${origin}/`)) strangers.push(url);
      });
      page.on("pageerror", (error) => errors.push(String(error)));
      page.on("console", (message) => {
        if (message.type() === "error") errors.push(`${message.text()} ${message.location().url}`);
      });
      await use();
      expect(strangers, "requests that left the origin").toEqual([]);
      const unexpected = errors.filter((error) => !expectedErrors.some((pattern) => pattern.test(error)));
      expect(unexpected, "errors on the console").toEqual([]);
    },
    { auto: true },
  ],
});

interface AxeResult {
  violations: { id: string; impact: string | null; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** No serious or critical violation of the rules (all, if not said). Evaluated over the debugger, so the page's own policy stays as it is. */
export async function expectAccessible(page: Page, runOnly?: string[]): Promise<void> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
  const result = await page.evaluate(
    (options) => (window as unknown as { axe: { run: (options: object) => Promise<AxeResult> } }).axe.run(options),
    { resultTypes: ["violations"], ...(runOnly && { runOnly }) },
  );
  const serious = result.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}\n${nodes.map((node) => `  ${node.html}\n  ${node.failureSummary ?? ""}`).join("\n")}`,
    );
  expect(serious, `accessibility of ${page.url()}`).toEqual([]);
}

/** Nothing sticks out to the right. */
export async function expectNoSideScroll(page: Page): Promise<void> {
  const over = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  // What is still being laid out may be wider for a moment.
  await expect.poll(over, { message: `sideways scroll of ${page.url()}` }).toBeLessThanOrEqual(0);
}

/** Through the file chooser of the open place. */
export async function upload(page: Page, files: { name: string; mimeType: string; buffer: Buffer }[]): Promise<void> {
  await page.getByLabel(/^Files to (add|keep)$/).setInputFiles(files);
}

interface Upload {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** Brings a file as a source by a call and waits until its text is read; gives its id and its text. */
export async function bring(
  request: APIRequestContext,
  file: Upload,
): Promise<{ id: string; text: string; revision: string }> {
  const answer = await request.post("/api/v1/sources/upload", { multipart: { file } });
  const { items } = (await answer.json()) as { items: { id: string }[] };
  const id = items[0]!.id;
  await expect
    .poll(async () => (await request.get(`/api/v1/sources/${id}/text`)).status(), { timeout: 30_000 })
    .toBe(200);
  const read = (await (await request.get(`/api/v1/sources/${id}/text`)).json()) as {
    text: string;
    revision_id: string;
  };
  return { id, text: read.text, revision: read.revision_id };
}

/** The part of an address that names these words of a text, counted in characters. */
export function placeOf(text: string, words: string): string {
  const at = text.indexOf(words);
  expect(at, `"${words}" in the text`).toBeGreaterThanOrEqual(0);
  const start = [...text.slice(0, at)].length;
  return `#c=${start}-${start + [...words].length}`;
}

/** What stands on the clipboard: it is there some time after a click. */
export function clipboard(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}

export { expect };
