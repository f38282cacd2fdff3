import { clipboard, expect, expectAccessible, test } from "./test";
import { fetched, make, open, saved, sheets, text, write } from "./writing";

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

test.describe("versions", () => {
  test("are listed, compared and restored, each at its address", async ({ page, request }) => {
    const { document_id: id } = await make(request, { text: "One two three." });
    await request.patch(`/api/v1/documents/${id}`, {
      data: { base_version: 1, text: "One 2 three.", message: "A figure" },
    });
    await open(page, id);
    await page.getByRole("button", { name: "History" }).click();
    await expect(page).toHaveURL(/panel=history/);
    const versions = page.getByRole("list", { name: "Versions" });
    await expect(versions.getByRole("listitem").first()).toContainText("A figure");
    await versions.getByRole("link", { name: "Version 2" }).click();
    await expect(page).toHaveURL(/version=2/);
    const changes = page.getByRole("article", { name: "Changes" });
    await expect(changes.getByRole("insertion")).toContainText("2");
    await expect(changes.getByRole("deletion")).toContainText("two");
    await expectAccessible(page);
    await versions.getByRole("link", { name: "Version 1" }).click();
    await page.getByRole("button", { name: "Compare with now" }).click();
    await expect(page).toHaveURL(/against=now/);
    await expect(changes.getByRole("insertion")).toContainText("2");
    await page.getByRole("button", { name: "Restore version 1" }).click();
    await expect(text(page)).toHaveText("One two three.");
    expect((await fetched(request, id)).version).toBe(3);
    await write(page, " Four.");
    await expect(page.getByText("Saved · version 4")).toBeVisible();
  });

  test.describe("of two at once", () => {
    test.use({ expectedErrors: [/409/] });

    test("are shown side by side, and none is lost", async ({ page, request }) => {
      const { document_id: id } = await make(request, { text: "The mole stands." });
      await open(page, id);
      const theirs = (words: string) => request.patch(`/api/v1/documents/${id}`, { data: { text: words } });
      const dialog = page.getByRole("dialog", { name: "Changed elsewhere" });

      await theirs("The mole fell.");
      await write(page, " It is old.");
      await expect(dialog).toBeVisible();
      await expect(dialog.getByRole("article", { name: "Theirs" })).toHaveText("The mole fell.");
      await expect(dialog.getByRole("article", { name: "Yours" })).toHaveText("The mole stands. It is old.");
      await expectAccessible(page);
      await dialog.getByRole("button", { name: "Copy mine" }).click();
      await expect.poll(() => clipboard(page)).toBe("The mole stands. It is old.");
      await dialog.getByRole("button", { name: "Keep mine" }).click();
      await expect(dialog).toBeHidden();
      await expect.poll(async () => (await fetched(request, id)).text).toBe("The mole stands. It is old.");

      await theirs("The mole is gone.");
      await write(page, " Very old.");
      await dialog.getByRole("button", { name: "Take theirs" }).click();
      await expect(text(page)).toHaveText("The mole is gone.");
      await expect(saved(page)).toBeVisible();
    });
  });

  test.describe("without a server", () => {
    test.use({ expectedErrors: [/Failed to load resource|ERR_/] });

    test("are kept in the browser until it is back, also over a reload", async ({ page, request, context }) => {
      const { document_id: id } = await make(request, { text: "The mole stands." });
      await open(page, id);
      await context.route(`**/api/v1/documents/${id}`, (route) =>
        route.request().method() === "PATCH" ? route.abort() : route.continue(),
      );
      await write(page, " Not lost.");
      await expect(page.getByText("Not saved: offline")).toBeVisible();
      expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).toContain("The mole stands. Not lost.");
      expect((await fetched(request, id)).text).toBe("The mole stands.");
      await page.getByRole("button", { name: "Retry" }).click();
      await expect(page.getByText("Not saved: offline")).toBeVisible();
      await context.unrouteAll();
      await page.reload();
      await expect(text(page)).toHaveText("The mole stands. Not lost.");
      await expect(saved(page)).toBeVisible();
      expect((await fetched(request, id)).text).toBe("The mole stands. Not lost.");
    });
  });
});

test("the pages keep up, keep their place, and say what does not compile", async ({ page, request }) => {
  test.setTimeout(120_000);
  const long = Array.from(
    { length: 160 },
    (_, index) => `Paragraph ${index} tells of the tide, the boats and the quay, and of nothing else.`,
  ).join("\n\n");
  const { document_id: id } = await make(request, { format: "typst", text: `= Tides\n\n${long}` });

  await test.step("they go to the page of the address", async () => {
    await open(page, id, "?page=3");
    await expect(page.getByRole("img", { name: /^Page 3 of \d+$/ })).toBeInViewport();
  });

  await test.step("a page that is replaced does not move", async () => {
    const scroller = page.getByRole("group", { name: "Pages as printed" });
    const before = await scroller.evaluate((element) => element.scrollTop);
    const third = page.getByRole("img", { name: /^Page 3 of/ });
    const old = await third.getAttribute("src");
    await text(page).click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("End");
    await page.keyboard.type(" and more of them, at length, for the heading to grow");
    await expect(scroller).toHaveAttribute("aria-busy", "false");
    expect(await scroller.evaluate((element) => element.scrollTop)).toBe(before);
    await page.keyboard.press("Enter");
    await page.keyboard.type("\nA new paragraph before all the others, which moves what is below it.\n");
    await expect(third).not.toHaveAttribute("src", old!);
    expect(Math.abs((await scroller.evaluate((element) => element.scrollTop)) - before)).toBeLessThan(40);
  });

  await test.step("one preview is asked for at a time", async () => {
    let [now, most] = [0, 0];
    await page.route(`**/documents/${id}/preview`, async (route) => {
      now += 1;
      most = Math.max(most, now);
      const answer = await route.fetch();
      now -= 1;
      await route.fulfill({ response: answer });
    });
    await page.keyboard.type("many words in a row, without a pause", { delay: 15 });
    await expect(page.getByRole("group", { name: "Pages as printed" })).toHaveAttribute("aria-busy", "false");
    expect(most).toBe(1);
    await page.unrouteAll({ behavior: "wait" });
  });

  await test.step("a fault is listed with its place, and the last good pages stay", async () => {
    await page.keyboard.type(" #broken");
    const faults = page.getByRole("list", { name: "What does not compile" });
    await expect(faults.getByRole("listitem").first()).toContainText("broken");
    await expect(sheets(page).first()).toBeAttached();
    await expect(page.locator(".cm-lint-marker")).toHaveCount(1);
    await expectAccessible(page);
    await page.keyboard.press("Control+End");
    await faults.getByRole("button").first().click();
    await expect(text(page)).toBeFocused();
    await page.keyboard.press("End");
    for (let letters = "#broken".length; letters > 0; letters -= 1) await page.keyboard.press("Backspace");
    await expect(faults).toBeHidden();
  });
});
