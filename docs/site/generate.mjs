// Writes the pages of docs/guide that follow from the code:
//
//   docs/settings.json  -> configuration.md
//   docs/commands.json  -> commands.md, with the examples of docs/site/examples.json
//   docs/errors.md      -> errors.md
//
//   node generate.mjs           write what changed
//   node generate.mjs --check   only say what is stale; exit code 1 if anything is
//
// It needs Node and no package.
import { readFileSync, writeFileSync } from "node:fs";

const docs = new URL("../", import.meta.url);
const read = (path) => readFileSync(new URL(path, docs), "utf8");
const readJson = (path) => JSON.parse(read(path));

/** Headings of the configuration page, in order. A setting belongs to the first whose pattern matches its name. */
const SETTING_GROUPS = [
  ["Library and server", /^(listen|data|public_url|allowed_hosts|connections|max_connections|workers|drain_seconds)$/],
  ["Commands on a running server", /^(server|api_key)$/],
  ["PostgreSQL and S3", /^(database_url|blobs|s3_)/],
  ["Limits", /_(limit_bytes|timeout_seconds)$/],
  ["Reading and embedding", /^(embedder|chunk_|fetch_|firecrawl_)/],
  ["Answers", /^(chat|brave_|judge$|revise$|notes$)/],
  ["Knowledge", /^knowledge/],
  ["Citations", /^citations\./],
  ["Log", /^log/],
  ["More", /./],
];

/** The section [citations] of ibid.toml, which has neither flags nor variables. check.mjs compares the names with the code. */
const CITATION_SETTINGS = [
  ["enabled", "true", "Searches tool results for sources."],
  ["format", "superscript", "Form of citation markers in the app: `brackets`, `superscript` or `inline_links`."],
  ["expand_sources_by_default", "false", "Shows all quotes of a source at first. Otherwise the app shows only the first quote."],
  ["max_sources_displayed", "10", "Number of sources that the list shows at first."],
  ["enabled_tools", '["*"]', "Names of tools whose results are searched. `*` and `?` are wildcards."],
  ["enable_tooltips", "true", "Shows the source when the pointer is over a marker."],
  ["extractors", "", "Mappings for the results of further tools. They win over the built-in ones."],
].map(([name, value, help]) => ({ name: `citations.${name}`, flag: null, env: null, default: value, help, secret: false }));

/** Headings of the errors page, by the first digits of the status. */
const STATUS_GROUPS = [
  ["The request could not be read", [400, 408, 413, 415, 416]],
  ["A value is not legal", [412, 422]],
  ["Not allowed", [401, 403, 405]],
  ["Not found", [404]],
  ["Conflict", [409]],
  ["The server or a provider failed", [429, 500, 502, 503]],
];

const NOTICE = (from) => `<!-- Made by docs/site/generate.mjs from ${from}. Change that, not this page. -->`;

/** Text of the code as Markdown: what could be read as HTML or as Vue's braces is escaped. */
function escapeText(text) {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 ? part : part.replace(/</g, "&lt;").replace(/\{\{/g, "&#123;&#123;")))
    .join("");
}

/** A help text on one line, as a sentence with its full stop. */
function sentence(text) {
  const line = text.trim().replace(/\s+/g, " ");
  return escapeText(/[.!?…]$/.test(line) ? line : `${line}.`);
}

const cell = (text) => sentence(text).replace(/\|/g, "\\|");

/** Bytes and seconds are easier to read with their unit. */
function explainDefault(setting) {
  const { name, default: value } = setting;
  if (value === "" || value === null || value === undefined) return "empty";
  const units = [
    ["GiB", 2 ** 30],
    ["MiB", 2 ** 20],
  ];
  const bytes = name.endsWith("_bytes") && units.find(([, size]) => Number(value) % size === 0 && Number(value) >= size);
  return bytes ? `\`${value}\` (${Number(value) / bytes[1]} ${bytes[0]})` : `\`${value}\``;
}

