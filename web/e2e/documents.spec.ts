import { post } from "./asking";
import { minutes, survey } from "./files";
import { bring, clipboard, expect, expectAccessible, expectNoSideScroll, test } from "./test";
import { badges, cite, fetched, make, open, ownSources, saved, sheets, text, write } from "./writing";

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

test("a document is begun, written, cited, set and taken away", async ({ page, request }) => {
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
    const { items } = (await (await request.get(`/api/v1/documents/${id}/citations`)).json()) as {
      items: { source_id: string; quote: string; citation_number: number; position: number; is_marked: boolean }[];
    };
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ source_id: source.id, citation_number: 1, position: 29, is_marked: true });
    expect(source.text).toContain(items[0]!.quote);
    // A number that is taken out by hand can be put back.
    await expect(text(page)).toBeFocused();
    await page.keyboard.press("Backspace");
    const unmarked = page.getByRole("region", { name: "Citations without a number in the text" });
    await unmarked.getByRole("button", { name: "Insert citation 1 at the cursor" }).click();
    await expect(unmarked).toBeHidden();
    await expect(badges(page)).toHaveText(["1"]);
    await expect(saved(page)).toBeVisible();
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
    await expect.poll(async () => (await clipboard(page)).length).toBeGreaterThan(5);
    await expect(card.getByRole("link", { name: /^Open/ })).toHaveAttribute(
      "href",
      new RegExp(`^/sources/${source.id}\\?revision=.*#c=\\d+-\\d+$`),
    );
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
    for (const [name, file] of [
      ["PDF", "The-mole-of-the-north.pdf"],
      ["BibTeX", "The-mole-of-the-north.bib"],
      ["Evidence bundle", "The-mole-of-the-north.zip"],
    ] as const) {
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
    await expect(
      page
        .getByRole("dialog", { name: "Commands" })
        .getByRole("group", { name: "Recent" })
        .getByRole("option", { name: /^The mole of the north/ }),
    ).toBeVisible();
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

test("sources are added, copied, edited and removed with what they bear", async ({ page, request }) => {
  const first = await bring(request, minutes);
  await bring(request, survey);
  const { document_id: id } = await make(request, { text: "The mole was rebuilt in 1931.", source_ids: [first.id] });
  await post(request, `/api/v1/documents/${id}/citations`, {
    source_id: first.id,
    position: 29,
    insert: true,
    quote: "The mole was rebuilt in 1931",
  });
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
    await page
      .getByRole("dialog", { name: "Add by hand" })
      .getByRole("textbox", { name: "Title" })
      .fill("Havnens historie");
    await page.getByRole("button", { name: "Add source" }).click();
    await expect(ownSources(page).filter({ hasText: "Havnens historie" })).toBeVisible();
  });

  await test.step("one is copied in the style of the document", async () => {
    for (const name of ["As text", "As Markdown", "With formatting"]) {
      await ownSources(page)
        .first()
        .getByRole("button", { name: /^Copy citation/ })
        .click();
      await page.getByRole("menuitem", { name }).click();
      await expect(ownSources(page).first().getByText("Copied")).toBeVisible();
    }
    // What was copied before says "Copied", too.
    await expect
      .poll(() => page.evaluate(async () => (await navigator.clipboard.read()).flatMap(({ types }) => types)))
      .toContain("text/html");
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
    await ownSources(page)
      .first()
      .getByRole("button", { name: /^Remove/ })
      .click();
    const dialog = page.getByRole("dialog", { name: "Remove from this document" });
    await expect(dialog.getByRole("region", { name: "What loses its support" })).toContainText(
      "The mole was rebuilt in 1931.",
    );
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Remove with its citations" }).click();
    await expect(dialog).toBeHidden();
    await expect(badges(page)).toHaveCount(0);
    await expect(ownSources(page)).toHaveCount(2);
    expect((await fetched(request, id)).text).toBe("The mole was rebuilt in 1931.");
  });
});

test("what nothing bears out is marked in the margin, and can be cited from there", async ({ page, request }) => {
  await bring(request, minutes);
  const { document_id: id } = await make(request, {
    text: "Seen 🚢 from afar. The mole was rebuilt in 1931 after the storm of the winter before.",
  });
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
  await dialog
    .getByLabel("Style file")
    .setInputFiles({ name: "harbour.csl", mimeType: "application/xml", buffer: Buffer.from(OWN_STYLE) });
  await dialog.getByRole("combobox").fill("harbour notes");
  await expect(dialog.getByRole("group", { name: "Own" }).getByRole("option", { selected: true })).toContainText(
    "Harbour notes",
  );
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
  expect(await fetched(request, id)).toMatchObject({
    authors: ["Berg, Anna", "Ek, Jon"],
    cite_as: "in_text",
    template: "report",
    text: "Words.",
  });
});

test("an empty document begins with a draft from its sources", async ({ page, request }) => {
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
    const { document_id: id } = await make(request, {
      title: "A title that is far too long for the width of a telephone",
      text: "The mole was rebuilt in 1931.",
      source_ids: [source],
    });
    await open(page, id);
    const views = page.getByRole("navigation", { name: "Views of the document" });
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      for (const [name, sign] of [
        ["Text", text(page)],
        ["Pages", sheets(page).first()],
        ["Sources", ownSources(page).first()],
      ] as const) {
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
