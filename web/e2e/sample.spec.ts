import { minutes } from "./files";
import { bring, expect, expectAccessible, expectNoSideScroll, test } from "./test";

test("the sample library is marked where it is listed, and goes as it came", async ({ page, request }) => {
  await test.step("it is offered where the library is empty", async () => {
    await page.goto("/library");
    await expect(page.getByRole("button", { name: "Load the sample library" })).toBeVisible();
    await expectAccessible(page);
    await page.goto("/sources");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Load the sample library" }).click();
    await expect(page.getByRole("table", { name: "Sources" }).getByText("sample", { exact: true })).toHaveCount(10, {
      timeout: 30_000,
    });
    await expect(page.getByText("10 documents of the sample library")).toBeVisible();
    await expectAccessible(page);
  });

  await test.step("what was asked is not suggested again", async () => {
    await bring(request, minutes);
    await page.goto("/ask");
    const questions = page.getByRole("region", { name: "Questions to the sample library" }).getByRole("button");
    await expect(questions).toHaveCount(3, { timeout: 30_000 });
    await expectAccessible(page);
    await questions.first().click();
    await expect(page.getByText(/^\d+ claims? · \d+ supported$/)).toBeVisible();
    await page.getByRole("navigation", { name: "Places" }).getByRole("link", { name: "Ask", exact: true }).click();
    await expect(page.getByRole("table", { name: "Conversations" }).getByRole("link")).toHaveCount(1);
    await expect(questions).toHaveCount(2);
    await expectAccessible(page);
  });

  await test.step("before it goes, it is said what rests on it; what is not of it stays", async () => {
    await page.goto("/sources");
    await page.getByRole("button", { name: "Remove the sample library" }).click();
    const dialog = page.getByRole("dialog", { name: "Remove the sample library" });
    await expect(dialog.getByText(/claims? in conversations and documents would lose/)).toBeVisible();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Remove" }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("table", { name: "Sources" }).getByRole("link")).toHaveText([minutes.name]);
    await expect(page.getByText("of the sample library")).toBeHidden();
  });

  await test.step("in the settings it comes and goes, too", async () => {
    await page.goto("/settings");
    const sample = page.getByRole("region", { name: "Sample library" });
    await sample.getByRole("button", { name: "Load the sample library" }).click();
    await expect(sample.getByText("10 documents in your library.")).toBeVisible({ timeout: 30_000 });
    await sample.getByRole("button", { name: "Remove the sample library" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await expect(sample.getByRole("button", { name: "Load the sample library" })).toBeVisible();
    await page.setViewportSize({ width: 360, height: 740 });
    await expectNoSideScroll(page);
    await expectAccessible(page);
  });
});
