import type { APIRequestContext } from "@playwright/test";
import { bringSample, entityNamed, waitUntilRead } from "./knowledge";
import { bring, expect, expectAccessible, test } from "./test";

/** Two files that name the same three people so shortly that only a reader can tell. */
async function bringDoubtfulNames(request: APIRequestContext): Promise<void> {
  const texts = {
    "ledger.txt": "A. Chen approved the budget. M. Okafor signed the lease. R. Lindqvist will send the plan.",
    "letters.txt": "Alice C. rejected the second draft. Mary O. reviewed the survey. Robert L. decided to wait.",
  };
  for (const [name, text] of Object.entries(texts)) {
    await bring(request, { name, mimeType: "text/plain", buffer: Buffer.from(text) });
    // The second is compared with the first.
    await waitUntilRead(request);
  }
}

test.describe("people and things", () => {
  test.setTimeout(240_000);

  test("are reviewed by keys, and what was said can be taken back", async ({ page, request }) => {
    await bringDoubtfulNames(request);
    const left = async () =>
      ((await (await request.get("/api/v1/entities/review")).json()) as { items: unknown[] }).items.length;
    const before = await left();
    expect(before, "pairs to review").toBe(3);
    await page.goto("/entities/review");
    const asked = page.getByRole("region", { name: "Are these two the same?" });
    const sides = asked.getByRole("article");
    await expect(sides).toHaveCount(2);
    await expect(page.getByText(`Pair 1 of ${before}`)).toBeVisible();
    await expect(asked.getByRole("link").nth(1)).toBeVisible();
    await expectAccessible(page);
    const names = () =>
      sides.evaluateAll((articles) => articles.map((article) => article.getAttribute("aria-label")).join(" / "));
    const first = await names();

    await test.step("to and fro", async () => {
      await page.keyboard.press("j");
      await expect(page.getByText(`Pair 2 of ${before}`)).toBeVisible();
      await page.keyboard.press("ArrowLeft");
      await expect(page.getByText(`Pair 1 of ${before}`)).toBeVisible();
      expect(await names()).toBe(first);
    });

    await test.step("different, and back", async () => {
      await page.keyboard.press("d");
      await expect(page.getByRole("status").filter({ hasText: "different" })).toBeVisible();
      expect(await names()).not.toBe(first);
      await expect.poll(left).toBe(before - 1);
      await page.keyboard.press("u");
      await expect.poll(names).toBe(first);
      await expect.poll(left).toBe(before);
    });

    await test.step("said and taken back at once, nothing is left of it", async () => {
      await page.keyboard.press("d");
      await page.keyboard.press("u");
      await expect.poll(left).toBe(before);
      await expect(page.getByText(`Pair 1 of ${before}`)).toBeVisible();
      expect(await names()).toBe(first);
    });

    await test.step("same, and back", async () => {
      await page.keyboard.press("s");
      await expect.poll(left).toBeLessThan(before);
      await expect(page.getByRole("status").filter({ hasText: "same" })).toBeVisible();
      await page.keyboard.press("u");
      await expect.poll(left).toBe(before);
      await expect.poll(names).toBe(first);
    });

    await test.step("until nobody is in doubt", async () => {
      for (let said = 0; said < before; said += 1) {
        await page.keyboard.press("d");
        await expect.poll(left).toBe(before - said - 1);
      }
      await expect(page.getByRole("heading", { name: "Nobody is in doubt" })).toBeVisible();
      await expectAccessible(page);
      await page.keyboard.press("u");
      await expect(sides).toHaveCount(2);
    });

    await test.step("the keys are listed, and g still goes", async () => {
      await page.keyboard.press("?");
      await expect(
        page.getByRole("dialog", { name: "Keys" }).getByText("Take back the last, in the review"),
      ).toBeVisible();
      await page.keyboard.press("Escape");
      await page.keyboard.press("g");
      await page.keyboard.press("s");
      await expect(page).toHaveURL(/\/sources$/);
    });
  });

  test("are put together and taken apart on their pages", async ({ page, request }) => {
    await bringSample(request);
    const [ines, keld] = [await entityNamed(request, "Ines Corrow"), await entityNamed(request, "Keld Brannock")];
    await page.goto(`/entities/${keld.entity_id}?view=same`);
    await page.getByRole("button", { name: "It is known by another name…" }).click();
    const dialog = page.getByRole("dialog", { name: "Who is it?" });
    await dialog.getByRole("searchbox").fill("corrow");
    await expect(dialog.getByRole("list", { name: "Who it may be" }).getByRole("button")).toHaveCount(1);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: /Ines Corrow/ }).click();
    await expect(dialog.getByText("it can be taken apart again")).toBeVisible();
    await dialog.getByRole("button", { name: "Put together" }).click();
    await expect(page).toHaveURL(new RegExp(`/entities/${ines.entity_id}`));
    await page.goto(`/entities/${keld.entity_id}`);
    await expect(page.getByText("Counted as")).toBeVisible();
    await expectAccessible(page);
    await page.goto(`/entities/${ines.entity_id}?view=same`);
    await page.getByRole("button", { name: "Take apart: Keld Brannock" }).click();
    await expect(page.getByRole("button", { name: "Take apart: Keld Brannock" })).toBeHidden();
    await page.goto("/entities?q=keld");
    await expect(page.getByRole("table").getByRole("link", { name: "Keld Brannock" })).toBeVisible();
  });
});
