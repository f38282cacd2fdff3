//! `ibid config`, and the references that are made from the code.

use std::fmt::Write;

use ibid_domain::Code;
use serde_json::{Map, json};

use super::{CommandResult, Output, output};
use crate::{config::Config, http};

/// Prints the settings in force.
pub(super) fn print_config(config: &Config, output: &Output) -> CommandResult {
    let lines = config.lines();
    let json: Map<_, _> =
        lines.iter().map(|(name, value, from)| ((*name).to_owned(), json!({ "value": value, "from": from }))).collect();
    output.print_value(&json, || {
        let rows: Vec<_> = lines
            .iter()
            .map(|(name, value, from)| vec![(*name).to_owned(), value.clone(), (*from).to_owned()])
            .collect();
        output::print_table(&rows);
    })?;
    Ok(true)
}

/// Prints the description of the API.
pub(super) fn print_openapi() -> CommandResult {
    anstream::println!("{}", http::openapi_document().to_pretty_json()?);
    Ok(true)
}

/// Prints the table of error codes as Markdown.
pub(super) fn print_error_codes() -> CommandResult {
    let mut text = "# Errors\n\nEvery error is an `application/problem+json` (RFC 9457) with a `code` of this table, a `detail` that says \
                    what was wrong and what would be right, the `field` it concerns, and the `request_id` that stands in the log.\n\
                    This page is made by `make openapi` from `crates/domain/src/code.rs`.\n\n\
                    | code | status | meaning | what to do |\n|---|---|---|---|\n"
        .to_owned();
    for code in Code::ALL {
        writeln!(text, "| `{}` | {} | {} | {} |", code.as_str(), code.status(), code.title(), code.help())?;
    }
    anstream::print!("{text}");
    Ok(true)
}
