import type { Page } from "@playwright/test";
import { expect, expectAccessible, expectNoSideScroll, test } from "./test";

const part = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

test.describe("settings", () => {
  // A refused value is a 422, which Chromium also writes to the console.
  test.use({ expectedErrors: [/status of 422/] });

  test("a model is tried, saved and kept, and its key is never shown", async ({ page, model }) => {
    model.says = ["ready"];
    await page.goto("/ask");
    await page.getByRole("navigation", { name: "Places" }).getByRole("link", { name: "Settings" }).click();
    const answers = part(page, "Answers");
    await expect(answers.getByRole("radio", { name: "None" })).toBeChecked();
    await expect(answers.getByRole("button", { name: "Save" })).toBeDisabled();
    await expectAccessible(page);

    await answers.getByText("Compatible", { exact: true }).click();
    await answers.getByLabel("Model").fill("sample");
    await answers.getByLabel("Address").fill("not an address");
    await answers.getByRole("button", { name: "Save" }).click();
    await expect(answers.getByLabel("Address")).toHaveAccessibleDescription(/http/);
    await expectAccessible(page);

    await answers.getByLabel("Address").fill(model.url);
    await answers.getByLabel("Key").fill("very-secret");
    await answers.getByRole("button", { name: "Test" }).click();
    await expect(answers.getByRole("status")).toHaveText(/^Answered in [\d.]+ m?s: “ready”$/);
    await answers.getByRole("button", { name: "Save" }).click();
    await expect(answers.getByRole("status")).toHaveText("Saved.");
    await expect(answers.getByLabel("Key")).toHaveValue("");
    await expect(answers.getByLabel("Key")).toHaveAccessibleDescription(/^A key is set/);

    await page.reload();
    await expect(answers.getByRole("radio", { name: "Compatible" })).toBeChecked();
    await expect(answers.getByLabel("Model")).toHaveValue("sample");
    await expect(answers.getByLabel("Address")).toHaveValue(model.url);
    expect(await page.content()).not.toContain("very-secret");

    await answers.getByLabel("Address").fill("http://127.0.0.1:9/v1");
    await answers.getByRole("button", { name: "Test" }).click();
    await expect(answers.getByRole("status")).toHaveText(/^No answer after [\d.]+ m?s\. .+\.$/);
    await expectAccessible(page);

    await answers.getByText("None", { exact: true }).click();
    await answers.getByRole("button", { name: "Save" }).click();
    await expect(answers.getByRole("status")).toHaveText("Saved.");
  });

  test("how citations are shown is kept", async ({ page }) => {
    await page.goto("/settings");
    const citations = part(page, "Citations");
    await citations.getByText("Raised ¹").click();
    await citations.getByLabel("Open the list of sources by itself").click();
    await citations.getByLabel("Sources shown at first").fill("x");
    await expect(citations.getByRole("button", { name: "Save" })).toBeDisabled();
    await citations.getByLabel("Sources shown at first").fill("7");
    await citations.getByRole("button", { name: "Save" }).click();
    await expect(citations.getByRole("status")).toHaveText("Saved.");
    await page.reload();
    await expect(citations.getByRole("radio", { name: "Raised ¹" })).toBeChecked();
    await expect(citations.getByLabel("Sources shown at first")).toHaveValue("7");
    await expect(citations.getByRole("button", { name: "Save" })).toBeDisabled();
    await expect(part(page, "About").getByText("SQLite")).toBeVisible();
    await part(page, "About").getByRole("link").click();
    await expect(page).toHaveURL(/\/status$/);
  });
});

test.describe("what the operator fixed", () => {
  test.use({ written: true });

  test("is shown with where it comes from, and cannot be changed", async ({ page }) => {
    await page.goto("/settings");
    const answers = part(page, "Answers");
    await expect(answers.getByText(/^Set on the command line of the server/)).toBeVisible();
    await expect(answers.getByText("sample")).toBeVisible();
    await expect(answers.getByRole("button")).toHaveCount(0);
    await expect(answers.getByRole("textbox")).toHaveCount(0);
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectNoSideScroll(page);
  });
});
