import type { Page } from "@playwright/test";
import { minutes, survey } from "./files";
import { bring, clipboard, expect, test } from "./test";

const badges = (page: Page) => page.getByRole("article", { name: "Answer" }).locator("[data-badge]");
const panel = (page: Page) => page.getByRole("complementary", { name: "Evidence details" });

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

test("each key does in every place what the list of keys says", async ({ page, request }) => {
  await bring(request, minutes);
  await bring(request, survey);
  const { id } = (await (await request.post("/api/v1/conversations", { data: { title: null } })).json()) as {
    id: string;
  };
  for (const content of ["When was the mole rebuilt after the storm?", "How deep is the quay at low water?"]) {
    await request.post(`/api/v1/conversations/${id}/messages`, {
      data: { content },
      headers: { accept: "application/json" },
    });
  }

  await test.step("? shows the keys", async () => {
    await page.goto("/jobs");
    await expect(page.getByRole("heading", { name: "Jobs" })).toBeVisible();
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keys" });
    for (const key of ["/", "j", "k", "o", "c", "[", "]", "?", "Ctrl"])
      await expect(keys.locator("kbd", { hasText: key }).first()).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(keys).toBeHidden();
  });

  await test.step("/ leads to the box of the place, or to the search where it has none", async () => {
    await page.keyboard.press("/");
    await expect(page).toHaveURL(/\/search$/);
    await expect(page.getByRole("searchbox", { name: "Words or a question" })).toBeFocused();
    await page.goto("/sources");
    await expect(page.getByRole("table", { name: "Sources" })).toBeVisible();
    await page.keyboard.press("/");
    await expect(page.getByRole("searchbox", { name: "Search titles, names and texts" })).toBeFocused();
    // In a box it is a letter.
    await page.keyboard.type("j/k");
    await expect(page.getByRole("searchbox")).toHaveValue("j/k");
    await page.goto(`/ask/${id}`);
    await expect(badges(page).first()).toBeVisible();
    await page.keyboard.press("/");
    await expect(page.getByRole("textbox", { name: "Ask on…" })).toBeFocused();
  });

  await test.step("j, k and o go through results and open one", async () => {
    await page.goto("/search?q=quay");
    const results = page.getByRole("list", { name: "Results" }).locator("[data-row]");
    await expect(results.first()).toBeVisible();
    await page.keyboard.press("j");
    await expect(results.first()).toBeFocused();
    await page.keyboard.press("o");
    await expect(page).toHaveURL(/\/sources\/.+#c=\d+-\d+$/);
    await page.goto("/sources");
    const rows = page.getByRole("table", { name: "Sources" }).getByRole("link");
    await expect(rows).toHaveCount(2);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await expect(rows.nth(1)).toBeFocused();
    await page.keyboard.press("k");
    await expect(rows.nth(0)).toBeFocused();
  });

  await test.step("j, k, c and o go through the citations of an answer", async () => {
    await page.goto(`/ask/${id}`);
    await expect(page.getByRole("article", { name: "Answer" })).toHaveCount(2);
    // A thread holds its place until nothing moves in it any more.
    await expect(badges(page).last()).toBeInViewport();
    await page.waitForTimeout(500);
    // From what is in sight, up to the first, which is not.
    await page.keyboard.press("j");
    await expect(page.locator("[data-badge]:focus")).toBeInViewport();
    for (let step = await badges(page).count(); step > 0; step -= 1) await page.keyboard.press("k");
    await expect(badges(page).first()).toBeFocused();
    await expect(page.locator("[data-card] mark")).toBeVisible();
    await page.keyboard.press("c");
    await expect(page.locator("[data-card]").getByText("Copied")).toBeVisible();
    await expect.poll(() => clipboard(page)).toContain("harbour-minutes.txt");
    const last = (await badges(page).count()) - 1;
    for (let step = 0; step < last; step += 1) await page.keyboard.press("j");
    await expect(badges(page).nth(last)).toBeFocused();
    await page.keyboard.press("k");
    await expect(badges(page).nth(Math.max(0, last - 1))).toBeFocused();
    await page.keyboard.press("o");
    await expect(page).toHaveURL(/\/sources\/.+#c=\d+-\d+$/);
  });

  await test.step("[ and ] show and hide the evidence, where c copies what has the focus", async () => {
    await page.goto(`/ask/${id}`);
    await expect(panel(page)).toBeVisible();
    await page.keyboard.press("]");
    await expect(panel(page)).toBeHidden();
    await page.keyboard.press("[");
    await expect(panel(page)).toBeVisible();
    await page.evaluate(() => navigator.clipboard.writeText(""));
    await panel(page)
      .getByRole("link", { name: /^Open / })
      .first()
      .focus();
    await page.keyboard.press("c");
    await expect.poll(() => clipboard(page)).not.toBe("");
  });
});
