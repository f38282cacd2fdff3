import type { Page } from "@playwright/test";
import { ask, badges, bring, post } from "./asking";
import { minutes, survey } from "./files";
import { clipboard, expect, expectAccessible, expectNoSideScroll, test } from "./test";

test.use({ written: true, settings: ["--judge", "words", "--embedder", "none"] });

const SAYS = [
  "The mole was rebuilt in 1951 [1]. The depth at the quay is 7.2 m [2]. ",
  "Its lighthouse keeper 🚢 grows **prize tulips** behind the customs house [1]. ",
  "That is",
  2500,
  " all.\n\n- The mole was rebuilt in 1913 after the storm [1].",
];

const answer = (page: Page) => page.getByRole("article", { name: "Answer" });

/** What is marked, in both looks and on a phone. */
async function expectMarks(page: Page) {
  const mole = answer(page).locator("[data-claim=contradicted]").first();
  await expect(mole.locator("del")).toHaveText("1951");
  await expect(mole.locator("ins")).toHaveText("1931");
  const tulips = answer(page).locator("[data-claim=unsupported]");
  await expect(tulips).toHaveText(/^Its lighthouse keeper 🚢 grows prize tulips behind the customs house1?\.$/);
  await expect(answer(page).getByText("not supported by its source")).toBeVisible();
}

test("an answer is checked while it is written, and marks what its sources do not say", async ({
  page,
  request,
  model,
}, info) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await bring(request, [minutes, survey]);
  model.says = SAYS;
  await page.goto("/ask");
  await ask(page, "When was the mole rebuilt, and how deep is the quay?");

  await test.step("before the answer has ended", async () => {
    await expectMarks(page);
    await expect(answer(page)).not.toContainText("all.");
  });

  await test.step("when it is kept, and after a reload", async () => {
    await expect(badges(page)).toHaveCount(4);
    await expectMarks(page);
    await expect(answer(page).locator("li ins")).toHaveText("1931");
    await expectAccessible(page);
    await page.reload();
    await expectMarks(page);
    await expect(answer(page).locator("li ins")).toHaveText("1931");
    // What is right has no mark.
    await expect(answer(page).locator("[data-claim]")).toHaveCount(3);
  });

  await test.step("in both themes and on a phone", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      for (const viewport of [
        { width: 1280, height: 800 },
        { width: 360, height: 740 },
      ]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(viewport);
        await expectNoSideScroll(page);
        await expectAccessible(page);
        await page.screenshot({ path: info.outputPath(`claims-${colorScheme}-${viewport.width}.png`) });
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await test.step("a copy does not say what is wrong as if it were right", async () => {
    await page.getByRole("button", { name: "Copy with footnotes" }).click();
    await expect.poll(() => clipboard(page)).toContain("rebuilt in ~~1951~~ → 1931[^1].");
    expect(await clipboard(page)).toContain("customs house[^1]. (not supported by its source)");
    const html = await page.evaluate(async () => {
      const [item] = await navigator.clipboard.read();
      return (await item!.getType("text/html")).text();
    });
    expect(html).toContain("<del>1951</del>");
    expect(html).toContain("(not supported by its source)");
    expect(html).not.toContain("is not what the source says");
  });

  await test.step("the right words lead to their place, by keyboard, too", async () => {
    const right = answer(page).locator("ins a").first();
    await expect(right).toHaveText("1931");
    await right.focus();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/sources\/[0-9a-f-]{36}\?revision=[0-9a-f-]{36}#c=\d+-\d+$/);
    await expect(page.getByRole("article", { name: "Text" }).locator("mark")).toHaveText("1931");
  });
});

test("what a model rewrote is said to be, with what it said before", async ({ page, request, model }, info) => {
  await bring(request, [minutes, survey]);
  const better = { sentences: [{ number: 1, text: "The mole was rebuilt in 1931 [1]." }] };
  model.answers = (asked) =>
    asked.includes("<sentence number") ? [JSON.stringify(better)] : ["The mole was rebuilt in 1951 [1]. So it is."];
  const { id } = await post<{ id: string }>(request, "/api/v1/conversations", { title: null });
  await request.post(`/api/v1/conversations/${id}/messages`, {
    data: { content: "When was the mole rebuilt?", revise: true },
    headers: { accept: "application/json" },
  });
  await page.goto(`/ask/${id}`);
  await expect(answer(page)).toContainText("The mole was rebuilt in 1931");
  await expect(
    answer(page).getByText("rewritten from its source; it said: “The mole was rebuilt in 1951.”"),
  ).toBeVisible();
  await expect(answer(page).locator("del")).toHaveCount(0);
  await expectAccessible(page);
  await page.screenshot({ path: info.outputPath("rewritten.png") });
});
