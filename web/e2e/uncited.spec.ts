import { ask, bring } from "./asking";
import { minutes, survey } from "./files";
import { expect, expectAccessible, expectNoSideScroll, test } from "./test";

test.use({ written: true });

test("an answer marks in the margin what has no source, and offers one", async ({ page, request, model }) => {
  await bring(request, [minutes, survey]);
  let checks = 0;
  page.on("request", (one) => (checks += one.url().endsWith("/citations/verify") ? 1 : 0));
  model.says = [
    "The mole was rebuilt in 1931 [1]. Mr Aðalsteinn asked for the accounts 🚢.\n\n- **The lighthouse** was painted green in 1950.\n\nIs that so?",
  ];
  await page.goto("/ask");
  await ask(page, "When was the mole rebuilt?");
  const answer = page.getByRole("article", { name: "Answer" });
  const marks = answer.getByRole("button", { name: /^no source given: / });
  await expect(marks).toHaveCount(2);
  await expect(marks.first()).toHaveAccessibleName(/^no source given: Mr Aðalsteinn asked for the accounts/);
  await expect(marks.last()).toHaveAccessibleName("no source given: The lighthouse was painted green in 1950.");
  const [text, mark] = [(await answer.boundingBox())!, (await marks.first().boundingBox())!];
  expect(mark.x + mark.width).toBeLessThanOrEqual(text.x);
  await expectAccessible(page);
  await expectNoSideScroll(page);

  const offer = page.getByRole("dialog", { name: "No source given" });
  await marks.first().click();
  await expect(offer.locator("mark")).toHaveText(/^Mr Aðalsteinn asked for the accounts/);
  await expect(offer.getByText("harbour-minutes.txt · says this")).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(offer).toBeHidden();
  await expect(marks.first()).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(offer.getByText("Nothing in your library says this.")).toBeVisible();
  await page.keyboard.press("Escape");
  await marks.first().click();
  await offer.getByRole("link", { name: "Open harbour-minutes.txt" }).click();
  await expect(page.getByRole("article", { name: "Text" }).locator("mark")).toHaveText(
    /^Mr Aðalsteinn asked for the accounts/,
  );
  await page.goBack();
  await expect(marks).toHaveCount(2);
  expect(checks).toBe(1);
});
