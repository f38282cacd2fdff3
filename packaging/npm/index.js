"use strict";

const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const path = require("node:path");

/** The path of the program. */
function binaryPath() {
  const name = `@ibid/${process.platform}-${process.arch}`;
  let manifest;
  try {
    manifest = require.resolve(`${name}/package.json`);
  } catch {
    throw new Error(
      `ibid: the package ${name} is not installed. There are packages for Linux on x64 and arm64. ` +
        "If this is such a machine, install ibid again without --omit=optional or --no-optional.",
    );
  }
  const binary = path.join(path.dirname(manifest), "bin", "ibid");
  if (!existsSync(binary)) throw new Error(`ibid: ${binary} is missing; install ibid again`);
  return binary;
}

/** Starts a server and waits until it answers. */
function startServer({ data, listen = "127.0.0.1:0", env = {}, args = [], timeout = 60_000 } = {}) {
  return new Promise((resolve, reject) => {
    const given = ["serve", "--json", "--listen", listen, ...(data === undefined ? [] : ["--data", data]), ...args];
    const child = spawn(binaryPath(), given, {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise((done) => child.once("close", done));
    const stopWithUs = () => child.kill("SIGTERM");
    process.once("exit", stopWithUs);
    ended.then(() => process.removeListener("exit", stopWithUs));

    let text = "";
    const fail = (reason) => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      reject(new Error(`ibid: the server did not start: ${reason}`));
    };
    const timer = setTimeout(() => fail(`it took more than ${timeout} ms`), timeout);
    child.once("error", (error) => fail(error.message));
    child.once("exit", (code, signal) => fail(`it ended with ${signal ?? `code ${code}`}`));
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", function read(piece) {
      // One JSON object, on one line or several.
      text += piece;
      let url;
      try {
        ({ url } = JSON.parse(text));
      } catch {
        return; // the rest is on its way
      }
      child.stdout.off("data", read);
      child.stdout.resume();
      clearTimeout(timer);
      child.removeAllListeners("exit");
      const close = async (patience = 30_000) => {
        if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
        const late = setTimeout(() => child.kill("SIGKILL"), patience);
        await ended;
        clearTimeout(late);
      };
      resolve({ url, process: child, close, [Symbol.asyncDispose ?? "asyncDispose"]: close });
    });
  });
}

module.exports = { binaryPath, startServer };
