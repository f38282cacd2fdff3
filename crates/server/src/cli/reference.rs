//! `ibid config`, and the references that are made from the code.

use std::fmt::Write;

use ibid_domain::Code;
use serde_json::{Map, json};

use super::{CommandError, CommandResult, Output, help, output};
use crate::{
    config::{Config, SettingReference},
    http,
};

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

/// A page of the documentation that is made from the code.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(super) enum ReferencePage {
    Errors,
    Settings,
    Commands,
}

/// Prints a page of the documentation.
pub(super) fn print_page(page: ReferencePage) -> CommandResult {
    match page {
        ReferencePage::Errors => print_error_codes()?,
        ReferencePage::Settings => {
            let settings: Vec<_> = Config::reference().iter().map(describe_setting).collect();
            anstream::println!("{}", serde_json::to_string_pretty(&settings)?);
        }
        ReferencePage::Commands => {
            anstream::println!("{}", serde_json::to_string_pretty(&help::commands_json())?);
        }
    }
    Ok(true)
}

fn describe_setting(setting: &SettingReference) -> serde_json::Value {
    let flag = format!("--{}", setting.name.replace('_', "-"));
    // A default below the user's home is the same for all users.
    let home = std::env::var("HOME").unwrap_or_default();
    let default = match setting.default.strip_prefix(&home).filter(|_| !home.is_empty()) {
        Some(rest) => format!("~{rest}"),
        None => setting.default.clone(),
    };
    json!({
        "name": setting.name, "flag": flag, "env": setting.env, "default": default, "help": setting.help,
        "secret": setting.secret,
    })
}

/// Prints the table of error codes as Markdown.
fn print_error_codes() -> Result<(), CommandError> {
    let mut text = "# Errors\n\nEvery error is an `application/problem+json` (RFC 9457) with a `code` of this table, a `detail` that says \
                    what was wrong and what would be right, the `field` it concerns, and the `request_id` that stands in the log.\n\
                    This page is made by `make openapi` from `crates/domain/src/code.rs`.\n\n\
                    | code | status | meaning | what to do |\n|---|---|---|---|\n"
        .to_owned();
    for code in Code::ALL {
        writeln!(text, "| `{}` | {} | {} | {} |", code.as_str(), code.status(), code.title(), code.help())?;
    }
    anstream::print!("{text}");
    Ok(())
}
