import type { APIRequestContext, Page } from "@playwright/test";
import { post } from "./asking";
import { expect } from "./test";

export interface Doc {
  document_id: string;
  version: number;
  text: string;
  style: string;
}

export const make = (request: APIRequestContext, body: object) =>
  post<Doc>(request, "/api/v1/documents", { title: "The mole", ...body });
export const fetched = async (request: APIRequestContext, id: string) =>
  (await (await request.get(`/api/v1/documents/${id}`)).json()) as Doc;

export const text = (page: Page) => page.getByRole("textbox", { name: "Text of the document" });
export const saved = (page: Page) => page.getByText(/^Saved · version \d+$/);
export const badges = (page: Page) => page.locator("[data-citation]");
export const sheets = (page: Page) => page.getByRole("group", { name: "Pages as printed" }).getByRole("img");
export const ownSources = (page: Page) =>
  page.getByRole("list", { name: "Sources of this document" }).getByRole("listitem");

export async function open(page: Page, id: string, search = "") {
  await page.goto(`/documents/${id}${search}`);
  await expect(text(page)).toBeVisible();
}

/** Writes at the end of the text. */
export async function write(page: Page, words: string) {
  await text(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(words);
}

/** Cites by the keyboard the first passage that is found. */
export async function cite(page: Page, words: string) {
  await page.keyboard.press("Control+Shift+C");
  const box = page.getByRole("dialog", { name: "Cite a passage" });
  await expect(box.getByRole("combobox")).toBeFocused();
  await page.keyboard.type(words);
  await expect(box.getByRole("option").first()).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(box).toBeHidden();
}
