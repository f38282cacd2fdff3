//! The binary `ibid`: HTTP server with the web app, MCP server, and the command line.
//!
//! This crate turns requests and arguments into calls of `ibid-app`, and what comes back into JSON, pages and lines of
//! text. It decides nothing about the library itself.
//!
//! Start reading at [`cli`] for what can be typed, at [`http`] for what can be requested, and at [`run_mcp`] for what
//! programs of others can call.

mod cli;
mod config;
mod http;
mod mcp;
mod settings;
mod tools;
mod wire;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
