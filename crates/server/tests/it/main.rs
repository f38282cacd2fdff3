//! The binary as others meet it: over HTTP, on the command line, and when it is killed.

mod answers;
mod artifacts;
mod bad_input;
mod citations;
mod cli;
mod cli_commands;
mod document_citations;
mod document_pages;
mod documents;
mod frame;
mod house;
mod jobs;
mod killed;
mod knowledge;
mod knowledge_killed;
mod knowledge_model;
mod languages;
mod mcp;
mod mcp_client;
mod names;
#[path = "../../../claims/tests/it/near_misses.rs"]
mod near_miss_cases;
mod near_misses;
mod overview;
mod pointers;
mod running;
mod runs;
mod sample;
mod search;
mod settings;
mod sources;
mod sources_hostile;
mod sources_killed;
mod sources_outside;
mod streamed_checks;

pub(crate) use running::{Running, on_both_servers};
