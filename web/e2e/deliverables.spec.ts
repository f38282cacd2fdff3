import { ask, bring } from "./asking";
import { minutes, survey } from "./files";
import { expect, expectAccessible, expectNoSideScroll, test } from "./test";

test("an answer is handed on as a report, a website and a presentation", async ({ page, request, context }) => {
  await bring(request, [minutes, survey]);
  await page.goto("/ask");
  await ask(page, "When was the mole rebuilt?");
  await page.getByRole("button", { name: "Share…" }).click();
  const made = page.getByRole("region", { name: "Share" });
  for (const [kind, link] of [
    ["report", "PDF"],
    ["website", "Open"],
    ["presentation", "Open"],
  ] as const) {
    await made.getByRole("button", { name: `Make a ${kind}` }).click();
    const row = made.getByRole("listitem").filter({ hasText: new RegExp(kind, "i") });
    await expect(row.getByRole("link", { name: link, exact: true })).toBeVisible();
    await expect(row.getByRole("link", { name: /^All files/ })).toHaveAttribute("href", /\/zip$/);
  }
  await expectAccessible(page);
  await expectNoSideScroll(page);
  await page.screenshot({ path: test.info().outputPath("handed-on.png"), fullPage: true });

  // What was made opens by itself, shut off from everything, and still has its evidence.
  const opening = context.waitForEvent("page");
  await made.getByRole("listitem").filter({ hasText: "Presentation" }).getByRole("link", { name: "Open" }).click();
  const slides = await opening;
  await expect(slides.getByRole("heading", { level: 1 })).toHaveText("When was the mole rebuilt?");
  await slides.keyboard.press("ArrowRight");
  await expect(slides.locator("#slide-2 .evidence")).toBeInViewport();
  await expect(slides.locator("#slide-2")).toContainText("The mole was rebuilt in 1931");

  await page.reload();
  await page.getByRole("button", { name: "Share…" }).click();
  await expect(made.getByRole("link", { name: /^All files/ })).toHaveCount(3);
});
