// Checks the built guide: links, titles, resources, scripts and size. The last line counts all of it as one test.
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("dist/", import.meta.url));
const base = "/docs/guide/";
/** The guide is embedded in the binary. */
const MAX_BYTES = 1_500_000;
/** Addresses of the server outside of the guide that pages may link to. */
const SERVER_PATHS = new Set(["/", "/docs", "/openapi.json"]);

let passed = 0;
const failures = [];
function check(ok, what) {
  if (ok) passed += 1;
  else failures.push(what);
}

function filesBelow(folder, prefix = "") {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name), `${prefix}${entry.name}/`) : [`${prefix}${entry.name}`],
  );
}

const decode = (text) =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" })[name]);

/** The tags of a page with their attributes. Text, comments and the inside of scripts are left out. */
function tagsOf(html) {
  const bare = html.replace(/<!--[\s\S]*?-->/g, "").replace(/(<script[^>]*>)[\s\S]*?(<\/script>)/g, "$1$2");
  return [...bare.matchAll(/<([a-z][a-z0-9-]*)((?:\s+[^\s=>/]+(?:="[^"]*")?)*)\s*\/?>/g)].map(([, name, text]) => ({
    name,
    attributes: Object.fromEntries([...text.matchAll(/([^\s=]+)(?:="([^"]*)")?/g)].map(([, key, value]) => [key, decode(value ?? "")])),
  }));
}

if (!existsSync(join(dist, "index.html"))) {
  console.error("docs/site/dist has no pages: run scripts/docs.sh first");
  console.log("0 passed, 1 failed");
  process.exit(1);
}

const files = filesBelow(dist).filter((name) => name !== ".ibid-stamp");
const pages = new Map();
for (const name of files.filter((name) => name.endsWith(".html"))) {
  const html = readFileSync(join(dist, name), "utf8");
  const tags = tagsOf(html);
  pages.set(name, { html, tags, ids: new Set(tags.map((tag) => tag.attributes.id).filter(Boolean)) });
}

const isOutside = (address) => /^(?:[a-z][a-z0-9+.-]*:)?\/\//i.test(address);
/** The file behind an address of the guide, as the server finds it; null if it is not in the guide. */
function fileOf(url) {
  if (!url.pathname.startsWith(base)) return null;
  const path = decodeURIComponent(url.pathname.slice(base.length));
  return path === "" || path.endsWith("/") ? `${path}index.html` : path;
}

const titles = new Map();
for (const [name, page] of pages) {
  const here = new URL(`${base}${name}`, "http://guide.invalid");
  const title = page.html.match(/<title>([^<]*)<\/title>/)?.[1].trim() ?? "";
  const description = page.tags.find((tag) => tag.name === "meta" && tag.attributes.name === "description")?.attributes.content ?? "";
  check(title.length > 3, `${name}: no title`);
  check(name === "404.html" || description.length > 20, `${name}: no description of its own`);
  check(!titles.has(title), `${name}: same title as ${titles.get(title)}`);
  titles.set(title, name);

  // What a page loads comes from the server itself, and no script stands in the page.
  for (const { name: tag, attributes } of page.tags) {
    const resources = [
      attributes.src,
      attributes.poster,
      ...(attributes.srcset ?? "").split(",").map((part) => part.trim().split(/\s+/)[0]),
      tag === "link" && attributes.href,
      tag === "object" && attributes.data,
    ].filter(Boolean);
    for (const address of resources) {
      const file = isOutside(address) ? null : fileOf(new URL(address, here));
      check(!isOutside(address), `${name}: <${tag}> loads ${address}`);
      check(isOutside(address) || (file && files.includes(file)), `${name}: <${tag}> loads ${address}, which does not exist`);
    }
    if (tag === "script") check("src" in attributes, `${name}: has an inline script`);
    const handler = Object.keys(attributes).find((key) => /^on[a-z]+$/.test(key));
    check(!handler, `${name}: <${tag}> has an inline handler ${handler}`);
    check(!/^\s*javascript:/i.test(attributes.href ?? ""), `${name}: <${tag}> has a javascript: address`);
  }

  // Every link of the guide leads to a page, and every # to a place on it.
  for (const { attributes } of page.tags.filter((tag) => tag.name === "a" && tag.attributes.href)) {
    if (isOutside(attributes.href) || /^mailto:/.test(attributes.href)) continue;
    const url = new URL(attributes.href, here);
    const file = fileOf(url);
    if (file === null) {
      check(SERVER_PATHS.has(url.pathname), `${name}: links to ${url.pathname}, which is not a page of the guide`);
      check(attributes.target === "_self", `${name}: the link to ${url.pathname} needs target="_self"`);
      continue;
    }
    check(files.includes(file), `${name}: links to ${attributes.href}, which does not exist`);
    const id = decodeURIComponent(url.hash.slice(1));
    if (id && pages.has(file)) check(pages.get(file).ids.has(id), `${name}: links to ${attributes.href}, but ${file} has no #${id}`);
  }

  // Every heading can be linked to, once.
  const ids = page.tags.map((tag) => tag.attributes.id).filter(Boolean);
  check(new Set(ids).size === ids.length, `${name}: an id stands twice: ${ids.find((id, at) => ids.indexOf(id) !== at)}`);
  for (const { attributes } of page.tags.filter((tag) => tag.name === "img")) check("alt" in attributes, `${name}: an image without alt`);
}

for (const name of files.filter((name) => name.endsWith(".css"))) {
  const css = readFileSync(join(dist, name), "utf8");
  for (const [, address] of css.matchAll(/url\(\s*["']?([^"')]+)/g)) check(!isOutside(address), `${name}: loads ${address}`);
  check(!/@import\s/.test(css), `${name}: has an @import`);
}
for (const name of files.filter((name) => name.endsWith(".js"))) {
  const script = readFileSync(join(dist, name), "utf8");
  check(!/\beval\(|new Function\(/.test(script), `${name}: makes code of text, which the policy forbids`);
  check(!/\bimport\(?\s*["']https?:/.test(script), `${name}: imports from another host`);
}

const guide = fileURLToPath(new URL("../guide/", import.meta.url));
for (const name of readdirSync(guide).filter((name) => name.endsWith(".md"))) {
  check(pages.has(name.replace(/\.md$/, ".html")), `docs/guide/${name} is not in dist: run scripts/docs.sh`);
}
check(pages.has("404.html"), "there is no 404.html");

const generated = spawnSync(process.execPath, [fileURLToPath(new URL("generate.mjs", import.meta.url)), "--check"], { encoding: "utf8" });
check(generated.status === 0, generated.stderr.trim() || "generate.mjs --check failed");

// Examples and file settings are written by hand, so they are compared with what there is.
const docs = new URL("../", import.meta.url);
const readText = (path) => readFileSync(new URL(path, docs), "utf8");
const commands = new Set(JSON.parse(readText("commands.json")).map((command) => command.name));
for (const name of Object.keys(JSON.parse(readText("site/examples.json")))) {
  check(commands.has(name), `docs/site/examples.json: there is no command ${name}`);
}
const config = new URL("../crates/server/src/config.rs", docs);
if (existsSync(config)) {
  const named = new Set(readFileSync(config, "utf8").match(/"citations\.[a-z_]+"/g)?.map((name) => name.slice(1, -1)));
  const shown = pages.get("configuration.html")?.ids ?? new Set();
  for (const name of named) check(shown.has(name), `generate.mjs does not describe ${name}`);
  for (const name of shown) check(!name.startsWith("citations.") || named.has(name), `generate.mjs describes ${name}, which does not exist`);
}

const bytes = files.reduce((sum, name) => sum + statSync(join(dist, name)).size, 0);
check(bytes <= MAX_BYTES, `the guide has ${bytes} bytes; at most ${MAX_BYTES} are allowed`);

for (const failure of failures) console.error(`FAIL ${failure}`);
console.log(`${pages.size} pages, ${files.length} files, ${(bytes / 1000).toFixed(0)} kB of at most ${MAX_BYTES / 1000} kB`);
console.log(`${passed} links, titles and resources are right, ${failures.length} are not`);
console.log(failures.length === 0 ? "1 passed, 0 failed" : "0 passed, 1 failed");
process.exit(failures.length ? 1 : 0);
