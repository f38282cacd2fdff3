import { readFileSync } from "node:fs";
import { agent, ask, badges, bring, card, panel, post } from "./asking";
import { minutes, survey } from "./files";
import { clipboard, expect, expectAccessible, expectNoSideScroll, test, upload } from "./test";

test("the first minute: files come in, a question is asked, and a number leads to the words", async ({ page }) => {
  await test.step("an empty library says how to fill it", async () => {
    await page.goto("/");
    await expect(page).toHaveURL(/\/ask$/);
    await expect(page.getByRole("heading", { name: "The library is empty" })).toBeVisible();
    await expect(page.getByRole("list", { name: "Ways to fill it" }).getByLabel("Address")).toBeVisible();
    await expectAccessible(page);
    await expectNoSideScroll(page);
    await upload(page, [minutes, survey]);
    await expect(page.getByRole("region", { name: "Uploads" }).getByText("2 files added")).toBeVisible();
    await page.getByRole("button", { name: "Done" }).click();
    await expect(page.getByRole("heading", { name: "Nothing was asked yet" })).toBeVisible();
    await expect
      .poll(
        async () => ((await (await page.request.get("/api/v1/sources/counts")).json()) as { pending: number }).pending,
      )
      .toBe(0);
  });

  await test.step("an answer comes with evidence", async () => {
    await ask(page, "When was the mole rebuilt?");
    await expect(page).toHaveURL(/\/ask\/[0-9a-f-]{36}$/);
    await expect(page.getByRole("article", { name: "Answer" })).toContainText("The mole was rebuilt in 1931");
    await expect(page.getByText(/^\d+ claims? · \d+ supported$/)).toBeVisible();
    await expect(
      page.getByText("Extractive: quoted from your library. Connect a model for written answers."),
    ).toBeVisible();
    await expect(
      page.getByRole("list", { name: "Cited files" }).getByText("harbour-minutes.txt").first(),
    ).toBeVisible();
    await expect(panel(page).getByRole("list", { name: "Cited sources" })).toContainText(
      "The mole was rebuilt in 1931",
    );
    await expect(panel(page).getByRole("link", { name: /^All [1-9]/ })).toHaveAttribute("aria-current", "page");
    await expect(page.getByRole("article", { name: "Answer" })).not.toContainText("[1]");
    await expectAccessible(page);
    await expectNoSideScroll(page);
  });

  await test.step("a number shows its words when pointed at", async () => {
    const badge = badges(page).first();
    await expect(badge).toHaveAccessibleName("citation 1, supported, harbour-minutes.txt");
    await badge.hover();
    await expect(card(page).locator("mark")).toHaveText(/The mole was rebuilt in 1931/);
    await expect(card(page).getByText("Supported")).toBeVisible();
    await expectAccessible(page);
    await page.mouse.move(1, 1);
    await expect(card(page)).toBeHidden();
  });

  await test.step("and leads to them", async () => {
    await badges(page).first().click();
    await expect(page).toHaveURL(/\/sources\/[0-9a-f-]{36}\?revision=[0-9a-f-]{36}#c=\d+-\d+$/);
    await expect(page.getByRole("article", { name: "Text" }).locator("mark")).toHaveText(
      /^The mole was rebuilt in 1931/,
    );
    await page.goBack();
    await expect(badges(page).first()).toBeVisible();
  });

  await test.step("all of it by keyboard", async () => {
    await page.keyboard.press("]");
    await expect(panel(page)).toBeHidden();
    await expect(page).toHaveURL(/evidence=hidden/);
    await page.keyboard.press("[");
    await expect(panel(page)).toBeVisible();
    await page.keyboard.press("j");
    await expect(badges(page).first()).toBeFocused();
    await expect(card(page).locator("mark")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(card(page)).toBeHidden();
    await expect(panel(page)).toBeVisible();
    await page.keyboard.press("o");
    await expect(page).toHaveURL(/\/sources\//);
    await page.goBack();
    await expect(badges(page).first()).toBeVisible();
    await page.keyboard.press("/");
    await expect(page.getByRole("textbox", { name: "Ask on…" })).toBeFocused();
    await page.keyboard.press("Escape");
  });

  await test.step("a second question follows, and a reload keeps both", async () => {
    await ask(page, "How deep is the quay at low water?");
    await expect(page.getByRole("article", { name: "Answer" })).toHaveCount(2);
    await expect(page.getByRole("article", { name: "Answer" }).last()).toContainText("7.2 m");
    await page.reload();
    await expect(page.getByRole("heading", { level: 2 })).toHaveText([
      "When was the mole rebuilt?",
      "How deep is the quay at low water?",
    ]);
  });

  await test.step("the conversation is renamed and deleted", async () => {
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("dialog").getByLabel("Title").fill("The mole & the <b>quay</b>");
    await expectAccessible(page);
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("The mole & the <b>quay</b>");
    await page.getByRole("navigation", { name: "Where this is" }).getByRole("link", { name: "Ask" }).click();
    const row = page.getByRole("table", { name: "Conversations" }).getByRole("row", { name: /The mole & the <b>quay/ });
    await expect(row).toBeVisible();
    await expectAccessible(page);
    await row.getByRole("button", { name: /^Delete/ }).click();
    await expectAccessible(page);
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expect(page.getByRole("heading", { name: "Nothing was asked yet" })).toBeVisible();
  });
});

test("what was deleted or changed since is said to be", async ({ page, request }) => {
  const [first, second] = await bring(request, [minutes, survey]);
  const { id } = await post<{ id: string }>(request, "/api/v1/conversations", { title: null });
  for (const content of ["When was the mole rebuilt after the storm?", "How deep is the quay at low water?"]) {
    await request.post(`/api/v1/conversations/${id}/messages`, {
      data: { content },
      headers: { accept: "application/json" },
    });
  }
  await request.delete(`/api/v1/sources/${first}`);
  const form = { file: { ...survey, buffer: Buffer.from("# Survey of the quay\n\nNothing of it is left.\n") } };
  const { sha256 } = (await (await request.post("/api/v1/artifacts", { multipart: form })).json()) as {
    sha256: string;
  };
  await post(request, `/api/v1/sources/${second}/refresh`, { artifact_sha256: sha256 });
  const states = async () => {
    const { items } = (await (await request.get(`/api/v1/conversations/${id}/messages`)).json()) as {
      items: { citations: { state: string }[] }[];
    };
    return items.at(-1)!.citations.map(({ state }) => state);
  };
  await expect.poll(states, { timeout: 30_000 }).toContain("changed");

  await page.goto(`/ask/${id}`);
  await expect(page.getByText(/claims? · .*no longer available/).first()).toBeVisible();
  await expect(page.getByText(/claims? · .*changed since/)).toBeVisible();
  await expect(badges(page).first()).toHaveAccessibleName(/no longer available, harbour-minutes\.txt/);
  await expect(badges(page).last()).toHaveAccessibleName(/changed since it was cited, Survey of the quay/);
  const covers = page.getByRole("list", { name: "Cited files" });
  await expect(covers.first().getByText("No longer available")).toBeVisible();
  await expect(covers.first().getByText("harbour-minutes.txt")).toBeVisible();
  await expect(covers.last().getByText("changed since")).toBeVisible();
  await expect(panel(page).getByText("Changed since it was cited").first()).toBeVisible();
  // A card goes when the page is scrolled, which it may still be when the pointer arrives.
  await expect(async () => {
    await badges(page).first().click();
    await expect(card(page).getByText("No longer available. What was cited of it is kept here.")).toBeVisible({
      timeout: 2000,
    });
  }).toPass();
  await expectAccessible(page);
});

test.describe("an answer that is written", () => {
  test.use({ written: true, permissions: ["clipboard-read", "clipboard-write"] });

  const ANSWER = [
    "The mole was rebuilt in 1931 [",
    "1] after the storm. ",
    "**It stands.** [1][2]\n\n",
    "| What | Value |\n|:--|--:|\n| Depth [2] | 7.2 m |\n\n",
    "- one\n- two 🚢 港 [2]\n\n",
    "```sh\nibid ask # [1]\n```\n\n",
    "It names nothing [9].",
  ];

  test("streams, is checked, and can be taken along", async ({ page, request, model }) => {
    await bring(request, [minutes, survey]);
    model.says = ANSWER.flatMap((piece) => [piece, 150]);
    await page.goto("/ask");
    await ask(page, "When was the mole rebuilt, and how deep is the quay?");
    const answer = page.getByRole("article", { name: "Answer" });
    await expect(answer).toContainText("after the storm");
    await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
    await expect(answer.locator("p").first()).not.toContainText("[1");
    await expectAccessible(page);
    await expect(page.getByText(/^\d+ claims · /)).toBeVisible();
    await expect(page.getByText("1 number in the answer names no source: [9]")).toBeVisible();
    await expect(page.getByText("Extractive:")).toBeHidden();
    await expect(
      page.getByRole("combobox", { name: "How to answer" }).getByRole("option", { selected: true }),
    ).toHaveText("Generated (usual)");
    await expect(answer.getByRole("table")).toContainText("7.2 m");
    await expect(answer.getByRole("listitem")).toHaveCount(2);
    await expect(answer.getByText("ibid ask # [1]")).toBeVisible();
    await expect(answer.locator("sup", { hasText: "1,2" })).toBeVisible();
    await expect(answer.getByRole("strong")).toHaveText("It stands.");
    await expectAccessible(page);

    await page.getByRole("button", { name: "Copy with footnotes" }).click();
    await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
    const [text, html] = await page.evaluate(async () => {
      const [item] = await navigator.clipboard.read();
      const read = async (type: string) => (await item!.getType(type)).text();
      return [await read("text/plain"), await read("text/html")];
    });
    expect(text).toContain("rebuilt in 1931[^1] after the storm");
    expect(text).toContain("**It stands.**[^1][^2]");
    expect(text).toMatch(/\n\[\^1\]: .+“.+”.* <http:/);
    expect(html).toContain("<sup>1,2</sup>");
    expect(html).not.toMatch(/class=|data-badge/);

    await page.keyboard.press("j");
    await expect(card(page).getByRole("button", { name: "Copy citation" })).toBeVisible();
    await page.keyboard.press("c");
    await expect(card(page).getByRole("button", { name: "Copied" })).toBeVisible();
    await expect.poll(() => clipboard(page)).toMatch(/^harbour-minutes\.txt\. “.+”$/);

    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export evidence" }).click();
    expect(
      readFileSync(await (await download).path())
        .subarray(0, 2)
        .toString(),
    ).toBe("PK");
  });

  test("is stopped, asked again in other words, and both branches stay", async ({ page, request, model }) => {
    await bring(request, [minutes]);
    model.says = ["First answer [1]."];
    await page.goto("/ask");
    await ask(page, "When was the mole rebuilt?");
    await expect(page.getByText(/^1 claim · /)).toBeVisible();

    model.says = ["A long story begins ", 200, "and goes on ", 60_000, "without end."];
    await ask(page, "Who asked for the accounts?");
    await expect(page.getByRole("article").last()).toContainText("and goes on");
    await page.getByRole("button", { name: "Stop" }).click();
    await expect(page.getByText("Stopped. What there was of the answer is kept.")).toBeVisible();
    await expect(page.getByRole("article").last()).toContainText("A long story begins and goes on");

    model.says = ["Mr Aðalsteinn asked for them [1]."];
    await page.getByRole("button", { name: "Edit question" }).last().click();
    await page.getByRole("textbox", { name: "Question" }).fill("Who wanted to see the accounts?");
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("article").last()).toContainText("Mr Aðalsteinn asked");
    await expect(page.getByRole("article")).toHaveCount(2);
    const branches = page.getByRole("group", { name: "Versions of this question" });
    await expect(branches.getByRole("img", { name: "Version 2 of 2" })).toBeVisible();
    await branches.getByRole("button", { name: "Previous question" }).click();
    await expect(page).toHaveURL(/at=/);
    await expect(page.getByRole("article").last()).toContainText("A long story begins");
    await expectAccessible(page);
    await page.reload();
    await expect(branches.getByRole("img", { name: "Version 1 of 2" })).toBeVisible();
    await branches.getByRole("button", { name: "Next question" }).click();
    await expect(page.getByRole("article").last()).toContainText("Mr Aðalsteinn asked");

    // So does the first question, in the same conversation.
    const address = page.url().split("?")[0]!;
    model.says = ["In 1931 [1]."];
    await page.getByRole("button", { name: "Edit question" }).first().click();
    await page.getByRole("textbox", { name: "Question" }).fill("In which year was the mole rebuilt?");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("article")).toHaveText(/^In 1931/);
    await expect(page.getByText(/^1 claim · /)).toBeVisible();
    expect(page.url().split("?")[0]).toBe(address);
    await expect(branches.getByRole("img", { name: "Version 2 of 2" })).toBeVisible();
    await branches.getByRole("button", { name: "Previous question" }).click();
    await expect(page.getByRole("heading", { level: 2 }).first()).toHaveText("When was the mole rebuilt?");
    await expect(page.getByRole("article").first()).toContainText("First answer");
    await expect(page.getByRole("article")).toHaveCount(2);
  });

  test("goes on where it was when the connection breaks, and after a reload", async ({ page, request, model }) => {
    await bring(request, [minutes]);
    let broken = 0;
    // The first stream is cut off in the middle of an event.
    await page.route("**/api/v1/conversations/*/messages", async (route) => {
      if (route.request().method() !== "POST" || broken > 0) return route.continue();
      broken += 1;
      const response = await route.fetch();
      const body = await response.text();
      return route.fulfill({ response, body: body.slice(0, body.indexOf("content_delta") + 60) });
    });
    model.says = ["The mole ", 100, "was rebuilt in 1931 [1]."];
    await page.goto("/ask");
    await ask(page, "When was the mole rebuilt?");
    await expect(page.getByRole("article")).toHaveText(/^The mole was rebuilt in 1931\s?1\.$/);
    await expect(page.getByText("1 claim · 1 supported")).toBeVisible();
    expect(broken).toBe(1);

    model.says = ["It stood ", 1500, "for long [1]."];
    await ask(page, "And then?");
    await expect(page.getByRole("article").last()).toContainText("It stood");
    await page.reload();
    await expect(page.getByRole("article").last()).toHaveText(/^It stood for long\s?1\. not supported by its source$/);
    await expect(page.getByText(/^1 claim · /)).toHaveCount(2);
  });
});

test.describe("when the question cannot be asked", () => {
  test.use({ expectedErrors: [/status of (404|500)/] });

  test("it says so, keeps the question, and tries again", async ({ page, request }) => {
    await bring(request, [minutes]);
    let failing = true;
    await page.route("**/api/v1/conversations/*/messages", (route) => {
      if (!failing || route.request().method() !== "POST") return route.continue();
      return route.fulfill({
        status: 500,
        contentType: "application/problem+json",
        body: JSON.stringify({ code: "internal", detail: "The disk is full." }),
      });
    });
    await page.goto("/ask");
    await ask(page, "When was the mole rebuilt?");
    await expect(page.getByText("The question was not asked. The disk is full.")).toBeVisible();
    await expect(page.getByRole("heading", { level: 2, name: "When was the mole rebuilt?" })).toBeVisible();
    await expectAccessible(page);
    failing = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("article")).toContainText("1931");
  });

  test("an unknown conversation is said to be unknown", async ({ page }) => {
    await page.goto("/ask/01a1e1a3-19ff-77dd-a08a-9d1b583058f2");
    await expect(page.getByText("The conversation could not be opened.")).toBeVisible();
  });
});

