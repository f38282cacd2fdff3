import type { APIRequestContext } from "@playwright/test";
import { hostilePage, laterSurvey, minutes, picture, report, soundings, survey, unreadable } from "./files";
import { expect, expectAccessible, expectNoSideScroll, test } from "./test";

/** What the stories make by hand, made by calls: files, a snapshot that moved twice, a check that is done, sources. */
async function fill(request: APIRequestContext) {
  async function post<T>(path: string, body: unknown): Promise<T> {
    const answer = await request.post(path, { data: body });
    expect(answer.ok(), await answer.text()).toBe(true);
    return (await answer.json()) as T;
  }
  const sha256: string[] = [];
  for (const file of [minutes, report, picture]) {
    const answer = await request.post("/api/v1/artifacts", { multipart: { file } });
    sha256.push(((await answer.json()) as { sha256: string }).sha256);
  }
  const pointer = "/api/v1/pointers/default/harbour/1931";
  await request.put(pointer, { data: { pointer_type: "snapshot", description: "What the harbour board saw" } });
  let expected: string | null = null;
  for (const count of [2, 3]) {
    const entries = sha256.slice(0, count).map((hash, index) => [`board/${index}.txt`, { sha256: hash }]);
    const tree: unknown = Object.fromEntries(entries);
    const { sha256: to }: { sha256: string } = await post("/api/v1/manifests", { tree, parent_sha256: expected });
    await post(`${pointer}/advance`, { to, expected, reason: `the ${count} papers that were on the table` });
    expected = to;
  }
  const { id } = await post<{ id: string }>("/api/v1/jobs", { kind: "fsck" });
  // What is read of a source is kept, too: it must not be counted by the check.
  const state = async () => ((await (await request.get(`/api/v1/jobs/${id}`)).json()) as { state: string }).state;
  await expect.poll(state).toBe("succeeded");

  await post("/api/v1/sources", {
    title: "Havnens historie",
    author: "Berg, Anna; Ek, Jon",
    publication_date: "1941",
    isbn: "978-82-02-11111-1",
  });
  const sources: string[] = [];
  for (const file of [survey, unreadable, soundings, hostilePage]) {
    const answer = await request.post("/api/v1/sources/upload", { multipart: { file } });
    sources.push(((await answer.json()) as { items: { id: string }[] }).items[0]!.id);
  }
  const counts = async () => (await (await request.get("/api/v1/sources/counts")).json()) as Record<string, number>;
  await expect.poll(async () => (await counts()).pending).toBe(0);
  const later = await request.post("/api/v1/artifacts", { multipart: { file: laterSurvey } });
  const { sha256: newer } = (await later.json()) as { sha256: string };
  const { job_id } = await post<{ job_id: string }>(`/api/v1/sources/${sources[0]}/refresh`, {
    artifact_sha256: newer,
  });
  const refreshed = async () =>
    ((await (await request.get(`/api/v1/jobs/${job_id}`)).json()) as { state: string }).state;
  await expect.poll(refreshed).toBe("succeeded");

  // A conversation in which an agent elsewhere has answered, with all that an answer can have.
  const run = await post<{ id: string; conversation_id: string }>("/api/v1/runs", {
    question: "How deep is the quay, and what was rebuilt?",
  });
  const results = [
    {
      title: "The mole of the north",
      url: "https://example.org/mole",
      snippet: "The mole was rebuilt in 1931 after the storm.",
    },
    { title: "Tides & tables", url: "https://example.org/tides", snippet: "Low water is at noon." },
  ];
  await post(`/api/v1/runs/${run.id}/tool-results`, { tool_name: "web_search", request_id: "w", output: { results } });
  const text = [
    "The mole was rebuilt in 1931 after the storm [1]. Whales ate the accounts in 1999 [1][2], and [9] says so.",
    "## Depths\n\n| Place | Depth | Seen from a ferry of the northern line |\n|:--|--:|:-:|\n| Quay | 7.2 m | 1931 |",
    "1. First\n   - inner\n2. Second with `code`\n\n> Quoted **words**.\n\n```sh\nibid ask 'a question that is so long that its line does not fit on a phone'\n```",
  ].join("\n\n");
  await post(`/api/v1/runs/${run.id}/response`, { text });
  await request.post(`/api/v1/conversations/${run.conversation_id}/messages`, {
    data: { content: "How deep is the quay at low water?" },
    headers: { accept: "application/json" },
  });
  const written = await post<{ document_id: string }>("/api/v1/documents", {
    title: "What the harbour board saw",
    text: "# Depths\n\nThe depth at the quay is 7.2 m.\n",
    source_ids: [sources[0]],
  });
  await post(`/api/v1/documents/${written.document_id}/citations`, {
    source_id: sources[0],
    position: 41,
    insert: true,
    quote: "The depth at the quay is 7.2 m",
  });
  return {
    written: written.document_id,
    file: sha256[0]!,
    job: id,
    source: sources[0]!,
    failed: sources[1]!,
    pdf: sources[2]!,
    saved: sources[3]!,
    conversation: run.conversation_id,
  };
}

