import { minutes, report, survey, unreadable } from "./files";
import { expect, expectAccessible, expectNoSideScroll, test, upload } from "./test";

test("a file becomes a source, is read, is found at its exact place, is described and deleted", async ({ page }) => {
  const table = page.getByRole("table", { name: "Sources" });
  const tray = page.getByRole("region", { name: "Uploads" });
  const text = page.getByRole("article", { name: "Text" });

  await test.step("the start says what to do", async () => {
    await page.goto("/sources");
    await expect(page.getByRole("heading", { name: "No sources yet" })).toBeVisible();
    await expectAccessible(page);
    await expectNoSideScroll(page);
  });

  await test.step("a file comes in and is found by its words without a reload", async () => {
    await upload(page, [survey]);
    await expect(tray.getByText("1 file added")).toBeVisible();
    await expect(table.getByRole("row", { name: /Survey of the quay.*(Indexed|Ready)/ })).toBeVisible();
    await expectAccessible(page);
    await tray.getByRole("button", { name: "Done" }).click();
  });

  await test.step("the same bytes again are already here", async () => {
    await upload(page, [survey]);
    await expect(tray.getByText("Already here", { exact: true })).toBeVisible();
    await tray.getByRole("button", { name: "Done" }).click();
    await expect(table.getByRole("link")).toHaveCount(1);
  });

  await test.step("it opens with its headings, and markup is shown as text", async () => {
    await table.getByRole("link", { name: "Survey of the quay" }).click();
    await expect(page).toHaveURL(/\/sources\/[0-9a-f-]{36}$/);
    await expect(page.getByRole("heading", { level: 1, name: "Survey of the quay" })).toBeVisible();
    await expect(text.getByRole("heading", { name: "Depth at low water" })).toBeVisible();
    await expect(text.getByText("<b>Not bold</b>")).toBeVisible();
    await expectAccessible(page);
    await expectNoSideScroll(page);
  });

  await test.step("a place in the address is marked, counted in characters", async () => {
    const words = "The depth at the quay is 7.2 m";
    const whole = survey.buffer.toString();
    const start = [...whole.slice(0, whole.indexOf(words))].length;
    await page.goto(`${new URL(page.url()).pathname}#c=${start}-${start + words.length}`);
    await expect(text.locator("mark")).toHaveText(words);
    await expect(text.locator("mark")).toBeInViewport();
    await expectAccessible(page);
    // Another place of the same text, without another load.
    await page.evaluate(() => (location.hash = "c=2-8"));
    await expect(text.locator("mark")).toHaveText("Survey");
    await page.evaluate(() => (location.hash = "c=900000-900001"));
    await expect(page.getByText("The place that the address names is not in this version of the text.")).toBeVisible();
  });

  await test.step("a passage leads to its place", async () => {
    await page
      .getByRole("navigation", { name: "Views of this source" })
      .getByRole("link", { name: "Passages" })
      .click();
    await page.getByRole("link", { name: "Passage 1" }).click();
    await expect(page).toHaveURL(/#c=\d+-\d+$/);
    await expect(text.locator("mark").first()).toBeVisible();
  });

  await test.step("its title is changed", async () => {
    await page.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog", { name: "Edit" });
    await dialog.getByLabel("Title").fill("Soundings of 1931");
    await dialog.getByLabel("Author").fill("Berg, Anna; Ek, Jon");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("heading", { level: 1, name: "Soundings of 1931" })).toBeVisible();
    await page.getByRole("navigation", { name: "Views of this source" }).getByRole("link", { name: "About" }).click();
    await expect(page.getByText("Author, Title").or(page.getByText("Authors, Title"))).toBeVisible();
    await page.reload();
    await expect(page.getByRole("heading", { level: 1, name: "Soundings of 1931" })).toBeVisible();
    await expectAccessible(page);
  });

  await test.step("it is deleted, after what goes with it was said", async () => {
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete this source" });
    await expect(dialog.getByRole("list", { name: "What goes with it" })).toContainText("1 version of its content");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(page).toHaveURL(/\/sources$/);
    await expect(page.getByRole("heading", { name: "No sources yet" })).toBeVisible();
  });
});

test("sources are searched and sorted by how far they came, all of it in the address", async ({ page }) => {
  const table = page.getByRole("table", { name: "Sources" });
  await page.goto("/sources");
  await upload(page, [minutes, report, unreadable]);
  await expect(table.getByRole("row", { name: /soundings\.bin.*No text: / })).toBeVisible();
  await expect(table.getByRole("row", { name: /(Indexed|Ready)/ })).toHaveCount(2);

  const byStatus = page.getByRole("navigation", { name: "Sources by status" });
  await expect(byStatus.getByRole("link", { name: "All 3" })).toBeVisible();
  await byStatus.getByRole("link", { name: "No text 1" }).click();
  await expect(page).toHaveURL(/\/sources\?status=failed$/);
  await expect(table.getByRole("link")).toHaveCount(1);
  await byStatus.getByRole("link", { name: "All" }).click();

  await page.keyboard.press("/");
  await page.keyboard.type("rebuilt mole");
  await expect(page).toHaveURL(/\?q=rebuilt(%20|\+)mole$/);
  await expect(table.getByRole("link")).toHaveCount(1);
  await page.reload();
  await expect(page.getByRole("searchbox")).toHaveValue("rebuilt mole");
  await expect(table.getByRole("link")).toHaveCount(1);
  await page.getByRole("searchbox").fill("");
  await expect(page).toHaveURL(/\/sources$/);
  await expect(table.getByRole("link")).toHaveCount(3);
});

test.describe("what cannot be", () => {
  // A refused field is a 422, which Chromium also writes to the console.
  test.use({ expectedErrors: [/status of (404|422)/] });

  test("is said where it was written", async ({ page }) => {
    await page.goto("/sources");
    const address = page.getByLabel("Address");
    await address.fill("harbour");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await expect(address).toHaveAccessibleDescription(/not an absolute http or https address/);

    await page.getByRole("button", { name: "Add by hand" }).click();
    const dialog = page.getByRole("dialog", { name: "Add by hand" });
    await expect(dialog.getByRole("button", { name: "Add source" })).toBeDisabled();
    await dialog.getByLabel("Title").fill("Havnens historie");
    await dialog.getByLabel("Date").fill("long ago");
    await dialog.getByRole("button", { name: "Add source" }).click();
    await expect(dialog.getByLabel("Date")).toHaveAccessibleDescription(/'long ago' is not a date/);
    await expectAccessible(page);
    await dialog.getByLabel("Date").fill("1941");
    await dialog.getByRole("button", { name: "Add source" }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("row", { name: /Havnens historie.*1941.*Description only/ })).toBeVisible();
  });

  test("an unknown source is said to be unknown", async ({ page }) => {
    await page.goto("/sources/01a1e1a3-19ff-77dd-a08a-9d1b583058f2");
    await expect(page.getByText("The source could not be opened.")).toBeVisible();
  });
});
