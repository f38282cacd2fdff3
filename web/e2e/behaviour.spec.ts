import { minutes, picture, report } from "./files";
import { expect, expectAccessible, test, upload } from "./test";

test.describe("someone else moves the snapshot", () => {
  // A refused name is a 422 and a refused move a 409, which Chromium also writes to the console.
  test.use({ expectedErrors: [/status of (409|422)/] });

  test("the stale move is refused, explained, and goes through after a reload", async ({ page, request }) => {
    await page.goto("/library");
    await upload(page, [minutes, report]);
    await expect(page.getByText("2 files kept")).toBeVisible();

    const { items } = (await (await request.get("/api/v1/artifacts")).json()) as { items: { sha256: string }[] };
    const manifest = async (path: string, index: number) => {
      const answer = await request.post("/api/v1/manifests", {
        data: { tree: { [path]: { sha256: items[index]!.sha256 } } },
      });
      return ((await answer.json()) as { sha256: string }).sha256;
    };
    const [first, second] = [await manifest("a.txt", 0), await manifest("b.txt", 1)];
    const pointer = "/api/v1/pointers/default/contested";
    expect((await request.put(pointer, { data: { pointer_type: "snapshot" } })).status()).toBe(201);
    expect((await request.post(`${pointer}/advance`, { data: { to: first, expected: null } })).status()).toBe(200);

    await page.getByRole("checkbox", { name: `Select ${minutes.name}` }).check();
    await page.getByRole("button", { name: "Make a snapshot" }).click();
    const dialog = page.getByRole("dialog");
    const name = dialog.getByLabel("Name", { exact: true });
    await name.fill("contested//");
    await dialog.getByRole("button", { name: "Make snapshot" }).click();
    await expect(name).toHaveAccessibleDescription(/segment/);
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await page.getByRole("button", { name: "Make a snapshot" }).click();
    await name.fill("contested");
    await expect(dialog.getByText(`is at ${first.slice(0, 10)}`)).toBeVisible();

    await request.post(`${pointer}/advance`, { data: { to: second, expected: first, reason: "somebody was faster" } });
    await dialog.getByRole("button", { name: "Make snapshot" }).click();
    await expect(dialog.getByText("Someone else moved this snapshot while you were here.")).toBeVisible();
    await expect(dialog.getByText(`it is now at ${second.slice(0, 10)}`)).toBeVisible();
    await expectAccessible(page);

    await dialog.getByRole("button", { name: "Reload" }).click();
    await expect(dialog.getByText(`is at ${second.slice(0, 10)}`)).toBeVisible();
    await dialog.getByRole("button", { name: "Make snapshot" }).click();
    await expect(page).toHaveURL(/\/library\/snapshots\/default\/contested$/);

    await page.getByRole("link", { name: "History" }).click();
    await expect(page.getByText("somebody was faster")).toBeVisible();
    await page.getByRole("link", { name: "Compare", exact: true }).first().click();
    await expect(page.getByRole("heading", { name: /^(Added|Removed|Changed) \(1\)$/ }).first()).toBeVisible();
    await expectAccessible(page);
  });
});

test("everything can be done by keyboard", async ({ page }) => {
  // From the start, because the browser has to know before the key that its chooser is not to open.
  let choosers = 0;
  page.on("filechooser", () => (choosers += 1));
  await page.goto("/library");
  await upload(page, [minutes, report, picture]);
  await expect(page.getByText("3 files kept")).toBeVisible();
  const rows = page.getByRole("table", { name: "Files" }).getByRole("link");
  await expect(rows).toHaveCount(3);

  await page.keyboard.press("j");
  await expect(rows.nth(0)).toBeFocused();
  await page.keyboard.press("j");
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press("k");
  await expect(rows.nth(0)).toBeFocused();
  await page.keyboard.press("x");
  await expect(page.getByText("1 selected")).toBeVisible();
  await page.keyboard.press("o");
  await expect(page.getByRole("complementary")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("complementary")).toBeHidden();

  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();

  await page.keyboard.press("g");
  await page.keyboard.press("j");
  await expect(page).toHaveURL(/\/jobs$/);
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await expect(page).toHaveURL(/\/status$/);
  await page.keyboard.press("u");
  await expect.poll(() => choosers).toBe(1);
  await page.keyboard.press("g");
  await page.keyboard.press("f");
  await expect(page).toHaveURL(/\/library$/);
});

