import type { Page } from "@playwright/test";
import { expect, test } from "./test";

const SOURCES = 5000;
const CONVERSATIONS = 40;
/** Other work shares the machine, so the best of a few counts. */
const TRIES = 3;
/** From the navigation until the place is filled and takes a key. What is measured on an idle machine is far less. */
const BUDGET_MS = 1500;

/** How long a place took until what it is for was drawn and the page was at rest enough to answer. */
async function interactive(page: Page, path: string, sign: string): Promise<number> {
  await page.goto(path, { waitUntil: "commit" });
  return page.evaluate(
    (selector) =>
      new Promise<number>((resolve) => {
        const look = () => {
          if (!document.querySelector(selector)) return requestAnimationFrame(look);
          // After what was drawn with it has been done, too.
          return setTimeout(() => resolve(performance.now()), 0);
        };
        look();
      }),
    sign,
  );
}

test("a library of thousands opens at once", async ({ page, request }) => {
  const words = ["harbour", "mole", "storm", "quay", "depth", "ferry", "survey", "board", "stone", "tide"];
  const passage = (index: number) => ({
    id: `passage-${index}`,
    source_title: `${words[index % 10]} ${words[(index * 7) % 10]} ${index}`,
    text: Array.from({ length: 80 }, (_, at) => words[(index * 3 + at * at) % 10]).join(" "),
  });
  const lines = Array.from({ length: SOURCES }, (_, index) => JSON.stringify(passage(index))).join("\n");
  const answer = await request.post("/api/v1/import/passages", {
    data: Buffer.from(lines),
    headers: { "content-type": "application/x-ndjson" },
  });
  expect(await answer.json()).toMatchObject({ imported: SOURCES });
  await Promise.all(
    Array.from({ length: CONVERSATIONS }, (_, index) =>
      request.post("/api/v1/conversations", { data: { title: `Question ${index}` } }),
    ),
  );

  const took: Record<string, number> = {};
  for (const [path, sign] of [
    ["/ask", "main [role=table] [data-row]"],
    ["/sources", "main [role=table] [data-row]"],
    ["/library", "main [role=table] [data-row]"],
    ["/search", "main input[type=search]"],
    ["/search?q=harbour+storm", "main mark"],
  ] as const) {
    let best = Infinity;
    for (let tries = 0; tries < TRIES && best >= BUDGET_MS; tries += 1)
      best = Math.min(best, await interactive(page, path, sign));
    took[path] = Math.round(best);
  }
  console.log(`ms to interactive with ${SOURCES} sources: ${JSON.stringify(took)}`);
  for (const [path, ms] of Object.entries(took)) expect(ms, path).toBeLessThan(BUDGET_MS);

  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Commands" });
  await expect(palette.getByRole("combobox")).toBeFocused();
  const began = Date.now();
  await page.keyboard.type("harbour depth");
  await expect(palette.getByRole("group", { name: "Sources" }).getByRole("option").first()).toBeVisible();
  expect(Date.now() - began).toBeLessThan(BUDGET_MS);
});
