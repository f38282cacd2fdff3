//! `ibid pointer`

use std::str::FromStr;

use clap::Subcommand;
use ibid_app::PointerDraft;
use ibid_domain::{
    Limit, Pointer, PointerType, Problem, Sha256,
    pointer::{PointerMove, PointerName},
};
use ibid_store::PointerFilter;

use super::{
    CommandResult, LocalLibrary, Output,
    output::{print_fields, print_table},
};
use crate::wire;

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

#[derive(Subcommand)]
pub(super) enum PointerCommand {
    /// Make a pointer, or change what is said of one
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
    /// Move a pointer, if it stands where you believe
    Advance {
        /// Name of the pointer, as namespace/name
        name: PointerArg,
        /// The manifest it is to stand at
        to: Sha256,
        /// The manifest it stands at now; not given, it has none yet
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

pub(super) async fn run(command: PointerCommand, library: &LocalLibrary, output: &Output) -> CommandResult {
    let (app, scope) = (&library.app, &library.scope);
    match command {
        PointerCommand::Set { name, manifest, pointer_type, description } => {
            let draft = PointerDraft { manifest, pointer_type, description, meta: None };
            print_pointer(&app.pointers(scope).put(&name.0, draft).await?.0, output)?;
        }
        PointerCommand::Show { name } => print_pointer(&app.pointers(scope).get(&name.0).await?, output)?,
        PointerCommand::List { namespace, limit } => {
            let page = app.pointers(scope).list(&PointerFilter { namespace }, Limit::new(limit)?, None).await?;
            let json: Vec<_> = page.items.iter().cloned().map(wire::Pointer::from).collect();
            output.print_value(&json, || {
                let row = |pointer: &Pointer| {
                    vec![
                        pointer.name.to_string(),
                        pointer.pointer_type.as_str().to_owned(),
                        manifest_label(pointer.manifest),
                    ]
                };
                print_table(&page.items.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        PointerCommand::Advance { name, to, expected, reason } => {
            print_pointer(&app.pointers(scope).advance(&name.0, expected, to, reason.as_deref()).await?, output)?;
        }
        PointerCommand::History { name, limit } => {
            let page = app.pointers(scope).history(&name.0, Limit::new(limit)?, None).await?;
            let json: Vec<_> = page.items.iter().cloned().map(wire::PointerMove::from).collect();
            output.print_value(&json, || {
                let row = |step: &PointerMove| {
                    vec![manifest_label(step.to), step.created_at.to_string(), step.reason.clone().unwrap_or_default()]
                };
                print_table(&page.items.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        PointerCommand::Delete { name } => {
            app.pointers(scope).delete(&name.0).await?;
            output.print_value(&serde_json::json!({ "deleted": name.0.to_string() }), || {
                anstream::println!("deleted {}", name.0)
            })?;
        }
    }
    Ok(true)
}

fn print_pointer(pointer: &Pointer, output: &Output) -> Result<(), serde_json::Error> {
    output.print_value(&wire::Pointer::from(pointer.clone()), || {
        print_fields(&[
            ("pointer", pointer.name.to_string()),
            ("manifest", manifest_label(pointer.manifest)),
            ("type", pointer.pointer_type.as_str().to_owned()),
            ("description", pointer.description.clone().unwrap_or_default()),
            ("changed at", pointer.updated_at.to_string()),
        ]);
    })
}

fn manifest_label(manifest: Option<Sha256>) -> String {
    manifest.map_or_else(|| "none".to_owned(), |manifest| manifest.to_string())
}
