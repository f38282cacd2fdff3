import { expect, expectNoSideScroll, test } from "./test";

test("the guide is part of the program, and its search works without the web", async ({ page, request }) => {
  await page.goto("/docs/guide");
  await expect(page).toHaveURL(/\/docs\/guide\/$/);
  await page.getByRole("link", { name: "Quick start" }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Quick start" })).toBeVisible();

  await page.keyboard.press("Control+k");
  await page.getByRole("searchbox").fill("evidence bundle");
  await expect(page.getByRole("option").first()).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).not.toHaveURL(/quick-start/);

  await page.setViewportSize({ width: 360, height: 700 });
  for (const name of ["commands", "configuration", "errors", "citations"]) {
    await page.goto(`/docs/guide/${name}.html`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expectNoSideScroll(page);
  }
  const missing = await request.get("/docs/guide/nothing-here");
  expect(missing.status()).toBe(404);
  expect(await missing.text()).not.toContain('id="root"');
});
