import { ask, badges } from "./asking";
import { minutes, survey } from "./files";
import { bring, expect, expectAccessible, expectNoSideScroll, test } from "./test";

test("one's own sources suggest questions, and what people type first is answered", async ({ page, request }) => {
  await bring(request, minutes);
  await bring(request, survey);
  const questions = page.getByRole("region", { name: "Questions to your sources" }).getByRole("button");

  await test.step("a question that is suggested is answered with citations", async () => {
    await page.goto("/ask");
    await expect(questions.first()).toBeVisible();
    await expectAccessible(page);
    await expectNoSideScroll(page);
    const question = await questions.first().textContent();
    await questions.first().click();
    await expect(page.getByText(/^\d+ claims? · \d+ supported$/)).toBeVisible();
    await expect(badges(page).first()).toBeVisible();
    await page.goto("/ask");
    await expect(page.getByRole("table", { name: "Conversations" }).getByRole("link")).toHaveCount(1);
    await expect(questions.filter({ hasText: question! })).toHaveCount(0);
  });

  await test.step("a greeting is greeted, and the library can be looked over", async () => {
    await ask(page, "Hi!");
    const answer = page.getByRole("article", { name: "Answer" });
    await expect(answer).toContainText("Hello. You can ask about anything in your library");
    await ask(page, "What is in my library?");
    await expect(answer.last()).toContainText("Your library has 2 sources");
    await expect(badges(page).first()).toBeVisible();
    await expectAccessible(page);
  });
});