test.describe("the way to answer", () => {
  test("is chosen in the composer, is kept, and says when there is no model", async ({ page, request }) => {
    await bring(request, [minutes, survey]);
    await page.goto("/ask");
    const picker = page.getByRole("combobox", { name: "How to answer" });
    await expect(picker).toHaveValue("extractive");
    await expect(picker.getByRole("option", { name: "Generated: no model is configured" })).toBeDisabled();
    await page.getByRole("textbox", { name: "Ask your library…" }).focus();
    await page.keyboard.press("Tab");
    await expect(picker).toBeFocused();
    await picker.selectOption("Research");
    await page.reload();
    await expect(picker).toHaveValue("research");
    const asked = page.waitForRequest((one) => one.method() === "POST" && one.url().endsWith("/messages"));
    await ask(page, "How deep is the quay at low water? When was the mole rebuilt?");
    expect((await asked).postDataJSON()).toMatchObject({ mode: "research" });
    await expect(page.getByRole("article").last()).toContainText("7.2 m");
    await expectNoSideScroll(page);
  });
});

test.describe("a model that is taken away", () => {
  test.use({ expectedErrors: [/status of 422/] });

  test("is missed calmly, and the question is quoted instead", async ({ page, request }) => {
    await bring(request, [minutes, survey]);
    const server = { provider: "compatible", model: "sample", url: "http://127.0.0.1:9/v1" };
    expect((await request.patch("/api/v1/settings", { data: { answers: server } })).ok()).toBe(true);
    await page.goto("/ask");
    const picker = page.getByRole("combobox", { name: "How to answer" });
    await expect(picker).toHaveValue("generated");
    await picker.selectOption("generated");
    expect((await request.patch("/api/v1/settings", { data: { answers: { provider: "none" } } })).ok()).toBe(true);
    await ask(page, "When was the mole rebuilt?");
    await expect(
      page.getByText("No language model is configured, so an answer can be quoted but not written."),
    ).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Quote from the library" }).click();
    await expect(page.getByText("Extractive: quoted from your library.")).toBeVisible();
    await expect(page.getByRole("link", { name: "Connect a model" })).toHaveAttribute("href", "/settings");
  });
});

