// Builds the guide into dist: generated pages first, then VitePress, then what the server's policy asks for.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vitepress";

const site = fileURLToPath(new URL(".", import.meta.url));
const dist = join(site, "dist");
const base = "/docs/guide/";

await import("./generate.mjs");
rmSync(dist, { recursive: true, force: true });
await build(site);

// The server sends `script-src 'self'`. So each inline script becomes a file of its own, at the same place in the page.
mkdirSync(join(dist, "assets"), { recursive: true });
for (const name of readdirSync(dist).filter((name) => name.endsWith(".html"))) {
  const path = join(dist, name);
  const html = readFileSync(path, "utf8").replace(/<script(?![^>]*\ssrc=)([^>]*)>([\s\S]*?)<\/script>/g, (_, attributes, text) => {
    // VitePress writes its own key here, although another one is configured.
    const script = text.replaceAll("vitepress-theme-appearance", "ibid.theme");
    const file = `assets/inline.${createHash("sha256").update(script).digest("hex").slice(0, 8)}.js`;
    writeFileSync(join(dist, file), script);
    return `<script${attributes} src="${base}${file}"></script>`;
  });
  writeFileSync(path, html);
}