// The saved page tries what it may not.
test.use({ expectedErrors: [/Content Security Policy|sandboxed/] });

test("every screen is readable and fits", async ({ page, request, schemes, hasTouch }) => {
  // There are many, and each is looked at in every scheme.
  test.setTimeout(240_000);
  const { written, file, job, source, failed, pdf, saved, conversation } = await fill(request);
  const panel = page.getByRole("complementary");
  const snapshot = "/library/snapshots/default/harbour/1931";
  const screens: [path: string, sign: () => ReturnType<typeof page.getByText>][] = [
    ["/ask", () => page.getByRole("table", { name: "Conversations" }).getByRole("link")],
    [`/ask/${conversation}`, () => page.getByText("Extractive: quoted from your library.")],
    [
      `/ask/${conversation}?evidence=shown`,
      () => panel.getByRole("list", { name: "Cited sources" }).getByRole("listitem").first(),
    ],
    [`/ask/${conversation}?evidence=shown&part=web`, () => panel.getByText("Nothing of this kind is cited.")],
    ["/sources", () => page.getByRole("table", { name: "Sources" }).getByRole("link", { name: "Survey of the quay" })],
    ["/sources?status=failed", () => page.getByRole("cell", { name: /^No text: / })],
    ["/sources?q=nowhere", () => page.getByRole("heading", { name: "Nothing found" })],
    [`/sources/${source}#c=0-18`, () => page.locator("mark").first()],
    [`/sources/${source}?view=passages`, () => page.getByRole("link", { name: "Passage 1" })],
    [`/sources/${source}?view=about`, () => page.getByRole("heading", { name: "What is kept of it" })],
    [
      `/sources/${source}?view=changes`,
      () => page.getByRole("article", { name: "Changes" }).getByRole("insertion").last(),
    ],
    [`/sources/${pdf}#c=0-17`, () => page.getByRole("article", { name: "Pages" }).locator("mark").first()],
    [`/sources/${saved}`, () => page.frameLocator("iframe").getByText("Line 1 of the notes")],
    [
      "/documents",
      () => page.getByRole("table", { name: "Documents" }).getByRole("link", { name: "What the harbour board saw" }),
    ],
    ["/documents?q=nowhere", () => page.getByRole("heading", { name: "Nothing found" })],
    [`/documents/${written}`, () => page.locator("[data-citation]")],
    [`/documents/${written}?view=pages`, () => page.getByRole("img", { name: /^Page 1 of/ })],
    [
      `/documents/${written}?view=sources`,
      () => page.getByRole("list", { name: "Sources of this document" }).getByRole("listitem"),
    ],
    [
      `/documents/${written}?view=sources&panel=history`,
      () => page.getByRole("list", { name: "Versions" }).getByRole("listitem").first(),
    ],
    [`/documents/${written}?version=2`, () => page.getByRole("article", { name: "Changes" }).getByRole("insertion")],
    ["/search", () => page.getByRole("heading", { name: "Find the exact words" })],
    [
      "/search?q=depth+at+the+quay&origin=blob_storage&expand_neighbors=true",
      () => page.getByRole("list", { name: "Results" }).locator("mark").first(),
    ],
    ["/search?q=depth&language=xx", () => page.getByRole("heading", { name: "Nothing found" })],
    ["/entities", () => page.getByRole("heading", { level: 1, name: "People & things" })],
    ["/entities/review", () => page.getByRole("heading", { level: 1, name: "Review who is who" })],
    ["/ground", () => page.getByRole("heading", { name: "What in it can be shown?" })],
    [`/sources/${failed}`, () => page.getByRole("heading", { name: "No text could be read" })],
    ["/library", () => page.getByRole("table", { name: "Files" }).getByRole("link", { name: minutes.name })],
    [`/library/files/${file}`, () => panel.getByText("The mole was rebuilt in 1931 after the storm")],
    ["/library/snapshots", () => page.getByRole("link", { name: "harbour/1931" })],
    [snapshot, () => page.getByText("3 files").first()],
    [`${snapshot}?view=history`, () => page.getByText("the 3 papers that were on the table")],
    [`${snapshot}?view=compare`, () => page.getByRole("heading", { name: "Added (1)" })],
    ["/jobs", () => page.getByText("Nothing wrong in 3 files")],
    [`/jobs/${job}`, () => panel.getByRole("heading", { name: "Result" })],
    ["/settings", () => page.getByRole("region", { name: "About" }).getByText("SQLite")],
    ["/status", () => page.getByText("Ready: everything Ibid needs answers.")],
  ];
  async function look() {
    for (const [index, colorScheme] of schemes.entries()) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page, index === 0 ? undefined : ["color-contrast"]);
    }
    await expectNoSideScroll(page);
  }
  for (const [path, sign] of screens) {
    await test.step(path, async () => {
      await page.goto(path);
      await expect(sign()).toBeVisible();
      await look();
    });
  }
  await test.step("the dialogs of sources", async () => {
    for (const [button, dialog] of [
      ["Add address", "Add an address"],
      ["Add by hand", "Add by hand"],
    ] as const) {
      await page.goto("/sources");
      await page.getByRole("button", { name: button }).click();
      await expect(page.getByRole("dialog", { name: dialog })).toBeVisible();
      await look();
    }
    for (const [button, sign] of [
      ["Edit", "Save"],
      ["Replace", "Choose a file"],
      ["Delete", "Cancel"],
    ] as const) {
      await page.goto(`/sources/${source}`);
      await page.getByRole("button", { name: button }).click();
      await expect(page.getByRole("dialog").getByRole("button", { name: sign })).toBeVisible();
      await look();
    }
  });
  await test.step("a citation, and the dialogs of conversations", async () => {
    await page.goto(`/ask/${conversation}`);
    // A finger gets the evidence first, and goes nowhere yet.
    const badge = page.locator("article [data-badge]").first();
    await expect(badge).toBeVisible();
    // A thread that still finds its place closes what was opened over it.
    await expect(async () => {
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      if (hasTouch) await badge.tap();
      else await page.keyboard.press("j");
      await expect(page.locator("[data-card] mark")).toBeVisible({ timeout: 2_000 });
    }).toPass();
    await expect(page).toHaveURL(new RegExp(`/ask/${conversation}$`));
    await look();
    for (const name of ["Rename", "Delete"]) {
      await page.goto(`/ask/${conversation}`);
      await expect(async () => {
        await page.getByRole("button", { name, exact: true }).click({ timeout: 2_000 });
        await expect(page.getByRole("dialog")).toBeVisible({ timeout: 2_000 });
      }).toPass();
      await look();
    }
  });
  await test.step("a grounded draft", async () => {
    await page.goto("/ground");
    await page
      .getByLabel("Your text")
      .fill("The depth at the quay is 6.9 m. The lighthouse was painted green in 1950.");
    await page.getByRole("button", { name: "Find the evidence" }).click();
    await expect(page.getByText("2 claims: 1 supported, 1 without evidence")).toBeVisible();
    await look();
  });
  await test.step("the dialog of snapshots", async () => {
    await page.goto("/library");
    await page.getByRole("checkbox", { name: `Select ${minutes.name}` }).check();
    await page.getByRole("button", { name: "Make a snapshot" }).click();
    await expect(page.getByRole("dialog", { name: "Make a snapshot" })).toBeVisible();
    await look();
  });
});
