import { minutes, picture, report } from "./files";
import { expect, expectAccessible, expectNoSideScroll, test, upload } from "./test";

test("files come in, become a snapshot, are checked, and are still there after a reload", async ({ page }) => {
  await page.goto("/library");
  await expect(page.getByRole("heading", { name: "Nothing is kept yet" })).toBeVisible();
  await expectAccessible(page);
  await expectNoSideScroll(page);

  const files = page.getByRole("table", { name: "Files" });
  const tray = page.getByRole("region", { name: "Uploads" });
  const panel = page.getByRole("complementary");

  await test.step("two files are kept", async () => {
    await upload(page, [minutes, report]);
    await expect(tray.getByText("2 files kept")).toBeVisible();
    await expect(files.getByRole("link", { name: minutes.name })).toBeVisible();
    await expect(files.getByRole("link", { name: report.name })).toBeVisible();
    await expectAccessible(page);
    await tray.getByRole("button", { name: "Done" }).click();
  });

  await test.step("the same bytes again are already here", async () => {
    await upload(page, [minutes]);
    await expect(tray.getByText("Already here", { exact: true })).toBeVisible();
    await tray.getByRole("button", { name: "Done" }).click();
    await expect(files.getByRole("link")).toHaveCount(2);
  });

  await test.step("one opens and can be read", async () => {
    await files.getByRole("link", { name: minutes.name }).click();
    await expect(page).toHaveURL(/\/library\/files\/[0-9a-f]{64}$/);
    await expect(panel.getByText("The mole was rebuilt in 1931 after the storm")).toBeVisible();
    await expect(panel.getByText("Mr Aðalsteinn")).toBeVisible();
    await expect(panel.getByText("text/plain")).toBeVisible();
    await expectAccessible(page);
    await expectNoSideScroll(page);
    const download = page.waitForEvent("download");
    await panel.getByRole("link", { name: "Download" }).click();
    expect((await download).suggestedFilename()).toBe(minutes.name);
    await panel.getByRole("button", { name: "Close panel" }).click();
    await expect(page).toHaveURL(/\/library$/);
  });

  await test.step("markup is shown as text and a picture as a picture", async () => {
    await upload(page, [picture]);
    await expect(tray.getByText("1 file kept")).toBeVisible();
    await tray.getByRole("button", { name: "Done" }).click();
    await files.getByRole("link", { name: picture.name }).click();
    const image = panel.getByRole("img", { name: picture.name });
    await expect(image).toBeVisible();
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(64);
    await panel.getByRole("button", { name: "Close panel" }).click();
    await files.getByRole("link", { name: report.name }).click();
    await expect(panel.getByText("<script>alert('never')</script>")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(panel).toBeHidden();
  });

  await test.step("a snapshot is made", async () => {
    await page.getByRole("checkbox", { name: `Select ${minutes.name}` }).check();
    await page.getByRole("checkbox", { name: `Select ${report.name}` }).check();
    await page.getByRole("button", { name: "Make a snapshot" }).click();
    const dialog = page.getByRole("dialog", { name: "Make a snapshot" });
    await expect(dialog.getByLabel("Namespace")).toHaveValue("default");
    await dialog.getByLabel("Name", { exact: true }).fill("harbour/1931");
    await dialog.getByLabel("Message").fill("What the board had on the table");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Make snapshot" }).click();
    await expect(page).toHaveURL(/\/library\/snapshots\/default\/harbour\/1931$/);
    await expect(page.getByRole("heading", { name: "harbour/1931" })).toBeVisible();
    await expect(page.getByText("2 files")).toBeVisible();
    await expect(page.getByRole("list", { name: "Files" }).getByRole("link", { name: minutes.name })).toBeVisible();
    await expectAccessible(page);
    await expectNoSideScroll(page);
  });

  await test.step("it has a history and a zip, and stands in the list", async () => {
    await page.getByRole("link", { name: "History" }).click();
    const history = page.getByRole("table", { name: "History" });
    await expect(history.getByRole("link", { name: "What the board had on the table" })).toBeVisible();
    await expect(history.getByText(/nothing → [0-9a-f]{10}/)).toBeVisible();
    await expectAccessible(page);
    await expectNoSideScroll(page);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download as zip" }).click();
    expect((await download).suggestedFilename()).toMatch(/\.zip$/);
    await page.getByRole("navigation", { name: "Where this is" }).getByRole("link", { name: "Snapshots" }).click();
    await expect(
      page.getByRole("table", { name: "Snapshots in default" }).getByRole("link", { name: "harbour/1931" }),
    ).toBeVisible();
    await expectAccessible(page);
  });

  await test.step("a check of everything is seen to succeed, live", async () => {
    await page.getByRole("navigation", { name: "Places" }).getByRole("link", { name: "Jobs" }).click();
    await expect(page.getByText("Live: this list changes as the work goes on.")).toBeVisible();
    await page.getByRole("button", { name: "Check everything" }).click();
    const jobs = page.getByRole("table", { name: "Jobs" });
    await expect(jobs.getByRole("cell", { name: "Done" })).toBeVisible({ timeout: 30_000 });
    await jobs.getByRole("link", { name: "Check everything" }).click();
    await expect(panel.getByRole("heading", { name: "Result" })).toBeVisible();
    await expectAccessible(page);
    await expectNoSideScroll(page);
  });

  await test.step("after a reload all of it is still there", async () => {
    await page.reload();
    await expect(panel.getByRole("heading", { name: "Check everything" })).toBeVisible();
    await page.goto("/library");
    for (const { name } of [minutes, report, picture]) await expect(files.getByRole("link", { name })).toBeVisible();
    await page.goto("/library/snapshots/default/harbour/1931");
    await expect(page.getByText("2 files")).toBeVisible();
    await page.goto("/status");
    await expect(page.getByText("Ready: everything Ibid needs answers.")).toBeVisible();
    await expectAccessible(page);
    await expectNoSideScroll(page);
  });
});
