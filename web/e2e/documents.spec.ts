import type { APIRequestContext, Page } from "@playwright/test";
import { post } from "./asking";
import { minutes, survey } from "./files";
import { bring, expect, expectAccessible, expectNoSideScroll, test } from "./test";

interface Doc {
  document_id: string;
  version: number;
  text: string;
  style: string;
}

const make = (request: APIRequestContext, body: object) => post<Doc>(request, "/api/v1/documents", { title: "The mole", ...body });
const fetched = async (request: APIRequestContext, id: string) => (await (await request.get(`/api/v1/documents/${id}`)).json()) as Doc;

const text = (page: Page) => page.getByRole("textbox", { name: "Text of the document" });
const saved = (page: Page) => page.getByText(/^Saved · version \d+$/);
const badges = (page: Page) => page.locator("[data-citation]");
const sheets = (page: Page) => page.getByRole("group", { name: "Pages as printed" }).getByRole("img");
const ownSources = (page: Page) => page.getByRole("list", { name: "Sources of this document" }).getByRole("listitem");

async function open(page: Page, id: string, search = "") {
  await page.goto(`/documents/${id}${search}`);
  await expect(text(page)).toBeVisible();
}

/** Writes at the end of the text. */
async function write(page: Page, words: string) {
  await text(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(words);
}

/** Cites by the keyboard the first passage that is found. */
async function cite(page: Page, words: string) {
  await page.keyboard.press("Control+Shift+C");
  const box = page.getByRole("dialog", { name: "Cite a passage" });
  await expect(box.getByRole("combobox")).toBeFocused();
  await page.keyboard.type(words);
  await expect(box.getByRole("option").first()).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(box).toBeHidden();
}

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

test("a document is begun, written, cited, set and taken away", async ({ page, request }) => {
  test.setTimeout(120_000);
  const source = await bring(request, minutes);

  await test.step("the place has an empty list that says what to do", async () => {
    await page.goto("/sources");
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await expect(page).toHaveURL(/\/documents$/);
    await expect(page.getByRole("heading", { name: "No documents yet" })).toBeVisible();
    await expectAccessible(page);
  });

  await test.step("a document has a title, a format and a style", async () => {
    await page.getByRole("button", { name: "New document" }).click();
    const dialog = page.getByRole("dialog", { name: "New document" });
    await page.keyboard.type("The mole of the north");
    await expectAccessible(page);
    await dialog.getByRole("combobox", { name: "Style" }).fill("ieee");
    await dialog.getByRole("option").first().click();
    await dialog.getByRole("button", { name: "Begin" }).click();
    await expect(page).toHaveURL(/\/documents\/[0-9a-f-]+$/);
    await expect(page.getByRole("button", { name: "Style: IEEE" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Draft from sources" })).toBeVisible();
  });
  const id = page.url().split("/").at(-1)!;

  await test.step("what is typed is saved after a pause, and on the pages", async () => {
    await write(page, "The mole was rebuilt in 1931.");
    await expect(saved(page)).toBeVisible();
    await expect.poll(async () => (await fetched(request, id)).text).toBe("The mole was rebuilt in 1931.");
    await expect(sheets(page).first()).toBeVisible();
    expect(await sheets(page).first().getAttribute("src")).toMatch(/^blob:/);
    await expectAccessible(page);
  });

  await test.step("a passage is cited at the cursor, by keys alone", async () => {
    await cite(page, "mole rebuilt storm");
    await expect(badges(page)).toHaveText(["1"]);
    await expect(saved(page)).toBeVisible();
    await expect.poll(async () => (await fetched(request, id)).text).toBe("The mole was rebuilt in 1931.[^1]");
    const { items } = (await (await request.get(`/api/v1/documents/${id}/citations`)).json()) as { items: { source_id: string; quote: string; citation_number: number; position: number; is_marked: boolean }[] };
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ source_id: source.id, citation_number: 1, position: 29, is_marked: true });
    expect(source.text).toContain(items[0]!.quote);
    await expect(ownSources(page)).toHaveCount(1);
    await expect(ownSources(page).first()).toContainText("cited once");
    await expect(page.getByRole("region", { name: "References" }).getByRole("listitem")).toHaveCount(1);
  });

  await test.step("its number shows the evidence, and leads to the words", async () => {
    await badges(page).first().hover();
    const card = page.locator("[data-card]");
    await expect(card.locator("mark")).toContainText("rebuilt in 1931");
    await expectAccessible(page);
    await card.getByRole("button", { name: "Copy citation" }).click();
    await expect(card.getByText("Copied")).toBeVisible();
    expect((await page.evaluate(() => navigator.clipboard.readText())).length).toBeGreaterThan(5);
    await expect(card.getByRole("link", { name: /^Open/ })).toHaveAttribute("href", new RegExp(`^/sources/${source.id}\\?revision=.*#c=\\d+-\\d+$`));
    await page.keyboard.press("Escape");
    await expect(card).toBeHidden();
  });

  await test.step("its place is set, and it is taken out again", async () => {
    await badges(page).first().click();
    await page.locator("[data-card]").getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog", { name: "Citation 1" });
    await dialog.getByRole("textbox", { name: "Place" }).fill("12");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toBeHidden();
    await badges(page).first().hover();
    await expect(page.locator("[data-card]").getByText(/^page 12/i)).toBeVisible();
    await page.locator("[data-card]").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog", { name: "Remove citation 1" }).getByRole("button", { name: "Remove" }).click();
    await expect(badges(page)).toHaveCount(0);
    await expect.poll(async () => (await fetched(request, id)).text).toBe("The mole was rebuilt in 1931.");
    await expect(saved(page)).toBeVisible();
  });

  await test.step("it is taken away as PDF and as references", async () => {
    await write(page, " ");
    await cite(page, "mole rebuilt storm");
    await expect(badges(page)).toHaveText(["2"]);
    for (const [name, file] of [["PDF", "The-mole-of-the-north.pdf"], ["BibTeX", "The-mole-of-the-north.bib"], ["Evidence bundle", "The-mole-of-the-north.zip"]] as const) {
      await page.getByRole("button", { name: "Download" }).click();
      if (name === "PDF") await expectAccessible(page);
      const download = page.waitForEvent("download");
      await page.getByRole("menuitem", { name }).click();
      expect((await download).suggestedFilename()).toBe(file);
    }
  });

  await test.step("the palette finds it, and the list has it until it is deleted", async () => {
    await page.goto("/documents");
    const row = page.getByRole("table", { name: "Documents" }).getByRole("row").last();
    await expect(row).toContainText("The mole of the north");
    await expect(row).toContainText("IEEE");
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("dialog", { name: "Commands" }).getByRole("group", { name: "Recent" }).getByRole("option", { name: /^The mole of the north/ })).toBeVisible();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Delete The mole of the north" }).click();
    await expectAccessible(page);
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await expect(page.getByRole("heading", { name: "No documents yet" })).toBeVisible();
  });
});

test.describe("one that was deleted", () => {
  test.use({ expectedErrors: [/404/] });

  test("is said to be gone", async ({ page, request }) => {
    const { document_id: id } = await make(request, {});
    await request.delete(`/api/v1/documents/${id}`);
    await page.goto(`/documents/${id}`);
    await expect(page.getByRole("heading", { name: "There is no such document" })).toBeVisible();
    await page.getByRole("link", { name: "All documents" }).click();
    await expect(page.getByRole("heading", { name: "No documents yet" })).toBeVisible();
  });
});

test.describe("versions", () => {
  test("are listed, compared and restored, each at its address", async ({ page, request }) => {
    const { document_id: id } = await make(request, { text: "One two three." });
    await request.patch(`/api/v1/documents/${id}`, { data: { base_version: 1, text: "One 2 three.", message: "A figure" } });
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
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("The mole stands. It is old.");
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
      await context.route(`**/api/v1/documents/${id}`, (route) => (route.request().method() === "PATCH" ? route.abort() : route.continue()));
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

test("sources are added, copied, edited and removed with what they bear", async ({ page, request }) => {
  test.setTimeout(120_000);
  const first = await bring(request, minutes);
  await bring(request, survey);
  const { document_id: id } = await make(request, { text: "The mole was rebuilt in 1931.", source_ids: [first.id] });
  await post(request, `/api/v1/documents/${id}/citations`, { source_id: first.id, position: 29, insert: true, quote: "The mole was rebuilt in 1931" });
  await open(page, id);
  await expect(ownSources(page)).toHaveCount(1);

  await test.step("one of the library is added", async () => {
    await page.getByRole("region", { name: "Sources" }).getByRole("button", { name: "Add" }).click();
    const dialog = page.getByRole("dialog", { name: "Add a source" });
    await dialog.getByRole("searchbox").fill("ferry");
    await expect(dialog.getByRole("list", { name: "Sources of the library" }).getByRole("listitem")).toHaveCount(1);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: /^Add / }).click();
    await expect(dialog.getByRole("button", { name: /is added$/ })).toBeDisabled();
    await dialog.getByRole("button", { name: "Done" }).click();
    await expect(ownSources(page)).toHaveCount(2);
  });

  await test.step("one is typed in", async () => {
    await page.getByRole("region", { name: "Sources" }).getByRole("button", { name: "Add" }).click();
    await page.getByRole("button", { name: "Type one in" }).click();
    await page.getByRole("dialog", { name: "Add by hand" }).getByRole("textbox", { name: "Title" }).fill("Havnens historie");
    await page.getByRole("button", { name: "Add source" }).click();
    await expect(ownSources(page).filter({ hasText: "Havnens historie" })).toBeVisible();
  });

  await test.step("one is copied in the style of the document", async () => {
    for (const name of ["As text", "As Markdown", "With formatting"]) {
      await ownSources(page).first().getByRole("button", { name: /^Copy citation/ }).click();
      await page.getByRole("menuitem", { name }).click();
      await expect(ownSources(page).first().getByText("Copied")).toBeVisible();
    }
    const kinds = await page.evaluate(async () => (await navigator.clipboard.read()).flatMap(({ types }) => types));
    expect(kinds).toContain("text/html");
  });

  await test.step("its details are edited, and the references follow", async () => {
    await ownSources(page).first().getByRole("button", { name: /^Edit/ }).click();
    const dialog = page.getByRole("dialog", { name: "Edit" });
    await dialog.getByRole("textbox", { name: "Author" }).fill("Berg, Anna");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(ownSources(page).first()).toContainText("Berg, Anna");
    await expect(page.getByRole("region", { name: "References" })).toContainText("Berg");
  });

  await test.step("removing one says first what loses its support", async () => {
    await ownSources(page).first().getByRole("button", { name: /^Remove/ }).click();
    const dialog = page.getByRole("dialog", { name: "Remove from this document" });
    await expect(dialog.getByRole("region", { name: "What loses its support" })).toContainText("The mole was rebuilt in 1931.");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Remove with its citations" }).click();
    await expect(dialog).toBeHidden();
    await expect(badges(page)).toHaveCount(0);
    await expect(ownSources(page)).toHaveCount(2);
    expect((await fetched(request, id)).text).toBe("The mole was rebuilt in 1931.");
  });
});

test("the pages keep up, keep their place, and say what does not compile", async ({ page, request }) => {
  test.setTimeout(120_000);
  const long = Array.from({ length: 160 }, (_, index) => `Paragraph ${index} tells of the tide, the boats and the quay, and of nothing else.`).join("\n\n");
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
    for (const _ of "#broken") await page.keyboard.press("Backspace");
    await expect(faults).toBeHidden();
  });
});

test("what nothing bears out is marked in the margin, and can be cited from there", async ({ page, request }) => {
  await bring(request, minutes);
  const { document_id: id } = await make(request, { text: "Seen 🚢 from afar. The mole was rebuilt in 1931 after the storm of the winter before." });
  await open(page, id);
  const mark = page.getByRole("button", { name: /^no source given: The mole was rebuilt in 1931/ });
  await expect(mark).toBeVisible();
  await expectAccessible(page);
  await mark.click();
  const box = page.getByRole("dialog", { name: "Cite a passage" });
  await expect(box).toContainText("No source given");
  await expect(box.getByRole("option").first()).toContainText("rebuilt in 1931");
  await page.keyboard.press("Enter");
  await expect(box).toBeHidden();
  await expect(badges(page)).toHaveCount(1);
  await expect.poll(async () => (await fetched(request, id)).text).toMatch(/winter before\.\[\^1\]$/);
  await expect(badges(page).first()).toHaveAttribute("data-standing", "supported", { timeout: 15_000 });
  await expect(mark).toBeHidden();
});

test("a number without a citation looks like one", async ({ page, request }) => {
  const { document_id: id } = await make(request, { text: "Said here[^7]." });
  await open(page, id);
  await expect(page.getByRole("button", { name: "citation 7, nothing is cited" })).toHaveText("7?");
  await badges(page).first().click();
  await expect(page.locator("[data-card]")).toContainText("Nothing is cited here");
  // In one step over it, and in one step away.
  await write(page, "");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Backspace");
  await expect(badges(page)).toHaveCount(0);
  await expect.poll(async () => (await fetched(request, id)).text).toBe("Said here.");
});

const OWN_STYLE = `<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="note" version="1.0" default-locale="en-US">
  <info><title>Harbour notes</title><id>http://example.org/styles/harbour-notes</id><category citation-format="note"/><updated>2026-01-01T00:00:00+00:00</updated></info>
  <citation><layout suffix="." delimiter="; "><text variable="title"/></layout></citation>
  <bibliography><layout suffix="."><text variable="title"/></layout></bibliography>
</style>`;

test("a style is chosen, brought along, and set up", async ({ page, request }) => {
  const { document_id: id } = await make(request, { text: "Words." });
  await open(page, id);
  await page.getByRole("button", { name: /^Style: / }).click();
  const dialog = page.getByRole("dialog", { name: "Citation style" });
  const common = dialog.getByRole("group", { name: "Common" }).getByRole("option");
  await expect(common).toHaveCount(8);
  await expect(common.first()).toContainText("APA");
  await dialog.getByRole("combobox").fill("nature");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await fetched(request, id)).style).toBe("nature");
  await dialog.getByLabel("Style file").setInputFiles({ name: "harbour.csl", mimeType: "application/xml", buffer: Buffer.from(OWN_STYLE) });
  await dialog.getByRole("combobox").fill("harbour notes");
  await expect(dialog.getByRole("group", { name: "Own" }).getByRole("option", { selected: true })).toContainText("Harbour notes");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Done" }).click();

  await page.getByRole("button", { name: "Set up" }).click();
  const setup = page.getByRole("dialog", { name: "Set up" });
  await setup.getByRole("textbox", { name: "Authors" }).fill("Berg, Anna; Ek, Jon");
  await setup.getByText("In the text", { exact: true }).click();
  await setup.getByLabel("Template").selectOption("report");
  await expectAccessible(page);
  await setup.getByRole("button", { name: "Save" }).click();
  await expect(setup).toBeHidden();
  expect(await fetched(request, id)).toMatchObject({ authors: ["Berg, Anna", "Ek, Jon"], cite_as: "in_text", template: "report", text: "Words." });
});

