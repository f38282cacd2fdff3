import type { Page } from "@playwright/test";

export async function mockSettings(page: Page, { fixed = false } = {}) {
  const kept = {
    answers: { provider: fixed ? "compatible" : "none", model: fixed ? "sample" : null, url: null, has_key: false, is_fixed: fixed, from: fixed ? "the environment (IBID_CHAT)" : null } as Record<string, unknown>,
    citations: { enabled: true, format: "brackets", expand_sources_by_default: true, max_sources_displayed: 10, enabled_tools: ["web_search", "mcp.*__*"], enable_tooltips: true, is_fixed: false, from: null } as Record<string, unknown>,
    embedder: { provider: "local", model: "all-MiniLM" },
    web_search: { is_configured: false },
    version: "0.1.0",
    engine: "sqlite",
    blobs: "folder",
  };
  await page.route("**/api/v1/settings", (route) => {
    if (route.request().method() === "PATCH") {
      const { answers, citations } = route.request().postDataJSON() as { answers?: Record<string, unknown>; citations?: Record<string, unknown> };
      if (typeof answers?.url === "string" && !answers.url.startsWith("http")) {
        return route.fulfill({ status: 422, contentType: "application/problem+json", body: JSON.stringify({ code: "invalid", field: "answers.url", detail: "An address begins with http:// or https://" }) });
      }
      const { key, ...rest } = answers ?? {};
      Object.assign(kept.answers, rest, key ? { has_key: true } : {});
      Object.assign(kept.citations, citations);
    }
    return route.fulfill({ json: kept });
  });
  await page.route("**/api/v1/settings/test", (route) => {
    const { url } = route.request().postDataJSON() as { url: string };
    return route.fulfill({ json: url.includes(":9/") ? { ok: false, latency_ms: 1, reply: null, error: "connection refused" } : { ok: true, latency_ms: 12, reply: "ready", error: null } });
  });
}
