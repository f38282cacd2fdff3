import { minutes, unreadable } from "./files";
import { bring, expect, expectAccessible, expectNoSideScroll, test } from "./test";

test("jobs say what they are about and what came of them", async ({ page, request }) => {
  await bring(request, minutes);
  await request.post("/api/v1/sources/upload", { multipart: { file: unreadable } });
  await page.goto("/jobs");
  const jobs = page.getByRole("table", { name: "Jobs" });
  await expect(
    jobs.getByRole("row", { name: /^Read harbour-minutes\.txt Done 1 passage, found by its words/ }),
  ).toBeVisible();
  await expect(jobs.getByRole("row", { name: /^Read soundings\.bin Done No text: / })).toBeVisible();
  await jobs.getByRole("link", { name: "Read harbour-minutes.txt" }).click();
  const panel = page.getByRole("complementary");
  await expect(panel.getByRole("heading", { name: "Read" })).toBeVisible();
  await expectAccessible(page);
  await panel.getByRole("link", { name: "harbour-minutes.txt" }).click();
  await expect(page).toHaveURL(/\/sources\//);
});

test("each state is told by a word, a sign and what can be done", async ({ page, request }) => {
  const { id: source_id } = await bring(request, minutes);
  const now = new Date().toISOString();
  const soon = new Date(Date.now() + 45_000).toISOString();
  const job = (index: number, state: string, more: object) => ({
    id: `01a1e1a3-19ff-77dd-a08a-9d1b5830580${index}`,
    kind: "embed",
    state,
    payload: { source_id },
    progress: null,
    result: null,
    attempt: 1,
    max_attempts: 3,
    last_error: null,
    run_at: now,
    created_at: now,
    updated_at: now,
    started_at: now,
    finished_at: null,
    ...more,
  });
  const items = [
    job(1, "queued", { run_at: soon, attempt: 2, last_error: "the provider asks to wait" }),
    job(2, "running", { progress: { done: 384, total: 979, message: "embedding" } }),
    job(3, "succeeded", { result: { outcome: "embedded", chunks: 979, model: "mini" }, finished_at: now }),
    job(4, "dead", { attempt: 3, last_error: "the key was refused", finished_at: now }),
    job(5, "cancelled", { finished_at: now }),
  ];
  // The real jobs of the library are not told of here.
  await page.route(/\/api\/v1\/jobs\/events/, (route) =>
    route.fulfill({ contentType: "text/event-stream", body: ": quiet\n\n" }),
  );
  await page.route(/\/api\/v1\/jobs\?/, (route) => route.fulfill({ json: { items, next_cursor: null } }));
  await page.goto("/jobs");
  const rows = page.getByRole("table", { name: "Jobs" }).getByRole("row");
  await expect(rows).toHaveText([
    /^JobState/,
    /Queued.*Runs within a minute.*the provider asks to wait.*Attempt 2 of 3.*Cancel/,
    /Running.*Embedding384 of 979 passages.*Cancel/,
    /Done979 passages, found by meaning with mini/,
    /Failed.*the key was refused.*Attempt 3 of 3.*Retry/,
    /Cancelled.*Retry/,
  ]);
  await expect(page.getByRole("button", { name: "Retry Index by meaning harbour-minutes.txt" })).toHaveCount(2);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await expectNoSideScroll(page);
});
