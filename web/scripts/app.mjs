import { fileURLToPath } from "node:url";
import { preview } from "vite";

/**
 * Serves `dist/` in front of a server whose own app is older, under the same policy; so that the app can be tried
 * without building the binary.
 * @param {string} server
 * @returns {Promise<{ origin: string, stop: () => Promise<void> }>}
 */
export async function serveApp(server) {
  const policy = (await fetch(`${server}/ask`)).headers.get("content-security-policy") ?? "";
  const paths = ["/api", "/health", "/ready", "/metrics", "/docs", "/openapi.json", "/v1"];
  const app = await preview({
    root: fileURLToPath(new URL("..", import.meta.url)),
    logLevel: "error",
    preview: {
      host: "127.0.0.1",
      port: 0,
      headers: { "content-security-policy": policy },
      proxy: Object.fromEntries(paths.map((path) => [path, { target: server }])),
    },
  });
  const origin = app.resolvedUrls?.local[0]?.replace(/\/$/, "");
  if (!origin) throw new Error("vite preview has no address");
  return { origin, stop: () => app.close() };
}
