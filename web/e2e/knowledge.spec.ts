import type { Page } from "@playwright/test";
import { bringSample, entityNamed, type NamedEntity, waitUntilRead } from "./knowledge";
import { bring, expect, expectAccessible, expectNoSideScroll, test } from "./test";

const view = (page: Page) => page.getByRole("group", { name: /^Around/ }).locator("[data-view]");

test.describe("people and things", () => {
  test.setTimeout(240_000);

  test("lead from a name to what happened and to the exact words", async ({ page, request }) => {
    await bringSample(request);
    // Of a file without a date, nobody knows when what it tells was.
    const undated = Buffer.from("The Harbour Board decided to paint the winch house.\n");
    await bring(request, { name: "note.txt", mimeType: "text/plain", buffer: undated });
    await waitUntilRead(request);
    const table = page.getByRole("table", { name: "People and things" });

    await test.step("the list is a place, by key and by rail", async () => {
      await page.goto("/sources");
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await page.keyboard.press("g");
      await page.keyboard.press("p");
      await expect(page).toHaveURL(/\/entities$/);
      await expect(table.getByRole("link", { name: "Ines Corrow" })).toBeVisible();
      await expect(
        page.getByRole("navigation", { name: "Places" }).getByRole("link", { name: "People & things" }),
      ).toHaveAttribute("aria-current", "page");
      await expectAccessible(page);
    });

    await test.step("it is searched and narrowed, in the address", async () => {
      await page
        .getByRole("navigation", { name: "People and things by type" })
        .getByRole("link", { name: "Organisations" })
        .click();
      await expect(page).toHaveURL(/type=org/);
      await expect(table.getByRole("link", { name: "Ines Corrow" })).toBeHidden();
      await page.goto("/entities?q=corrow");
      await expect(table.getByRole("link")).toHaveText(["Ines Corrow"]);
      await expect(table.getByRole("row").last()).toContainText("Harbour master");
      await page.goto("/entities?q=nobody+at+all");
      await expect(page.getByRole("heading", { name: "Nothing found" })).toBeVisible();
      await page.goto("/entities?q=tobin");
    });

    await test.step("a page has what is known, and a timeline that ends with what has no date", async () => {
      await page.goto("/entities?q=harbour+board");
      await table.getByRole("link", { name: "Harbour Board", exact: true }).click();
      await expect(page.getByRole("heading", { level: 1, name: "Harbour Board" })).toBeVisible();
      const years = page.getByRole("main").getByRole("heading", { level: 2 });
      await expect(years.first()).toHaveText("2025");
      await expect(years.last()).toHaveText("Undated");
      await expect(
        page
          .getByRole("region", { name: "2025" })
          .getByText(/^18 September 2025/)
          .first(),
      ).toBeVisible();
      const undatedItems = page.getByRole("region", { name: "Undated" }).getByRole("listitem");
      await expect(undatedItems).toHaveCount(1);
      await expect(undatedItems).toContainText("paint the winch house");
      await expect(undatedItems).not.toContainText("date of the document");
      await expectAccessible(page);
    });

    await test.step("an event without a date has that of its document, which is said", async () => {
      const items = page.getByRole("region", { name: "2025" }).getByRole("listitem");
      const closed = items.filter({ hasText: "closed the outer 200 metres" });
      await expect(closed.first()).toContainText("9 January 2025 (date of the document)");
      const decided = items.filter({ hasText: "decided on Thursday night" });
      await expect(decided).toContainText("18 September 2025");
      await expect(decided).not.toContainText("date of the document");
    });

    await test.step("a quote opens its source at the words, and back is back", async () => {
      const item = page.getByRole("region", { name: "2025" }).getByRole("listitem").first();
      const quote = (await item.getByRole("blockquote").textContent())!;
      await page.keyboard.press("j");
      await page.keyboard.press("o");
      await expect(page).toHaveURL(/\/sources\/.*#c=\d+-\d+$/);
      await expect(page.frameLocator("iframe").locator("mark").or(page.locator("mark")).first()).toBeVisible();
      await page.goto(page.url().replace("?", "?view=text&"));
      await expect(page.locator("mark").first()).toBeVisible();
      expect((await page.locator("mark").allTextContents()).join("").slice(0, 40)).toBe(quote.slice(0, 40));
      await page.goBack();
      await page.goBack();
      await expect(page.getByRole("heading", { level: 1, name: "Harbour Board" })).toBeVisible();
    });

    await test.step("others who took part are links", async () => {
      await page.getByRole("link", { name: "Maud Tressider" }).first().click();
      await expect(page.getByRole("heading", { level: 1, name: "Maud Tressider" })).toBeVisible();
      await page.getByRole("link", { name: /^Mentions/ }).click();
      await expect(page).toHaveURL(/view=mentions/);
      await expectAccessible(page);
      await page.getByRole("link", { name: "Maud Tressider, place 1" }).first().click();
      await expect(page).toHaveURL(/\/sources\/.*#c=\d+-\d+$/);
    });

    await test.step("a source says what it tells", async () => {
      await page.getByRole("link", { name: "What it tells" }).click();
      const told = page.getByRole("list", { name: "What it tells" });
      await expect(told.getByRole("listitem").first()).toBeVisible();
      await expectAccessible(page);
      await told.getByRole("link").first().click();
      await expect(page).toHaveURL(/#c=\d+-\d+$/);
    });

    await test.step("the palette finds names and leads back to them", async () => {
      await page.keyboard.press("Control+k");
      const palette = page.getByRole("dialog", { name: "Commands" });
      await expect(
        palette.getByRole("group", { name: "Recent" }).getByRole("option", { name: /^Maud Tressider/ }),
      ).toBeVisible();
      await page.keyboard.type("corrow");
      await palette
        .getByRole("group", { name: "People & things" })
        .getByRole("option", { name: /Ines Corrow/ })
        .click();
      await expect(page.getByRole("heading", { level: 1, name: "Ines Corrow" })).toBeVisible();
    });
  });

  test("are drawn with who is around them, moved by keys and by hand", async ({ page, request }) => {
    await bringSample(request);
    const { entity_id } = await entityNamed(request, "Harbour Board");
    await page.goto(`/entities/${entity_id}?view=picture`);
    const picture = page.getByRole("group", { name: "Around Harbour Board" });
    await expect(picture.getByRole("link", { name: /^Maud Tressider/ })).toBeVisible();
    await expectAccessible(page);
    const place = () => view(page).getAttribute("transform");
    const start = await place();

    await test.step("keys move it and bring it nearer", async () => {
      await picture.focus();
      await page.keyboard.press("ArrowRight");
      expect(await place()).not.toBe(start);
      await page.keyboard.press("+");
      expect(await place()).toContain("scale(1.25)");
      await page.keyboard.press("-");
      await page.keyboard.press("0");
      expect(await place()).toBe(start);
    });

    await test.step("so do buttons, the wheel and a drag, which opens nothing", async () => {
      await page.getByRole("button", { name: "Nearer" }).click();
      await expect(view(page)).toHaveAttribute("transform", /scale\(1\.25\)/);
      await page.getByRole("button", { name: "Fit" }).click();
      await picture.focus();
      const box = (await picture.boundingBox())!;
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.wheel(0, -200);
      await expect(view(page)).not.toHaveAttribute("transform", start!);
      expect(await page.evaluate(() => scrollY)).toBe(0);
      await page.keyboard.press("0");
      const name = (await picture.getByRole("link", { name: /^Maud Tressider/ }).boundingBox())!;
      await page.mouse.move(name.x + 10, name.y + 10);
      await page.mouse.down();
      await page.mouse.move(name.x - 60, name.y + 50, { steps: 4 });
      await page.mouse.up();
      await expect(view(page)).not.toHaveAttribute("transform", start!);
      await expect(page).toHaveURL(/view=picture/);
    });

    await test.step("it is told in words, too", async () => {
      await page.getByText("The same as a list").click();
      await expect(
        page.getByRole("main").getByRole("listitem").filter({ hasText: "Maud Tressider" }).first(),
      ).toContainText("Stakeholder");
      await expectAccessible(page);
    });

    await test.step("a name in it leads to its page, by the keyboard", async () => {
      await picture.getByRole("link", { name: /^Maud Tressider/ }).focus();
      await page.keyboard.press("Enter");
      await expect(page.getByRole("heading", { level: 1, name: "Maud Tressider" })).toBeVisible();
    });
  });

  test("are shown beside what a search and an answer bring", async ({ page, request }) => {
    await bringSample(request);
    await page.goto("/search?q=what+did+the+harbour+board+decide");
    const beside = page.getByRole("complementary", { name: "Connected details" });
    const events = page.getByRole("list", { name: "Connected events" }).getByRole("listitem");

    await test.step("with the reason in words and a quote that opens", async () => {
      await expect(beside.getByText(/^because .+ also took part$/).first()).toBeVisible();
      await expect(events.first().getByRole("blockquote")).toBeVisible();
      await expectAccessible(page);
    });

    await test.step("hidden and shown by keys, in the address", async () => {
      await page.keyboard.press("]");
      await expect(beside).toBeHidden();
      await expect(page).toHaveURL(/beside=hidden/);
      await page.keyboard.press("[");
      await expect(beside).toBeVisible();
    });

    await test.step("by what the search is widened with", async () => {
      await page.goto("/search?q=what+did+the+harbour+board+decide&graph_budget=1");
      await expect(events).toHaveCount(1);
      await page.goto("/search?q=what+did+the+harbour+board+decide&graph_expand=false");
      await expect(page.getByRole("list", { name: "Results" })).toBeVisible();
      await expect(beside).toBeHidden();
    });

    await test.step("names lead to their pages, and quotes to their words", async () => {
      await page.goto("/search?q=what+did+the+harbour+board+decide");
      await events.first().getByRole("link").first().click();
      await expect(page).toHaveURL(/\/sources\/.*#c=\d+-\d+$/);
      await page.goBack();
      await beside
        .getByRole("list", { name: "People and things" })
        .getByRole("link", { name: /^Harbour Board/ })
        .first()
        .click();
      await expect(page.getByRole("heading", { level: 1, name: /^Harbour Board/ })).toBeVisible();
    });

    await test.step("under an answer they are looked for when asked", async () => {
      const asked: string[] = [];
      page.on("request", (sent) => sent.url().endsWith("/api/v1/search") && asked.push(sent.postData() ?? ""));
      await page.goto("/ask");
      await page.getByRole("textbox", { name: /^Ask/ }).fill("What did the Harbour Board decide?");
      await page.keyboard.press("Enter");
      await expect(page.getByText(/^\d+ claims? · /)).toBeVisible();
      expect(asked).toEqual([]);
      await page.getByRole("button", { name: "Related", exact: true }).click();
      await expect(
        page.getByRole("region", { name: "Related" }).getByRole("list", { name: "Connected events" }),
      ).toBeVisible();
      expect(asked).toHaveLength(1);
      await expectAccessible(page);
    });
  });

  test("are readable in both themes, and fit a phone", async ({ page, request }) => {
    await bringSample(request);
    const { entity_id } = await entityNamed(request, "Harbour Board");
    for (const [path, sign] of [
      ["/entities", page.getByRole("table")],
      [`/entities/${entity_id}`, page.getByRole("region", { name: "2025" })],
      [`/entities/${entity_id}?view=mentions`, page.getByRole("list", { name: "Mentions" })],
      [
        `/entities/${entity_id}?view=picture`,
        page.getByRole("group", { name: "Around Harbour Board" }).getByRole("link").first(),
      ],
      [`/entities/${entity_id}?view=same`, page.getByRole("heading", { name: "May be the same" })],
      ["/entities/review", page.getByRole("article").first()],
      ["/search?q=what+did+the+harbour+board+decide", page.getByRole("list", { name: "Connected events" })],
    ] as const) {
      await page.goto(path);
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 740 });
        await expect(sign).toBeVisible();
        await expectNoSideScroll(page);
        await expectAccessible(page);
        await page.emulateMedia({ colorScheme: "dark" });
        await expectAccessible(page, ["color-contrast"]);
        await page.emulateMedia({ colorScheme: "light" });
      }
    }
  });

  test("are words, whatever is in them", async ({ page, request }) => {
    const file = {
      name: "plain.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("Minutes, 3 May 2024\n\nAlice Chen decided to move Project Beacon to June.\n"),
    };
    const source = await bring(request, file);
    await waitUntilRead(request);
    const { items } = (await (await request.get("/api/v1/entities")).json()) as { items: NamedEntity[] };
    const real = items.find(({ name }) => name === "Alice Chen")!;
    const names = [
      "<img src=x onerror=alert(1)>",
      "\u202eمحمد بن عبد الله",
      "🚢".repeat(5000),
      "Verylongname".repeat(900),
    ];
    const fake = (name: string, index: number) => ({
      ...real,
      entity_id: `00000000-0000-0000-0000-00000000000${index}`,
      name,
      aliases: names,
      role: name,
      organization: name,
      email: name,
      needs_review: true,
    });
    const entities = names.map(fake);
    const evidence = (quote: string) => ({
      quote,
      title: quote,
      source_id: source.id,
      artifact_uid: source.id,
      revision_id: source.revision,
      start_char: 0,
      end_char: 7,
      url: `/sources/${source.id}?revision=${source.revision}#c=0-7`,
    });
    const events = names.map((name, index) => ({
      id: `10000000-0000-0000-0000-00000000000${index}`,
      category: index === 2 ? name : "Decision",
      narrative: `${name}!`,
      event_time: null,
      event_date: index === 3 ? name : "2024",
      confidence: 1,
      actors: entities,
      subjects: [],
      evidence: [evidence(name)],
      source_id: source.id,
      source_title: name,
      revision_id: source.revision,
      extractor: "x",
      created_at: "2024-01-01T00:00:00Z",
    }));
    const mentions = names.map((name, index) => ({
      id: `20000000-0000-0000-0000-00000000000${index}`,
      surface_form: name,
      source_id: source.id,
      source_title: name,
      revision_id: source.revision,
      start_char: 0,
      end_char: 7,
      confidence: 1,
      extractor: "x",
      entity_id: entities[0]!.entity_id,
      url: "/",
    }));
    const pairs = [
      {
        pair_id: "30000000-0000-0000-0000-000000000000",
        state: "open",
        confidence: 0.5,
        reason: names[3],
        a: entities[0],
        b: entities[3],
        created_at: "2024-01-01T00:00:00Z",
        decided_at: null,
      },
    ];
    const same = entities.map(({ entity_id, name }, index) => ({
      pair_id: `30000000-0000-0000-0000-00000000000${index}`,
      entity_id,
      name,
      confidence: 0.5,
      reason: name,
      state: "open",
    }));
    const answer = (index: number) => ({
      ...entities[index],
      mentions,
      mentions_next_cursor: null,
      events,
      events_next_cursor: null,
      possibly_same: same,
      merged: entities,
    });
    const edges = events.flatMap(({ id }) =>
      entities.map(({ entity_id }) => ({ type: "ACTED_IN", from: entity_id, to: id })),
    );
    await page.route(/\/api\/v1\/entities(\?|$)/, (route) =>
      route.fulfill({ json: { items: entities, next_cursor: null } }),
    );
    await page.route(/\/api\/v1\/entities\/review/, (route) =>
      route.fulfill({ json: { items: pairs, next_cursor: null } }),
    );
    await page.route(/\/api\/v1\/entities\/0{8}-.*(\d)$/, (route) =>
      route.fulfill({ json: answer(Number(route.request().url().at(-1))) }),
    );
    await page.route(/\/api\/v1\/graph\/neighborhood/, (route) =>
      route.fulfill({ json: { center: entities[0], entities: entities.slice(1), events, edges, total_events: 4 } }),
    );
    await page.route(/\/api\/v1\/search$/, async (route) => {
      const real = await route.fetch();
      const related = events.map(({ narrative, ...event }, index) => ({
        ...event,
        type: "event",
        summary: narrative,
        reason: `same_actor:${names[index]}`,
      }));
      return route.fulfill({ json: { ...((await real.json()) as object), related_context: related, entities } });
    });
    page.on("dialog", (dialog) => expect.soft(dialog.message(), "a dialog that a name opened").toBe(""));
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 740 });
      for (const [path, sign] of [
        ["/entities", "table"],
        [`/entities/${entities[0]!.entity_id}`, "heading"],
        [`/entities/${entities[3]!.entity_id}`, "heading"],
        [`/entities/${entities[0]!.entity_id}?view=mentions`, "list"],
        [`/entities/${entities[0]!.entity_id}?view=same`, "list"],
        [`/entities/${entities[0]!.entity_id}?view=picture`, "group"],
        ["/entities/review", "article"],
        ["/search?q=beacon", "list"],
      ] as const) {
        await page.goto(path);
        await expect(page.getByRole("main").getByRole(sign).first()).toBeVisible();
        await expectNoSideScroll(page);
        await expectAccessible(page);
        expect(await page.locator("main img[onerror]").count(), path).toBe(0);
      }
    }
  });
});

test("an empty library says what belongs there", async ({ page }) => {
  await page.goto("/entities");
  await expect(page.getByRole("heading", { name: "Nobody is known yet" })).toBeVisible();
  await expectAccessible(page);
  await page.goto("/entities/review");
  await expect(page.getByRole("heading", { name: "Nobody is in doubt" })).toBeVisible();
  await expectAccessible(page);
});

test.describe("where something is not there", () => {
  test.use({ expectedErrors: [/status of 404/] });

  test("it is said", async ({ page }) => {
    await page.goto("/entities/01900000-0000-7000-8000-000000000000");
    await expect(page.getByRole("alert").getByText("This could not be opened.")).toBeVisible();
    await page.goto("/entities/01900000-0000-7000-8000-000000000000?view=picture");
    await expect(page.getByRole("alert")).toBeVisible();
  });
});
