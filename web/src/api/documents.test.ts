import { afterEach, describe, expect, it, vi } from "vitest";
import {
  addStyle,
  changeCitation,
  changeDocument,
  deleteDocument,
  getDocument,
  listDocuments,
  removeDocumentSource,
  renderDocument,
} from "@/api/documents";

afterEach(() => vi.unstubAllGlobals());

/** A server that always answers the same. */
function answers(status: number, body: BodyInit | null, headers: Record<string, string> = {}) {
  const fetch = vi.fn((_request: Request) => Promise.resolve(new Response(body, { status, headers })));
  vi.stubGlobal("fetch", fetch);
  return async () => {
    const request = fetch.mock.calls[0]![0];
    const { pathname, search } = new URL(request.url);
    return {
      asked: `${request.method} ${pathname}${search}`,
      type: request.headers.get("content-type"),
      text: await request.text(),
    };
  };
}

describe("documents", () => {
  it("are asked for with what is said and nothing else", async () => {
    let sent = answers(200, '{"items":[],"next_cursor":null}');
    await expect(listDocuments("", null)).resolves.toEqual({ items: [], next_cursor: null });
    expect((await sent()).asked).toBe("GET /api/v1/documents?limit=50");
    sent = answers(200, '{"items":[],"next_cursor":null}');
    await listDocuments("a b", "c/d");
    expect((await sent()).asked).toBe("GET /api/v1/documents?limit=50&q=a%20b&cursor=c%2Fd");
    sent = answers(200, "{}");
    await getDocument("x/y");
    expect(await sent()).toEqual({ asked: "GET /api/v1/documents/x%2Fy", type: null, text: "" });
  });

  it("are changed in what is said, where a null is something else than nothing", async () => {
    const sent = answers(200, "{}");
    await changeCitation("d", 3, { locator: null, prefix: "see" });
    expect(await sent()).toEqual({
      asked: "PATCH /api/v1/documents/d/citations/3",
      type: "application/json",
      text: '{"locator":null,"prefix":"see"}',
    });
  });

  it("that others have changed come with both texts", async () => {
    const both = { current: { text: "theirs", version: 3 }, yours: { text: "mine" } };
    answers(409, JSON.stringify({ code: "document_changed", detail: "It is at version 3.", ...both }), {
      "x-request-id": "r-7",
    });
    await expect(changeDocument("d", { text: "mine", base_version: 2 })).rejects.toMatchObject({
      status: 409,
      code: "document_changed",
      message: "It is at version 3.",
      requestId: "r-7",
      body: both,
    });
  });

  it("and their sources go without an answer", async () => {
    let sent = answers(204, null);
    await expect(deleteDocument("d")).resolves.toBeUndefined();
    expect((await sent()).asked).toBe("DELETE /api/v1/documents/d");
    sent = answers(204, null);
    await removeDocumentSource("d", "s", "remove");
    expect((await sent()).asked).toBe("DELETE /api/v1/documents/d/sources/s?citations=remove");
  });

  it("become files, and a refusal is a problem instead of one", async () => {
    const sent = answers(200, new Uint8Array([37, 80, 68, 70]), { "content-type": "application/pdf" });
    const file = await renderDocument("d", "pdf");
    expect([file.type, file.size]).toEqual(["application/pdf", 4]);
    expect((await sent()).asked).toBe("GET /api/v1/documents/d/render?format=pdf");
    answers(422, '{"code":"document_does_not_compile","detail":"Line 3."}');
    await expect(renderDocument("d", "pdf")).rejects.toMatchObject({ code: "document_does_not_compile" });
  });

  it("take a style as it is written", async () => {
    const sent = answers(201, '{"style_id":"own"}');
    await expect(addStyle("<style/>")).resolves.toMatchObject({ style_id: "own" });
    expect(await sent()).toEqual({ asked: "POST /api/v1/styles", type: "application/xml", text: "<style/>" });
  });

  it("that nobody waits for any more are no problem, and a server that is away is one", async () => {
    vi.stubGlobal("fetch", ({ signal }: Request) => {
      signal.throwIfAborted();
      return Promise.reject(new TypeError("Failed to fetch"));
    });
    const abort = new AbortController();
    abort.abort();
    await expect(getDocument("d", 1, abort.signal)).rejects.toMatchObject({ name: "AbortError" });
    await expect(getDocument("d")).rejects.toMatchObject({ status: 0, code: "unreachable" });
  });
});
