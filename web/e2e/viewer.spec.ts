import type { Page } from "@playwright/test";
import { endlessLine, hostileDrawing, hostilePage, soundings, survey } from "./files";
import { bring, expect, expectAccessible, expectNoSideScroll, placeOf, test } from "./test";

/** How far down the window the first mark is, from 0 to 1. */
async function markHeight(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelector("mark")!.getBoundingClientRect().top / innerHeight);
}

test("a PDF opens on the right page with exactly the quoted words marked, a third down the window", async ({
  page,
  request,
}) => {
  const { id, text } = await bring(request, soundings);
  const pages = page.getByRole("article", { name: "Pages" });
  const last = pages.getByRole("region", { name: "Page 3" });
  const views = page.getByRole("navigation", { name: "Views of this source" });
  // However the text has the divided word.
  const quoted = /The depth at the quay[^.]*1927\./.exec(text)![0];
  const place = placeOf(text, quoted);

  await test.step("on the page", async () => {
    await page.goto(`/sources/${id}${place}`);
    await expect(last.locator("mark")).toHaveText([
      "The depth at the quay is now half a me-",
      "tre less than it was in 1927.",
    ]);
    await expect.poll(() => markHeight(page)).toBeGreaterThan(0.25);
    expect(await markHeight(page)).toBeLessThan(0.42);
    await expect
      .poll(() => last.locator("canvas").evaluate((canvas: HTMLCanvasElement) => canvas.width))
      .toBeGreaterThan(300);
    await expectAccessible(page);
    await expectNoSideScroll(page);
  });

  await test.step("another place of the same document, without another load", async () => {
    await page.evaluate((hash) => (location.hash = hash), placeOf(text, "Sounding 1.3 was taken"));
    await expect(pages.locator("mark")).toHaveText(["Sounding 1.3 was taken"]);
    await page.goBack();
    await expect(pages.locator("mark")).toHaveCount(2);
  });

  await test.step("and back and forth between the original and its text, in the address", async () => {
    await views.getByRole("link", { name: "Text" }).click();
    await expect(page).toHaveURL(new RegExp(`view=text${place}$`));
    await expect(page.getByRole("article", { name: "Text" }).locator("mark").first()).toBeInViewport();
    await page.reload();
    await expect(page.getByRole("article", { name: "Text" }).locator("mark").first()).toBeInViewport();
    await views.getByRole("link", { name: "Original" }).click();
    await expect(page).toHaveURL(new RegExp(`view=original${place}$`));
    await expect(last.locator("mark").first()).toBeInViewport();
  });

  await test.step("in the text where the page does not have the words", async () => {
    await page.route(`**/api/v1/sources/${id}/text?*`, async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { text: string };
      await route.fulfill({
        response: answer,
        json: { ...body, text: body.text.replace(/The depth at the quay/, "Die Tiefe am Kai ist ") },
      });
    });
    await page.goto(`/sources/${id}#c=0-1`);
    await page.goto(`/sources/${id}${placeOf(text, "The depth at the quay")}`);
    await page.reload();
    await expect(page.getByText("These words could not be found in the original")).toBeVisible();
    await expect(page.getByRole("article", { name: "Text" }).locator("mark")).toBeInViewport();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Show the original" }).click();
    await expect(pages).toBeVisible();
  });
});

test("the library for PDFs is loaded only for them", async ({ page, request }) => {
  const asked: string[] = [];
  page.on("request", (sent) => asked.push(new URL(sent.url()).pathname));
  const { id } = await bring(request, survey);
  await page.goto("/sources");
  await page.goto(`/sources/${id}`);
  await expect(page.getByRole("article", { name: "Text" })).toBeVisible();
  expect(asked.filter((path) => /pdf/.test(path))).toEqual([]);
});

test.describe("hostile content", () => {
  // That the browser refuses what the page tries is the point, and it says so.
  test.use({ expectedErrors: [/Content Security Policy|sandboxed/] });

  test("is shown, is marked, and does nothing", async ({ page, request }) => {
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const hacked = () => page.evaluate(() => "hacked" in window);

    await test.step("a page", async () => {
      const { id, text } = await bring(request, hostilePage);
      await page.goto(`/sources/${id}${placeOf(text, "rebuilt in 1931 after the storm of the winter")}`);
      const frame = page.frameLocator("iframe");
      await expect(page.locator("iframe")).toHaveAttribute("sandbox", "");
      await expect(frame.locator("mark")).toHaveText(["rebuilt in 1931", " after the ", "storm of the winter"]);
      await expect(frame.locator("mark").first()).toBeInViewport();
      const within = await frame.locator("mark").first().boundingBox();
      expect(within!.y / page.viewportSize()!.height).toBeGreaterThan(0.25);
      expect(within!.y / page.viewportSize()!.height).toBeLessThan(0.75);
      await expect(
        frame.locator("script, iframe, object, link, base, [onload], [onerror], [href], [action]"),
      ).toHaveCount(0);
      await expectAccessible(page);
      await expectNoSideScroll(page);
    });

    await test.step("a drawing", async () => {
      const { id } = await bring(request, hostileDrawing);
      await page.goto(`/sources/${id}`);
      const image = page.getByRole("main").locator("img");
      await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(200);
      await page.goto(`/sources/${id}#c=0-5`);
      await page.reload();
      await expect(page.getByRole("article", { name: "Text" }).locator("mark")).toHaveText("Depth");
    });

    await test.step("a line without an end", async () => {
      const { id, text } = await bring(request, endlessLine);
      await page.goto(`/sources/${id}${placeOf(text, "the very last words")}`);
      await expect(page.getByRole("article", { name: "Text" }).locator("mark")).toBeInViewport({ timeout: 20_000 });
      await expectNoSideScroll(page);
    });

    expect(dialogs).toEqual([]);
    expect(await hacked()).toBe(false);
  });
});