function group(items, groups, belongs) {
  const rest = new Set(items);
  return groups
    .map(([title, rule]) => {
      const members = [...rest].filter((item) => belongs(item, rule));
      members.forEach((item) => rest.delete(item));
      return [title, members];
    })
    .filter(([, members]) => members.length);
}

function configurationPage() {
  const settings = [...readJson("settings.json"), ...CITATION_SETTINGS];
  const lines = [
    "---",
    "title: Configuration",
    "description: Every setting of Ibid with its flag, its environment variable, its default and what it does.",
    "outline: 2",
    "---",
    "",
    NOTICE("docs/settings.json"),
    "",
    "# Configuration",
    "",
    "Each setting has one name and a default. You can set it in several places. Later ones win:",
    "",
    "1. the default,",
    "2. the settings page of the app (only the model that writes answers, and how citations are shown),",
    "3. the file `ibid.toml`, in the folder where you start Ibid or in `~/.config/ibid/`,",
    "4. an environment variable,",
    "5. a flag.",
    "",
    "Use `--config FILE` or `IBID_CONFIG` to read another file. `ibid config` prints every setting in use and where it",
    "comes from. Secrets are masked.",
    "",
    "```toml",
    "# ibid.toml",
    'data = "/srv/ibid"',
    'chat = "compatible"',
    'chat_url = "http://localhost:11434/v1"',
    'chat_model = "llama3.2"',
    "```",
    "",
    "The same with flags:",
    "",
    "```sh",
    "ibid serve --data /srv/ibid --chat compatible --chat-url http://localhost:11434/v1 --chat-model llama3.2",
    "```",
    "",
  ];
  for (const [title, members] of group(settings, SETTING_GROUPS, (setting, rule) => rule.test(setting.name))) {
    // Settings have the short ids, so that #judge leads to the setting.
    lines.push(`## ${title} {#about-${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}}`, "");
    if (title === "Citations") {
      lines.push(
        "These stand in the section `[citations]` of `ibid.toml`. They have no flag and no variable. See",
        "[Describe your own tools](./agents#describe-your-own-tools) for `extractors`.",
        "",
      );
    }
    for (const setting of members) {
      const where = [setting.flag && `\`${setting.flag}\``, setting.env && `\`${setting.env}\``].filter(Boolean).join(", ");
      lines.push(`### \`${setting.name}\` {#${setting.name}}`, "", sentence(setting.help), "", '<dl class="facts">');
      if (where) lines.push(`<dt>Set it with</dt><dd>${code(where)}</dd>`);
      lines.push(`<dt>Default</dt><dd>${code(explainDefault(setting))}</dd>`);
      if (setting.secret) lines.push("<dt>Secret</dt><dd>yes: it is never printed</dd>");
      lines.push("</dl>", "");
    }
  }
  return lines.join("\n");
}