test("an empty document begins with a draft from its sources", async ({ page, request }) => {
  test.setTimeout(120_000);
  const { id: source } = await bring(request, minutes);
  const { document_id: id } = await make(request, { source_ids: [source] });
  await open(page, id);
  await page.getByRole("button", { name: "Draft from sources" }).click();
  await page.getByRole("textbox", { name: "Question" }).fill("When was the mole rebuilt?");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Make a draft" }).click();
  await expect(badges(page).first()).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole("form", { name: "Draft from sources" })).toBeHidden();
  expect((await fetched(request, id)).text).toContain("[^1]");
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true });

  test("text, pages and sources are views of their own", async ({ page, request }) => {
    const { id: source } = await bring(request, minutes);
    const { document_id: id } = await make(request, { title: "A title that is far too long for the width of a telephone", text: "The mole was rebuilt in 1931.", source_ids: [source] });
    await open(page, id);
    const views = page.getByRole("navigation", { name: "Views of the document" });
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      for (const [name, sign] of [["Text", text(page)], ["Pages", sheets(page).first()], ["Sources", ownSources(page).first()]] as const) {
        await views.getByRole("link", { name }).click();
        await expect(sign).toBeVisible();
        await expect(views.locator("[aria-current]")).toHaveText(name);
        await expectAccessible(page);
        await expectNoSideScroll(page);
      }
    }
    await page.goto("/documents");
    await expect(page.getByRole("table", { name: "Documents" }).getByRole("link")).toBeVisible();
    await expectAccessible(page);
    await expectNoSideScroll(page);
  });
});