test("files dropped anywhere become sources, and among the files are only kept", async ({ page }) => {
  const tray = page.getByRole("region", { name: "Uploads" });
  async function drop(name: string, text: string, invitation: string) {
    const held = await page.evaluateHandle(
      ([name, text]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], name, { type: "text/plain" }));
        return transfer;
      },
      [name, text] as const,
    );
    await page.dispatchEvent("main", "dragenter", { dataTransfer: held });
    await expect(page.getByText(invitation)).toBeVisible();
    await page.dispatchEvent("main", "drop", { dataTransfer: held });
    await expect(page.getByText(invitation)).toBeHidden();
  }

  await page.goto("/jobs");
  await drop("dropped.txt", minutes.buffer.toString(), "Drop to add these files");
  await expect(tray.getByText("1 file added")).toBeVisible();
  await tray.getByRole("link", { name: "dropped.txt" }).click();
  await expect(page).toHaveURL(/\/sources\/[0-9a-f-]{36}$/);
  await expect(page.getByRole("article", { name: "Text" }).getByText("The mole was rebuilt in 1931")).toBeVisible();

  await page.goto("/library");
  await drop("kept.txt", report.buffer.toString(), "Drop to keep these files");
  await expect(tray.getByText("1 file kept")).toBeVisible();
  await tray.getByRole("link", { name: "kept.txt" }).click();
  await expect(page.getByRole("complementary").getByText("Depth at the quay")).toBeVisible();
});

test("a chosen theme holds over a reload, and the system's comes back", async ({ page, colorScheme }) => {
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.goto("/settings");
  const system = await ground();
  const other = colorScheme === "dark" ? "Light" : "Dark";
  await page.getByText(other, { exact: true }).click();
  await expect.poll(ground).not.toBe(system);
  const chosen = await ground();
  await page.reload();
  await expect(page.getByRole("radio", { name: other })).toBeChecked();
  expect(await ground()).toBe(chosen);
  await expectAccessible(page);
  await page.getByText("As the system").click();
  await expect.poll(ground).toBe(system);
});

test.describe("when the server fails", () => {
  test.use({ expectedErrors: [/status of (500|404)/] });

  test("a list says what happened and can be tried again", async ({ page }) => {
    let failing = true;
    await page.route("**/api/v1/artifacts?*", async (route) => {
      if (!failing) return route.continue();
      return route.fulfill({
        status: 500,
        contentType: "application/problem+json",
        body: JSON.stringify({
          type: "about:blank",
          title: "Internal error",
          status: 500,
          code: "internal",
          detail: "The database did not answer.",
          request_id: "req-42",
        }),
      });
    });
    await page.goto("/library");
    await expect(page.getByText("The database did not answer.")).toBeVisible();
    await expect(page.getByText("Request req-42")).toBeVisible();
    await expectAccessible(page);
    failing = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("heading", { name: "Nothing is kept yet" })).toBeVisible();
  });

  test("an upload that fails says why and can be tried again", async ({ page }) => {
    let failing = true;
    await page.route("**/api/v1/artifacts", async (route) => {
      if (!failing || route.request().method() !== "POST") return route.continue();
      return route.fulfill({
        status: 500,
        contentType: "application/problem+json",
        body: JSON.stringify({ status: 500, code: "internal", detail: "The disk is full." }),
      });
    });
    await page.goto("/library");
    await upload(page, [minutes]);
    await expect(page.getByText("The disk is full.")).toBeVisible();
    await expectAccessible(page);
    failing = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByText("1 file kept")).toBeVisible();
  });

  test("an unknown file is said to be unknown", async ({ page }) => {
    await page.goto(`/library/files/${"0".repeat(64)}`);
    await expect(page.getByRole("complementary").getByText("The file could not be opened.")).toBeVisible();
  });
});

test("an address that leads nowhere says so", async ({ page }) => {
  await page.goto("/no/such/place");
  await expect(page.getByRole("heading", { name: "There is nothing at this address" })).toBeVisible();
  await expectAccessible(page);
});
