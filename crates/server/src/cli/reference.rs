//! `ibid config`, and the references that are made from the code.

use std::fmt::Write;

use ibid_domain::Code;
use serde_json::{Map, json};

use super::{Outcome, Output, output};
use crate::{config::Config, http};

/// Prints the settings in force.
pub(super) fn config(config: &Config, output: &Output) -> Outcome {
    let lines = config.lines();
    let json: Map<_, _> =
        lines.iter().map(|(name, value, from)| ((*name).to_owned(), json!({ "value": value, "from": from }))).collect();
    output.show(&json, || {
        let rows: Vec<_> = lines
            .iter()
            .map(|(name, value, from)| vec![(*name).to_owned(), value.clone(), (*from).to_owned()])
            .collect();
        output::table(&rows);
    })?;
    Ok(true)
}

/// Prints the description of the API.
pub(super) fn openapi() -> Outcome {
    anstream::println!("{}", http::openapi().to_pretty_json()?);
    Ok(true)
}

/// Prints the table of error codes as Markdown.
pub(super) fn errors() -> Outcome {
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
