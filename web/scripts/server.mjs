import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const PATIENCE_MS = 30_000;

/** $IBID_BIN, or the debug build where this repository's builds go. */
function binary() {
  const target = process.env.CARGO_TARGET_DIR ?? join(homedir(), ".cache/ibid/target");
  return process.env.IBID_BIN ?? join(target, "debug/ibid");
}

/**
 * A server of its own with a data folder of its own, both gone after `stop`.
 * @param {string[]} [settings] more of them, as on the command line
 * @returns {Promise<{ origin: string, stop: () => Promise<void> }>}
 */
export async function startServer(settings = []) {
  const data = await mkdtemp(join(tmpdir(), "ibid-web-"));
  const child = spawn(binary(), ["serve", "--listen", "127.0.0.1:0", "--data", data, "--log", "warn", ...settings], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const gone = new Promise((resolve) => child.once("close", resolve).once("error", resolve));
  // If this process dies, the server must not outlive it.
  const reap = () => child.kill("SIGKILL");
  process.on("exit", reap);

  async function stop() {
    child.kill("SIGTERM");
    const late = setTimeout(reap, 5000);
    await gone;
    clearTimeout(late);
    process.off("exit", reap);
    await rm(data, { recursive: true, force: true });
  }

  let said = "";
  child.stderr.on("data", (chunk) => (said += chunk.toString()));
  const line = once(createInterface(child.stdout), "line", { signal: AbortSignal.timeout(PATIENCE_MS) });
  const first = await Promise.race([line.then(([text]) => String(text)), gone.then(String)]).catch(String);
  const origin = /^Ibid is ready: (http:\S+)$/.exec(first)?.[1];
  if (origin) return { origin, stop };
  await stop();
  throw new Error(`${binary()} did not become ready. ${first}\n${said}`);
}