/** Backticks inside HTML are not Markdown any more. */
function code(text) {
  return text.replace(/`([^`]*)`/g, (_, inner) => `<code>${inner.replace(/&/g, "&amp;").replace(/</g, "&lt;")}</code>`);
}

function commandsPage() {
  const commands = readJson("commands.json");
  const examples = readJson("site/examples.json");
  const lines = [
    "---",
    "title: Command line",
    "description: Every command of ibid with its arguments, its options and an example.",
    "outline: 2",
    "---",
    "",
    NOTICE("docs/commands.json and docs/site/examples.json"),
    "",
    "# Command line",
    "",
    "Every command takes `--json`, which prints the result as JSON, and all [settings](./configuration) as flags.",
    "`ibid help COMMAND` prints help for one command.",
    "",
    "| exit code | meaning |",
    "|---|---|",
    "| 0 | The command did what you asked. |",
    "| 1 | It failed, found nothing, or a check found a fault. |",
    "| 2 | The command or a setting was not understood. |",
    "| 130 | You stopped it a second time with Ctrl-C. |",
    "",
    "In the examples, words in capitals such as `DOCUMENT` stand for an id that another command printed.",
    "",
  ];
  const areas = [...new Set(commands.map((command) => command.name.split(" ")[1]))];
  for (const area of areas) {
    const members = commands.filter((command) => command.name.split(" ")[1] === area);
    lines.push(`## ibid ${area} {#${area}}`, "");
    for (const command of members) {
      if (command.name !== `ibid ${area}`) lines.push(`### ${command.name} {#${command.name.split(" ").slice(1).join("-")}}`, "");
      lines.push(sentence(command.about), "", "```text", command.usage, "```", "");
      const rows = [
        ...command.arguments.map(({ name, help, default: usual }) => [name, help, usual]),
        ...command.options.map(({ flags, help, default: usual }) => [flags, help, usual]),
      ];
      if (rows.length) {
        lines.push("| argument or option | meaning |", "|---|---|");
        for (const [name, help, usual] of rows) {
          const after = usual ? ` Default: \`${usual}\`.` : "";
          lines.push(`| \`${name.replace(/\|/g, "\\|")}\` | ${cell(help)}${after} |`);
        }
        lines.push("");
      }
      if (command.json) lines.push(`With \`--json\` it prints \`${command.json}\` of the <a href="/docs" target="_self">API reference</a>.`, "");
      const example = command.example ?? examples[command.name];
      if (example && example !== command.usage) lines.push("Example:", "", "```sh", example, "```", "");
    }
  }
  return lines.join("\n");
}

function errorsPage() {
  const rows = read("errors.md")
    .split("\n")
    .map((line) => line.match(/^\| `([a-z_]+)` \| (\d{3}) \| (.*?) \| (.*) \|$/))
    .filter(Boolean)
    .map(([, name, status, meaning, help]) => ({ name, status: Number(status), meaning, help }));
  if (rows.length < 10) throw new Error("docs/errors.md has no table of errors that can be read");
  const lines = [
    "---",
    "title: Errors",
    "description: Every error code of the API with its status, what it means and what to do.",
    "outline: 2",
    "---",
    "",
    NOTICE("docs/errors.md"),
    "",
    "# Errors",
    "",
    "Every error of the API is an `application/problem+json` (RFC 9457). It has these fields:",
    "",
    "| field | meaning |",
    "|---|---|",
    "| `code` | one of the codes on this page; it does not change, so your program can rely on it |",
    "| `detail` | what was wrong and what would be right, in a sentence |",
    "| `field` | the field, parameter or path of your request that it concerns |",
    "| `hint` | what to do |",
    "| `title`, `status` | a fixed sentence for the code, and the HTTP status |",
    "| `request_id` | the id of the request, which is also in the log of the server |",
    "",
    "The OpenAI-compatible endpoints under `/v1` write the same errors in the form of OpenAI.",
    "",
  ];
  const known = group(rows, [...STATUS_GROUPS, ["Others", null]], (row, statuses) => !statuses || statuses.includes(row.status));
  for (const [title, members] of known) {
    lines.push(`## ${title}`, "");
    for (const { name, status, meaning, help } of members) {
      lines.push(`### \`${name}\` {#${name}}`, "", `Status ${status}. ${sentence(meaning)} ${sentence(help)}`, "");
    }
  }
  return lines.join("\n");
}

const pages = { "configuration.md": configurationPage, "commands.md": commandsPage, "errors.md": errorsPage };
const check = process.argv.includes("--check");
let stale = 0;
for (const [name, make] of Object.entries(pages)) {
  const path = new URL(`guide/${name}`, docs);
  const text = `${make().trimEnd()}\n`;
  let before = null;
  try {
    before = readFileSync(path, "utf8");
  } catch {
    // The page is written for the first time.
  }
  if (before === text) continue;
  stale += 1;
  if (check) console.error(`docs/guide/${name} is stale: run node docs/site/generate.mjs`);
  else writeFileSync(path, text);
}
if (check && stale) process.exit(1);
