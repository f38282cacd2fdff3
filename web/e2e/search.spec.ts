import { minutes, soundings, survey } from "./files";
import { bring, clipboard, expect, expectAccessible, expectNoSideScroll, test } from "./test";

test("passages are found, filtered and opened at their words, all of it in the address", async ({ page, request }) => {
  for (const file of [minutes, soundings, survey]) await bring(request, file);
  const results = page.getByRole("list", { name: "Results" });
  const rows = results.getByRole("heading").getByRole("link");

  await test.step("by words, with how long it took", async () => {
    await page.goto("/search");
    await expect(page.getByRole("heading", { name: "Find the exact words" })).toBeVisible();
    await page.keyboard.press("/");
    await page.keyboard.type("depth at the quay");
    await expect(page).toHaveURL(/\/search\?q=depth(%20|\+)at(%20|\+)the(%20|\+)quay$/);
    await expect(page.getByText(/^\d+ results? from \d+ passages in (< 1 ms|\d+ ms|\d+\.\d s)$/)).toBeVisible();
    await expect(results.locator("mark").first()).toHaveText("depth");
    await expect(results.getByRole("link", { name: "Page 3" }).first()).toBeVisible();
    await expectAccessible(page);
    await expectNoSideScroll(page);
  });

  await test.step("narrowed and widened", async () => {
    await page.getByText("Filters", { exact: true }).click();
    await page.getByLabel("Origin").selectOption({ label: "The web" });
    await expect(page).toHaveURL(/origin=web/);
    await expect(page.getByRole("heading", { name: "Nothing found" })).toBeVisible();
    await page.getByLabel("From").fill("1999-01-01");
    await expect(page).toHaveURL(/from=1999-01-01/);
    await page.getByRole("button", { name: "Take all away" }).click();
    await expect(page).toHaveURL(/\?q=[^&]+$/);
    await expect(rows.first()).toBeVisible();
    await page.getByText("Widen the search").click();
    await page.getByLabel("Also show the passages right before and after each one found").check();
    await expect(page).toHaveURL(/expand_neighbors=true/);
    await page.getByLabel("Change", { exact: true }).check();
    await expect(page).toHaveURL(/graph_filters=/);
    // The answer of before is pale until the next is here.
    await expect(page.locator("main [aria-busy=true]")).toHaveCount(0);
    await expectAccessible(page);
    await page.reload();
    await expect(page.getByLabel("Also show the passages right before and after each one found")).toBeChecked();
    await expect(page.getByLabel("Change", { exact: true })).toBeChecked();
    await expect(page.getByRole("searchbox")).toHaveValue("depth at the quay");
  });

  await test.step("by keyboard, to the words and back", async () => {
    await expect(rows.first()).toBeVisible();
    const name = await rows.first().textContent();
    await page.keyboard.press("j");
    await expect(rows.nth(0)).toBeFocused();
    await page.keyboard.press("j");
    await expect(rows.nth(1)).toBeFocused();
    await page.keyboard.press("k");
    await page.keyboard.press("o");
    await expect(page).toHaveURL(/\/sources\/[0-9a-f-]{36}\?revision=[0-9a-f-]{36}#c=\d+-\d+$/);
    await expect(page.getByRole("heading", { level: 1, name: name! })).toBeVisible();
    await expect(page.locator("mark").first()).toBeInViewport();
    await page.goBack();
    await expect(rows.first()).toBeVisible();
    await page.keyboard.press("g");
    await page.keyboard.press("d");
    await expect(page).toHaveURL(/\/ground$/);
  });
});

test.describe("a search that fails", () => {
  test.use({ expectedErrors: [/status of (500|422)/] });

  test("says so and can be tried again", async ({ page }) => {
    let failing = true;
    await page.route("**/api/v1/search", async (route) => {
      if (!failing) return route.continue();
      return route.fulfill({
        status: 500,
        contentType: "application/problem+json",
        json: { status: 500, code: "internal", detail: "The index did not answer." },
      });
    });
    await page.goto("/search?q=mole");
    await expect(page.getByText("The index did not answer.")).toBeVisible();
    await expectAccessible(page);
    failing = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("heading", { name: "Nothing found" })).toBeVisible();
  });
});

test("a draft is bound to the words that support it, and what nothing supports is listed", async ({
  page,
  request,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { id } = await bring(request, survey);
  const draft = page.getByLabel("Your text");
  const claims = page.getByRole("region", { name: "Claim by claim" }).getByRole("listitem");
  await page.goto("/ground");
  await expect(page.getByRole("button", { name: "Find the evidence" })).toBeDisabled();
  await draft.fill("🚢 The depth at the quay is 7.2 m. The lighthouse was painted green in 1950.");
  await page.keyboard.press("Control+Enter");

  await test.step("verdicts are in words", async () => {
    await expect(page.getByText("2 claims: 1 supported, 1 without evidence.")).toBeVisible();
    await expect(claims.nth(0)).toContainText("Supported");
    await expect(claims.nth(0).getByRole("blockquote")).toContainText("The depth at the quay is 7.2 m");
    await expect(claims.nth(1)).toContainText("No evidence found");
    await expect(page.getByRole("link", { name: "Citation 1, supported" })).toBeVisible();
    await expectAccessible(page);
    await expectNoSideScroll(page);
  });

  await test.step("the annotated text can be copied", async () => {
    await page.getByRole("button", { name: "Copy Markdown" }).click();
    await expect(page.getByText("Copied")).toBeVisible();
    await expect.poll(() => clipboard(page)).toMatch(/7\.2 m \[1\]\./);
  });

  await test.step("grounded again, the page stays where it is", async () => {
    await draft.press("Control+End");
    await draft.pressSequentially(" It is half a metre less than in 1927.");
    await expect(page.getByText("The text has changed since this was found.")).toBeVisible();
    await expect(claims).toHaveCount(2);
    await page.evaluate(() => scrollTo(0, 300));
    const before = await page.evaluate(() => scrollY);
    await page.keyboard.press("Control+Enter");
    await expect(claims).toHaveCount(3);
    expect(await page.evaluate(() => scrollY)).toBe(before);
    await expect(draft).toBeFocused();
  });

  await test.step("a claim leads to its words, and back to the draft", async () => {
    await claims.nth(0).getByRole("link").click();
    await expect(page).toHaveURL(new RegExp(`/sources/${id}\\?revision=.*#c=`));
    await expect(page.locator("mark").first()).toContainText("The depth at the quay is 7.2 m");
    await page.goBack();
    await expect(claims).toHaveCount(3);
    await expect(draft).toHaveValue(/1927\.$/);
  });
});
