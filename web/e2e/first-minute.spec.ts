import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { clipboard, expect, test } from "./test";

const MINUTE_MS = 60_000;

/** What progress bars have said, from before anything is loaded: they may be gone before they are looked for. */
async function watchProgress(page: Page) {
  await page.addInitScript(() => {
    const said = new Set<string>();
    (window as unknown as { said: Set<string> }).said = said;
    new MutationObserver(() => {
      for (const bar of document.querySelectorAll("[role=progressbar]"))
        said.add(bar.getAttribute("aria-valuetext") ?? "");
    }).observe(document, { subtree: true, childList: true, attributes: true });
  });
  return () => page.evaluate(() => [...(window as unknown as { said: Set<string> }).said]);
}

const flat = (text: string) => text.replace(/\s+/g, " ").trim();

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

test("the first minute: from nothing to the exact words, without a key", async ({ page, request }) => {
  test.setTimeout(2 * MINUTE_MS);
  const progress = await watchProgress(page);
  const began = Date.now();

  await test.step("1. an empty library has three ways in", async () => {
    await page.goto("/");
    await expect(page).toHaveURL(/\/ask$/);
    await expect(page.getByRole("heading", { name: "The library is empty" })).toBeVisible();
    const ways = page.getByRole("list", { name: "Ways to fill it" });
    await expect(ways.getByRole("button", { name: "Choose files" })).toBeVisible();
    await expect(ways.getByLabel("Address")).toBeVisible();
    await expect(ways.getByRole("button", { name: "Load the sample library" })).toBeVisible();
  });

  await test.step("2. one click counts the documents in, and each is findable", async () => {
    await page.getByRole("button", { name: "Load the sample library" }).click();
    await expect(page.getByRole("region", { name: "Questions to the sample library" })).toBeVisible({
      timeout: 30_000,
    });
    expect((await progress()).filter((said) => /^\d+ of 10 documents$/.test(said))).not.toEqual([]);
    const found = await request.post("/api/v1/search", { data: { query: "Losk voted against the rock berm" } });
    expect(((await found.json()) as { primary_results: unknown[] }).primary_results.length).toBeGreaterThan(0);
  });

  await test.step("3. three questions; a click on one streams an answer with numbers in it", async () => {
    const questions = page.getByRole("region", { name: "Questions to the sample library" }).getByRole("button");
    await expect(questions).toHaveCount(3);
    const [streamed] = await Promise.all([page.waitForResponse(/\/messages$/), questions.first().click()]);
    expect(streamed.headers()["content-type"]).toContain("text/event-stream");
    await expect(page).toHaveURL(/\/ask\/[0-9a-f-]{36}/);
    await expect(
      page.getByText("Extractive: quoted from your library. Connect a model for written answers."),
    ).toBeVisible();
  });

  const answer = page.getByRole("article", { name: "Answer" });
  const badge = answer.getByRole("link", { name: /Harbour Survey 2025.*page 3$/ }).first();
  const card = page.locator("[data-card]");
  let quote = "";

  await test.step("4. hovering a number shows the words, the page and the verdict; a click opens the PDF there", async () => {
    await badge.hover();
    await expect(card.locator("mark")).toBeVisible();
    await expect(card.getByText("Page 3 · supported")).toBeVisible();
    quote = flat(await card.locator("mark").innerText());
    expect(quote.length).toBeGreaterThan(20);
    await badge.click();
    await expect(page).toHaveURL(/\/sources\/.+#c=\d+-\d+$/);
    const marks = page.getByRole("article", { name: "Pages" }).getByRole("region", { name: "Page 3" }).locator("mark");
    await expect(marks.first()).toBeInViewport({ timeout: 20_000 });
    // Exactly those words, whatever the lines are broken at, and on no other page.
    expect(flat((await marks.allInnerTexts()).join(" ")).replaceAll("- ", "")).toBe(quote);
    await expect(page.locator("mark")).toHaveCount(await marks.count());
    await page.goBack();
    await expect(badge).toBeVisible();
  });

  await test.step("5. under the answer: the verdicts, the covers, a copy with footnotes, the evidence", async () => {
    await expect(page.getByText(/^(\d+) claims? · \1 supported$/)).toBeVisible();
    const covers = page.getByRole("list", { name: "Cited files" });
    await expect(covers.getByText(/Harbour Survey 2025/).first()).toBeVisible();
    await page.getByRole("button", { name: "Copy with footnotes" }).click();
    await expect.poll(async () => flat(await clipboard(page))).toContain("Harbour Survey 2025");
    expect(flat(await clipboard(page))).toContain(quote);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export evidence" }).click();
    expect(
      readFileSync(await (await download).path())
        .subarray(0, 2)
        .toString(),
    ).toBe("PK");
  });

  const took = Date.now() - began;
  console.log(`the first minute took ${(took / 1000).toFixed(1)} s`);
  expect(took).toBeLessThan(MINUTE_MS);
});
