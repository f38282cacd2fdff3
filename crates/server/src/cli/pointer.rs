//! `ibid pointer`

use std::str::FromStr;

use clap::Subcommand;
use ibid_domain::{Limit, PointerType, Problem, Sha256, pointer::PointerName};
use serde_json::{Value as Json, json};

use super::{
    CommandResult, Output,
    api::{Api, escape},
    output::{print_fields, print_table, text},
};

/// A pointer as it is typed: `namespace/name`.
#[derive(Clone)]
pub(super) struct PointerArg(PointerName);

impl FromStr for PointerArg {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let (namespace, name) = text.split_once('/').unwrap_or(("default", text));
        PointerName::new(namespace, name).map(Self)
    }
}

impl PointerArg {
    /// Address of the pointer in the API. The slashes of its name stay slashes.
    fn api_path(&self) -> String {
        let segments: Vec<_> = self.0.to_string().split('/').map(escape).collect();
        format!("/api/v1/pointers/{}", segments.join("/"))
    }
}

#[derive(Subcommand)]
pub(super) enum PointerCommand {
    /// Create a pointer, or change its details
    Set {
        /// Name of the pointer, as namespace/name
        name: PointerArg,
        /// SHA-256 of the manifest it points to at first
        #[arg(long)]
        manifest: Option<Sha256>,
        /// Type of the pointer: bundle, corpus or snapshot
        #[arg(long = "type")]
        pointer_type: Option<PointerType>,
        /// Description in one sentence
        #[arg(long)]
        description: Option<String>,
    },
    /// Show a pointer and its manifest
    Show {
        /// Name of the pointer, as namespace/name
        name: PointerArg,
    },
    /// List pointers, all or of one namespace
    List {
        /// Only those of this namespace
        #[arg(long)]
        namespace: Option<String>,
        /// Maximum number of pointers to list
        #[arg(long, default_value = "500")]
        limit: i64,
    },
    /// Move a pointer, if it still points where you expect
    Advance {
        /// Name of the pointer, as namespace/name
        name: PointerArg,
        /// Manifest that it will point to
        to: Sha256,
        /// Manifest that it points to now; leave it out if there is none yet
        #[arg(long)]
        expected: Option<Sha256>,
        /// Reason for the move, shown in the history
        #[arg(long)]
        reason: Option<String>,
    },
    /// Show the moves of a pointer, newest first
    History {
        /// Name of the pointer, as namespace/name
        name: PointerArg,
        /// Maximum number of moves to list
        #[arg(long, default_value = "50")]
        limit: i64,
    },
    /// Delete a pointer by its name
    Delete {
        /// Name of the pointer, as namespace/name
        name: PointerArg,
    },
}

pub(super) async fn run(command: PointerCommand, api: &Api, output: &Output) -> CommandResult {
    let pointer = match command {
        PointerCommand::Set { name, manifest, pointer_type, description } => {
            let body = json!({
                "manifest_sha256": manifest,
                "pointer_type": pointer_type.map(PointerType::as_str),
                "description": description,
            });
            api.put(name.api_path()).body(&body).json().await?
        }
        PointerCommand::Show { name } => api.get(name.api_path()).json().await?,
        PointerCommand::Advance { name, to, expected, reason } => {
            let body = json!({ "to": to, "expected": expected, "reason": reason });
            api.post(format!("{}/advance", name.api_path())).body(&body).json().await?
        }
        PointerCommand::List { namespace, limit } => {
            let query: Vec<_> = namespace.map(|namespace| ("namespace", namespace)).into_iter().collect();
            let pointers = api.list("/api/v1/pointers", &query, Limit::new(limit)?.get()).await?;
            output.print_value(&pointers, || {
                let row = |pointer: &Json| {
                    let kind = text(pointer, "pointer_type").to_owned();
                    vec![full_name(pointer), kind, manifest_label(pointer, "manifest_sha256")]
                };
                print_table(&pointers.iter().map(row).collect::<Vec<_>>());
            })?;
            return Ok(true);
        }
        PointerCommand::History { name, limit } => {
            let path = format!("{}/history", name.api_path());
            let moves = api.list(&path, &[], Limit::new(limit)?.get()).await?;
            output.print_value(&moves, || {
                let row = |step: &Json| {
                    let (time, reason) = (text(step, "created_at").to_owned(), text(step, "reason").to_owned());
                    vec![manifest_label(step, "to_manifest_sha256"), time, reason]
                };
                print_table(&moves.iter().map(row).collect::<Vec<_>>());
            })?;
            return Ok(true);
        }
        PointerCommand::Delete { name } => {
            api.delete(name.api_path()).send().await?;
            output
                .print_value(&json!({ "deleted": name.0.to_string() }), || anstream::println!("deleted {}", name.0))?;
            return Ok(true);
        }
    };
    output.print_value(&pointer, || {
        print_fields(&[
            ("pointer", full_name(&pointer)),
            ("manifest", manifest_label(&pointer, "manifest_sha256")),
            ("type", text(&pointer, "pointer_type").to_owned()),
            ("description", text(&pointer, "description").to_owned()),
            ("changed at", text(&pointer, "updated_at").to_owned()),
        ]);
    })?;
    Ok(true)
}

fn full_name(pointer: &Json) -> String {
    format!("{}/{}", text(pointer, "namespace"), text(pointer, "name"))
}

fn manifest_label(json: &Json, field: &str) -> String {
    json[field].as_str().unwrap_or("none").to_owned()
}
