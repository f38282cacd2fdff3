import type { Page } from "@playwright/test";
import { minutes, survey } from "./files";
import { bring, expect, expectAccessible, expectNoSideScroll, test } from "./test";

const palette = (page: Page) => page.getByRole("dialog", { name: "Commands" });
const box = (page: Page) => palette(page).getByRole("combobox");
const active = (page: Page) => palette(page).getByRole("option", { selected: true });

async function choose(page: Page, words: string, choice: string | RegExp) {
  await page.keyboard.press("Control+k");
  await expect(box(page)).toBeFocused();
  await page.keyboard.type(words);
  await expect(active(page)).toHaveText(choice);
  await page.keyboard.press("Enter");
  await expect(palette(page)).toBeHidden();
}

test("everything is reached from one box, by keyboard only", async ({ page, request }) => {
  let choosers = 0;
  page.on("filechooser", () => (choosers += 1));
  const { id } = await bring(request, minutes);
  await bring(request, survey);
  await page.goto("/ask");

  await test.step("it opens while someone types, leads to every place, and gives the focus back", async () => {
    await expect(page.getByRole("textbox", { name: "Ask your library…" })).toBeFocused();
    await page.keyboard.press("Meta+k");
    await expect(box(page)).toBeFocused();
    await expect(palette(page).getByRole("group")).toHaveCount(2);
    await expect(active(page)).toHaveText(/^Ask/);
    await expect(box(page)).toHaveAttribute("aria-activedescendant", (await active(page).getAttribute("id")) ?? "none");
    await expectAccessible(page);
    await page.keyboard.press("ArrowDown");
    await expect(active(page)).toHaveText(/^Search/);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await expect(active(page)).toContainText("Show keys");
    await page.keyboard.press("Control+k");
    await expect(palette(page)).toBeHidden();
    await expect(page.getByRole("textbox", { name: "Ask your library…" })).toBeFocused();
    for (const [words, place, path] of [
      ["jobs", "Jobs", "/jobs"],
      ["stat", "Status", "/status"],
      ["sour", "Sources", "/sources"],
      ["artifacts", "Files", "/library"],
      ["snap", "Snapshots", "/library/snapshots"],
      ["ground", "Check a draft", "/ground"],
      ["search", "Search", "/search"],
    ] as const) {
      await choose(page, words, new RegExp(`^${place}`));
      await expect(page).toHaveURL(new RegExp(`${path}$`));
    }
  });

  await test.step("a source is found by its title, and by words of its text", async () => {
    await choose(page, "hbr min", /^harbour-minutes\.txt/);
    await expect(page).toHaveURL(new RegExp(`/sources/${id}$`));
    await choose(page, "aðalsteinn", /^harbour-minutes\.txt/);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("harbour-minutes.txt");
  });

  await test.step("words are searched for, and asked", async () => {
    await choose(page, "search the library", "Search the library");
    await expect(page).toHaveURL(/\/search$/);
    await expect(page.getByRole("searchbox")).toBeFocused();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("zebra crossing");
    await expect(active(page)).toHaveText("Ask “zebra crossing”");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/search\?q=zebra/);
    await choose(page, "When was the mole rebuilt after that storm", /^Ask “When was the mole/);
    await expect(page).toHaveURL(/\/ask\/[0-9a-f-]{36}$/);
    await expect(page.getByRole("article", { name: "Answer" })).toContainText("1931");
    // It was asked once, and going back does not ask it again.
    await page.goBack();
    await expect(page.getByRole("table", { name: "Conversations" }).getByRole("link")).toHaveCount(1);
  });

  await test.step("a conversation is found by its title, and both are among the recent", async () => {
    await choose(page, "mole rebuilt", /^When was the mole/);
    await expect(page).toHaveURL(/\/ask\/[0-9a-f-]{36}$/);
    await page.keyboard.press("Control+k");
    const recent = palette(page).getByRole("group", { name: "Recent" }).getByRole("option");
    await expect(recent).toHaveText([/^When was the mole.*Conversation$/, /^harbour-minutes\.txtSource$/]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(`/sources/${id}$`));
  });

  await test.step("commands do what they say", async () => {
    await choose(page, "night", "Theme: dark");
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await page.keyboard.press("Control+k");
    await expectAccessible(page, ["color-contrast"]);
    await page.keyboard.press("Escape");
    await choose(page, "theme sys", "Theme: as the system");
    await expect(page.locator("html")).not.toHaveAttribute("data-theme");
    await choose(page, "add file", /^Add files/);
    await expect.poll(() => choosers).toBe(1);
    await choose(page, "url", "Add an address");
    await expect(page.getByRole("dialog", { name: "Add an address" }).getByLabel("Address")).toBeFocused();
    // Another dialog is not covered.
    await page.keyboard.press("Control+k");
    await expect(palette(page)).toBeHidden();
    await page.keyboard.press("Escape");
    await choose(page, "shortcuts", /^Show keys/);
    await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
    await page.keyboard.press("Escape");
    await choose(page, "ask a q", "Ask a question");
    await expect(page.getByRole("textbox", { name: "Ask your library…" })).toBeFocused();
  });
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true });

  test("the rail has the places for every day, and More has all", async ({ page }) => {
    await page.goto("/ask");
    await page.getByRole("button", { name: /^More/ }).tap();
    await expect(box(page)).toBeFocused();
    await expectAccessible(page);
    await expectNoSideScroll(page);
    await palette(page).getByRole("option", { name: /^Jobs/ }).tap();
    await expect(page).toHaveURL(/\/jobs$/);
  });
});
