import type { Browser, Page } from "@playwright/test";
import { agent, bring, post } from "./asking";
import { minutes } from "./files";
import { expect, expectNoSideScroll, test } from "./test";

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  dur?: number;
  /** The time that the thread itself was at work, however many others share the machine. */
  tdur?: number;
  args: { name?: string };
}

/** The longest task of the page's main thread while something is done, in milliseconds of its own work. */
async function longestTask(browser: Browser, page: Page, work: () => Promise<void>): Promise<number> {
  await browser.startTracing(page, { categories: ["toplevel"] });
  await work();
  const { traceEvents: events } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const main = new Set(
    events
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = events.filter(
    ({ name, ph, pid, tid }) => ph === "X" && name.endsWith("RunTask") && main.has(`${pid} ${tid}`),
  );
  expect(tasks.length).toBeGreaterThan(0);
  return Math.max(...tasks.map(({ tdur, dur }) => tdur ?? dur ?? 0)) / 1000;
}

/** No frame comes later than this because of the app; what else the machine does is not counted. */
const LONGEST_WORK_MS = 50;
const SOURCES = 40;

test("a very long answer with hundreds of citations stays smooth", async ({ page, request, browser }) => {
  test.setTimeout(180_000);
  const sources = Array.from({ length: SOURCES }, (_, index) => ({
    title: `Report ${index + 1}`,
    url: `https://example.org/report/${index + 1}`,
    snippet: `Pier ${index + 1} was rebuilt in ${1900 + index} after the storm.`,
  }));
  await bring(request, [minutes]);
  const run = await agent(request, "What was rebuilt, and when?", sources);
  // About 20,000 tokens: 300 paragraphs with a citation in each.
  const paragraphs = Array.from({ length: 300 }, (_, index) => {
    const number = (index % SOURCES) + 1;
    return `**Pier ${number}** was rebuilt in ${1899 + number} after the storm [${number}]. ${"The board looked at the plans, and put the matter off. ".repeat(4)}\n\n`;
  });
  // By plain selectors, because looking for roles is itself long work in the page.
  const shown = () => expect(page.locator("article [data-badge]")).toHaveCount(300, { timeout: 30_000 });
  await page.goto(`/ask/${run.conversation_id}`);
  await expect(page.getByRole("heading", { level: 2 })).toBeVisible();

  const streaming = await longestTask(browser, page, async () => {
    for (const delta of paragraphs) await post(request, `/api/v1/runs/${run.id}/response`, { delta });
    await expect(page.locator("article p")).toHaveCount(300);
  });
  const ending = await longestTask(browser, page, async () => {
    await post(request, `/api/v1/runs/${run.id}/response`, { done: true });
    await shown();
    await page.waitForTimeout(500);
  });
  await page.goto("/ask");
  const link = page.getByRole("table", { name: "Conversations" }).getByRole("link");
  await expect(link).toBeVisible();
  const loading = await longestTask(browser, page, async () => {
    await link.click();
    await shown();
    await page.waitForTimeout(500);
  });
  const marking = await longestTask(browser, page, async () => {
    await expect(page.locator("article [data-uncited]")).toHaveCount(1200, { timeout: 60_000 });
  });
  const tasks = [streaming, ending, loading, marking];
  console.log(`longest task in ms of work: streaming, ending, loading, marking ${show(tasks)}`);
  for (const task of tasks) expect(task).toBeLessThan(LONGEST_WORK_MS);
});

/** Words without an end can only be laid out in one go. */
const LONGEST_LINE_MS = 250;

test("a single line without end is shown", async ({ page, request, browser }) => {
  test.setTimeout(120_000);
  const run = await agent(request, "Say much.", [
    { title: "One", url: "https://example.org/1", snippet: "The mole was rebuilt in 1931." },
  ]);
  const line = `${"word ".repeat(100_000)}${"x".repeat(500_000)} The mole was rebuilt in 1931 [1].`;
  await post(request, `/api/v1/runs/${run.id}/response`, { text: line });
  const longest = await longestTask(browser, page, async () => {
    await page.goto(`/ask/${run.conversation_id}`);
    await expect(page.locator("article [data-badge]")).toHaveCount(1, { timeout: 30_000 });
    await page.waitForTimeout(500);
  });
  await expectNoSideScroll(page);
  console.log(`longest task in ms of work: ${show([longest])}`);
  expect(longest).toBeLessThan(LONGEST_LINE_MS);
});

function show(tasks: number[]): string {
  return tasks.map((task) => Math.round(task)).join(" ");
}
