const UNITS = ["B", "KB", "MB", "GB", "TB", "PB"];

/** 1536 -> "1.5 KB". Steps of 1024, three significant figures at most. */
export function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  // 1023.96 KB would round up to "1024 KB".
  if (unit > 0 && value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  const figure = String(Number(value.toFixed(digits)));
  return `${figure} ${UNITS[unit]}`;
}

const count = new Intl.NumberFormat("en");

export function formatCount(value: number): string {
  return count.format(value);
}

/** "1 file", "2 files". */
export function formatPlural(value: number, one: string, many = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`;
}

export function formatLatency(ms: number): string {
  if (ms < 1) return "< 1 ms";
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** 93784 -> "1 d 2 h". The two largest units. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor(whole / 3600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  if (first < 0) return "0 s";
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(" ");
}

/** How long something took: "40 ms", "3.2 s", "2 min 5 s". */
export function formatTook(ms: number): string {
  return ms < 60_000 ? formatLatency(ms) : formatDuration(ms / 1000);
}

const STEPS: [seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [31_536_000, "year"],
  [2_592_000, "month"],
  [604_800, "week"],
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "long" });

/** "5 minutes ago"; "just now" within 45 seconds either way, because clocks differ. */
export function formatRelative(iso: string, now: number): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  if (Number.isNaN(seconds)) return "";
  if (Math.abs(seconds) < 45) return "just now";
  for (const [size, unit] of STEPS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return relative.format(Math.sign(seconds), "minute");
}

const absolute = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "long" });

export function formatAbsolute(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : absolute.format(date);
}

export function shortHash(sha256: string): string {
  return sha256.slice(0, 10);
}

/** What the server says about a failure, as a sentence: "there is no job 7" -> "There is no job 7." */
export function asSentence(text: string): string {
  const said = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(said) ? said : `${said}.`;
}

/** "artifacts_checked" -> "Artifacts checked". */
export function humanise(key: string): string {
  const words = key.replace(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
