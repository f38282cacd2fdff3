import type { APIRequestContext, Locator, Page } from "@playwright/test";
import { agent, ask, badges, bring, post } from "./asking";
import { minutes, survey } from "./files";
import { expect, expectAccessible, expectNoSideScroll, test } from "./test";

const QUESTIONS = [
  "When was the mole rebuilt?",
  "How deep is the quay at low water?",
  "Who asked for the accounts?",
  "What was seen from the ferry?",
];

interface Said {
  id: string;
  role: string;
}

/** A conversation of four turns, and what was said in it. */
async function converse(request: APIRequestContext): Promise<{ id: string; messages: Said[]; sources: string[] }> {
  const sources = await bring(request, [minutes, survey]);
  const { id } = await post<{ id: string }>(request, "/api/v1/conversations", { title: null });
  for (const content of QUESTIONS) {
    await request.post(`/api/v1/conversations/${id}/messages`, {
      data: { content },
      headers: { accept: "application/json" },
    });
  }
  const { items } = (await (await request.get(`/api/v1/conversations/${id}/messages`)).json()) as { items: Said[] };
  return { id, messages: items, sources };
}

const question = (page: Page, at: number) => page.getByRole("heading", { level: 2, name: QUESTIONS[at] });
const topOf = async (element: Locator) => Math.round((await element.boundingBox())?.y ?? NaN);

/** Waits until nothing scrolls any more. */
async function still(page: Page) {
  let before = -1;
  await expect
    .poll(
      async () => {
        const [last, now] = [before, await page.evaluate(() => scrollY)];
        before = now;
        return now - last;
      },
      { intervals: [300] },
    )
    .toBe(0);
}

test("a thread opens at its newest turn, and where it was left", async ({ page, request }) => {
  const { id } = await converse(request);
  await page.goto(`/ask/${id}`);
  await expect(question(page, 3)).toBeInViewport();
  await expect(question(page, 0)).not.toBeInViewport();
  await expectAccessible(page);

  await page.mouse.move(400, 400);
  await page.mouse.wheel(0, -550);
  await still(page);
  const left = await topOf(question(page, 2));
  const visible = badges(page).locator("visible=true");
  const inWindow = await visible.evaluateAll((all) => all.findIndex((one) => one.getBoundingClientRect().top > 60));
  await visible.nth(inWindow).evaluate((badge: HTMLElement) => badge.click());
  await expect(page.getByRole("article", { name: "Text" }).locator("mark").first()).toBeVisible();
  await page.goBack();
  await expect(question(page, 2)).toBeVisible();
  await expect.poll(async () => Math.abs((await topOf(question(page, 2))) - left)).toBeLessThan(3);
  await page.reload();
  await expect.poll(async () => Math.abs((await topOf(question(page, 2))) - left)).toBeLessThan(3);

  await page.getByRole("navigation", { name: "Places" }).getByRole("link", { name: "Ask" }).click();
  await page.getByRole("table", { name: "Conversations" }).getByRole("link").click();
  await expect(question(page, 3)).toBeInViewport();
});

test("an address that names a message opens there", async ({ page, request }) => {
  const { id, messages } = await converse(request);
  await page.goto(`/ask/${id}?at=${messages[3]!.id}`);
  await expect.poll(async () => Math.abs((await topOf(question(page, 1))) - 32)).toBeLessThan(3);
  await still(page);
  await expect.poll(async () => Math.abs((await topOf(question(page, 1))) - 32)).toBeLessThan(3);
});

test("a long answer is left and found again at the same words", async ({ page, request }) => {
  const run = await agent(request, "What was rebuilt?", [
    { title: "One", url: "https://example.org/1", snippet: "Pier 1 was rebuilt." },
  ]);
  const text = Array.from(
    { length: 150 },
    (_, index) => `Pier ${index} was rebuilt [1]. ${"Then the board put the matter off. ".repeat((index * 7) % 23)}`,
  );
  await post(request, `/api/v1/runs/${run.id}/response`, { text: text.join("\n\n") });
  await page.goto(`/ask/${run.conversation_id}`);
  await expect(page.locator("article p")).toHaveCount(150);
  // Its source speaks of another pier, so that words of it are struck out.
  const words = page.locator("article p", { hasText: /^Pier 77 / });
  await words.scrollIntoViewIfNeeded();
  await still(page);
  const left = await topOf(words);
  await page.getByRole("navigation", { name: "Places" }).getByRole("link", { name: "Search" }).click();
  await expect(page.getByRole("heading", { name: "Find the exact words" })).toBeVisible();
  await page.goBack();
  await expect(words).toBeInViewport();
  await still(page);
  expect(Math.abs((await topOf(words)) - left)).toBeLessThan(3);
});

test("what would lose its support by a deletion leads to where it is said", async ({ page, request }) => {
  const { id, messages, sources } = await converse(request);
  await page.goto(`/sources/${sources[0]}`);
  await page.getByRole("button", { name: "Delete" }).click();
  const lost = page.getByRole("region", { name: "Claims that would lose their support" });
  const links = lost.getByRole("link", { name: `“${QUESTIONS[0]}”` });
  await expect(links.first()).toBeVisible();
  await expectAccessible(page);
  await expectNoSideScroll(page);
  const first = messages[1]!;
  const wanted = `/ask/${id}?at=${first.id}&of=${first.id}`;
  await lost.locator(`a[href="${wanted}"]`).first().click();
  await expect(page).toHaveURL(new RegExp(`at=${first.id}`));
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(question(page, 0)).toBeInViewport();
  await expect(question(page, 3)).not.toBeInViewport();
});

test.describe("notes of what is cited", () => {
  test.use({ written: true, settings: ["--notes", "model"] });

  test("are made after the answer, which says so until they are there", async ({ page, request, model }) => {
    await bring(request, [minutes]);
    model.answers = (asked) =>
      asked.includes("what this text is about")
        ? [2500, "Minutes of the harbour board."]
        : ["The mole was rebuilt in 1931 [1]."];
    await page.goto("/ask");
    await ask(page, "When was the mole rebuilt?");
    await expect(page.getByText("1 claim · 1 supported")).toBeVisible();
    await expect(page.getByRole("status").filter({ hasText: "Creating notes…" })).toBeVisible();
    await expectAccessible(page);
    // The answer is whole, and one can ask on.
    await expect(page.getByRole("button", { name: "Copy with footnotes" })).toBeVisible();
    await expect(page.getByText("Creating notes…")).toBeHidden();
    const { items } = (await (
      await request.get(`${page.url().replace("/ask/", "/api/v1/conversations/")}/messages`)
    ).json()) as { items: { entities: { summary: string | null }[] }[] };
    expect(items.at(-1)?.entities[0]?.summary).toBe("Minutes of the harbour board.");
  });
});
