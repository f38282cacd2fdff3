#!/usr/bin/env node
"use strict";

// Runs the program in the place of this script: its input and output, its signals, its exit code.

const { spawn } = require("node:child_process");
const { closeSync, openSync } = require("node:fs");
const { binaryPath } = require("../index.js");

/** Whether a terminal sends Ctrl-C to this script and to the program alike. */
function hasTerminal() {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}

let binary;
try {
  binary = binaryPath();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
// A second signal would end a server at once, which the first asked to finish its work: pass on only what it did not get.
const terminal = hasTerminal();
process.on("SIGINT", () => terminal || child.kill("SIGINT"));
process.on("SIGQUIT", () => terminal || child.kill("SIGQUIT"));
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`ibid: ${binary} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
