import type { APIRequestContext, Page } from "@playwright/test";
import { expect } from "./test";

export async function post<T>(request: APIRequestContext, path: string, data: unknown): Promise<T> {
  const answer = await request.post(path, { data });
  expect(answer.ok(), `${path}: ${answer.ok() ? "" : await answer.text()}`).toBe(true);
  return (await answer.json()) as T;
}

export async function bring(
  request: APIRequestContext,
  files: { name: string; mimeType: string; buffer: Buffer }[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const file of files) {
    const answer = await request.post("/api/v1/sources/upload", { multipart: { file } });
    ids.push(((await answer.json()) as { items: { id: string }[] }).items[0]!.id);
  }
  const pending = async () =>
    ((await (await request.get("/api/v1/sources/counts")).json()) as { pending: number }).pending;
  await expect.poll(pending).toBe(0);
  return ids;
}

export interface Run {
  id: string;
  conversation_id: string;
}

/** A run of an agent elsewhere, with sources that the test names. */
export async function agent(
  request: APIRequestContext,
  question: string,
  sources: { title: string; url: string; snippet: string }[],
): Promise<Run> {
  const run = await post<Run>(request, "/api/v1/runs", { question });
  await post(request, `/api/v1/runs/${run.id}/tool-results`, {
    tool_name: "web_search",
    request_id: "w",
    output: { results: sources },
  });
  return run;
}

export const badges = (page: Page) => page.getByRole("article", { name: "Answer" }).locator("[data-badge]");
export const card = (page: Page) => page.locator("[data-card]");
export const panel = (page: Page) => page.getByRole("complementary", { name: "Evidence details" });

export async function ask(page: Page, question: string) {
  await page.getByRole("textbox", { name: /^Ask/ }).fill(question);
  await page.keyboard.press("Enter");
}
