import { laterSurvey, survey } from "./files";
import { bring, expect, expectAccessible, expectNoSideScroll, placeOf, test } from "./test";

test("what cites a source is named before it is replaced or deleted, and its versions can be compared", async ({
  page,
  request,
}) => {
  const { id, text, revision } = await bring(request, survey);
  const asked = await request.post("/api/v1/conversations", { data: { title: "How deep is the harbour" } });
  const { id: conversation } = (await asked.json()) as { id: string };
  const answer = await request.post(`/api/v1/conversations/${conversation}/messages`, {
    data: { content: "What is the depth at the quay?" },
  });
  expect(await answer.text()).toContain("run_completed");
  await page.goto(`/sources/${id}${placeOf(text, "7.2 m")}`);
  await expect(page.locator("mark")).toHaveText("7.2 m");
  const claims = page.getByRole("region", { name: "Claims that would lose their support" });

  await test.step("replaced by the same, it is said to be there already", async () => {
    await page.getByRole("button", { name: "Replace" }).click();
    const dialog = page.getByRole("dialog", { name: "Replace the content" });
    await dialog.getByLabel("The new file").setInputFiles([survey]);
    await expect(dialog.getByText("is what is there already")).toBeVisible();
    await expect(dialog.getByRole("button", { name: "Replace" })).toBeDisabled();
  });

  await test.step("replaced by another, the claims that lose their words are named first", async () => {
    const dialog = page.getByRole("dialog", { name: "Replace the content" });
    await dialog.getByLabel("The new file").setInputFiles([laterSurvey]);
    await expect(claims.getByText("The depth at the quay is 7.2 m")).toBeVisible();
    await expect(
      claims.getByText(/In “How deep is the harbour” · citation 1 · nothing else supports it/),
    ).toBeVisible();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Replace" }).click();
    await expect(dialog).toBeHidden();
  });

  await test.step("the earlier version can be chosen, and the address holds it", async () => {
    const version = page.getByLabel("Version", { exact: true });
    await expect(version).toBeVisible({ timeout: 20_000 });
    await version.selectOption({
      label: (await version.locator("option").allTextContents()).find((label) => label.startsWith("Version 1"))!,
    });
    await expect(page).toHaveURL(new RegExp(`revision=${revision}`));
    await expect(page.getByText("This is an earlier version.")).toBeVisible();
    await expect(page.locator("mark")).toHaveText("7.2 m");
    await expectAccessible(page);
  });

  await test.step("and compared with the one after", async () => {
    await page.goto(`/sources/${id}?view=changes`);
    const changes = page.getByRole("article", { name: "Changes" });
    await expect(changes.getByText("1 place changed.")).toBeVisible();
    await expect(changes.getByRole("deletion").filter({ hasText: "7.2" })).toHaveText("7.2");
    await expect(changes.getByRole("insertion").filter({ hasText: "6.9" })).toHaveText("6.9");
    await expect(changes.getByRole("insertion").filter({ hasText: "Dredging has begun" })).toBeVisible();
    await expectAccessible(page);
    await expectNoSideScroll(page);
    const upTo = page.getByLabel("What changed up to");
    await upTo.selectOption({ value: revision });
    await expect(page).toHaveURL(new RegExp(`revision=${revision}`));
    await expect(changes.getByRole("insertion").filter({ hasText: "7.2" })).toHaveText("7.2");
  });

  await test.step("deleted, the claims are named again, those of documents too", async () => {
    const made = await request.post("/api/v1/documents", {
      data: { title: "Notes on the quay", text: "The quay is shallow[^1], and it is old[^1]." },
    });
    const { document_id } = (await made.json()) as { document_id: string };
    await request.post(`/api/v1/documents/${document_id}/citations`, {
      data: { source_id: id, citation_number: 1, position: 0 },
    });
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete this source" });
    await expect(dialog.getByRole("list", { name: "What goes with it" })).toContainText(
      "2 claims would lose their only source",
    );
    await expect(
      claims.getByText(/In the document “Notes on the quay” · citation 1 · nothing else supports it/),
    ).toBeVisible();
    await expect(claims.getByText("The depth at the quay is 7.2 m")).toBeVisible();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(page).toHaveURL(/\/sources$/);
  });
});
