import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { pdfAssets } from "./scripts/pdf-assets.mjs";

const server = process.env.IBID_DEV_SERVER ?? "http://127.0.0.1:7319";

export default defineConfig({
  plugins: [react(), pdfAssets()],
  resolve: {
    alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) },
  },
  build: {
    target: "es2022",
    // The server's policy forbids data: fonts and scripts, so nothing is inlined.
    assetsInlineLimit: 0,
    // light-dark() is kept as written: it is what makes one palette of two.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ["/api", "/health", "/ready", "/metrics", "/docs", "/openapi.json"].map((path) => [path, { target: server }]),
    ),
  },
  test: {
    include: ["src/**/*.test.{ts,tsx}"],
    environment: "node",
    env: { TZ: "UTC" },
  },
});