test("what others wrote does nothing but be read", async ({ page, request }) => {
  const run = await agent(request, "<img src=x onerror=alert(1)> What is <b>this</b>?", [
    {
      title: "A & <img src=x onerror=alert(2)> title",
      url: "https://example.org/a",
      snippet: "The mole was rebuilt in 1931.",
    },
  ]);
  const text = [
    "The mole was rebuilt in 1931 [1].",
    "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 2'>",
    "[click](javascript:window.hurt=3) [data](data:text/html,<script>window.hurt=4</script>) ![pic](https://example.org/p.png)",
    "<iframe src=https://example.org></iframe> <a href=javascript:alert(1)>x</a> [ok](https://example.org/ok)",
    '$\\href{javascript:window.hurt=5}{x}$ $\\class{x" onmouseover="window.hurt=6}{y}$ $e = mc^2$\n\n$$\\frac{1}{2}$$',
    "| <b>a</b> | `<i>` |\n|--|--|\n| <script>x</script> | [y](vbscript:z) |",
  ].join("\n\n");
  await post(request, `/api/v1/runs/${run.id}/response`, { text });
  await page.goto(`/ask/${run.conversation_id}`);
  const answer = page.getByRole("article", { name: "Answer" });
  await expect(answer).toContainText("<script>window.hurt = 1</script>");
  await expect(answer.locator("math")).toHaveCount(2);
  await expect(answer.locator("math mfrac")).toBeVisible();
  await expect(answer.locator("math [href]")).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 2 })).toContainText("<img src=x onerror=alert(1)>");
  expect(await answer.locator("script, iframe, img, b, i").count()).toBe(0);
  const links = await answer.locator("a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  expect(links.every((href) => /^(https:|\/)/.test(href ?? ""))).toBe(true);
  await expect(answer.getByRole("link", { name: "ok" })).toHaveAttribute("rel", /noopener/);
  await badges(page).first().hover();
  await expect(card(page)).toBeVisible();
  expect(await page.evaluate(() => "hurt" in window)).toBe(false);
  await expectAccessible(page);
});
