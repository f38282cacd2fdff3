import { afterEach, expect, it, vi } from "vitest";
import { client, fillPath, openResponse } from "@/api/client";
import { readText } from "@/api/artifacts";
import { advancePointer, findPointer } from "@/api/pointers";
import { getReady } from "@/api/status";
import type { Artifact } from "@/api/types";

afterEach(() => vi.unstubAllGlobals());

function answer(status: number, body: unknown) {
  const fetch = vi.fn((_request: Request) =>
    Promise.resolve(
      new Response(JSON.stringify(body), { status, headers: { "content-type": "application/problem+json" } }),
    ),
  );
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

it("keeps the slashes of a pointer's name and escapes the rest", () => {
  expect(fillPath("/p/{namespace}/{name}/advance", { namespace: "a b/c", name: "x/y z/ü?" })).toBe(
    "/p/a%20b%2Fc/x/y%20z/%C3%BC%3F/advance",
  );
});

it("throws the server's problem with what it carries", async () => {
  const fetch = answer(409, { code: "pointer_stale", detail: "It moved.", current: "abc" });
  const moved = advancePointer("default", "a/b", { to: "x", expected: null, reason: null });
  await expect(moved).rejects.toMatchObject({ status: 409, code: "pointer_stale", body: { current: "abc" } });
  expect(new URL(fetch.mock.calls[0]![0].url).pathname).toBe("/api/v1/pointers/default/a/b/advance");
});

it("takes 404 for no pointer, and nothing else", async () => {
  answer(404, { code: "pointer_not_found" });
  await expect(findPointer("default", "x")).resolves.toBeNull();
  answer(500, { code: "internal" });
  await expect(findPointer("default", "x")).rejects.toMatchObject({ code: "internal" });
});

it("reads a server that is not ready as a state, not as a failure", async () => {
  answer(503, { status: "unavailable", checks: [{ name: "database", status: "failed" }] });
  await expect(getReady()).resolves.toMatchObject({ status: "unavailable" });
});

it("leaves out a character that the cut goes through", async () => {
  const bytes = new TextEncoder().encode("aé");
  const fetch = vi.fn((_request: Request) => Promise.resolve(new Response(bytes.slice(0, 2), { status: 206 })));
  vi.stubGlobal("fetch", fetch);
  const artifact = { sha256: "0", media_type: "text/plain", size_bytes: 3 } as Artifact;
  await expect(readText(artifact, 2)).resolves.toBe("a");
  expect(fetch.mock.calls[0]![0].headers.get("range")).toBe("bytes=0-1");
});

it("reads no more than it asked for, and says why there is nothing to read", async () => {
  const artifact = { sha256: "0", media_type: "text/plain", size_bytes: 3 } as Artifact;
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("abc")));
  await expect(readText(artifact, 2)).resolves.toBe("ab");
  answer(404, { code: "artifact_not_found", detail: "It is gone." });
  await expect(readText(artifact, 2)).rejects.toMatchObject({ status: 404, message: "It is gone." });
});

it("hands on an answer whose body nobody has read", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("data: {}\n\n")));
  const asked = client.GET("/api/v1/runs/{id}/events", { params: { path: { id: "r" } }, parseAs: "stream" });
  const response = await openResponse(asked);
  expect(response.bodyUsed).toBe(false);
  await expect(response.text()).resolves.toBe("data: {}\n\n");
});
