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
    Library, Outcome, Output,
    output::{fields, table},
};
use crate::http::wire;

/// A pointer as it is typed: `namespace/name`.
#[derive(Clone)]
pub(super) struct Name(PointerName);

impl FromStr for Name {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let (namespace, name) = text.split_once('/').unwrap_or(("default", text));
        PointerName::new(namespace, name).map(Self)
    }
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// Make a pointer, or change what is said of one
    Set {
        /// As namespace/name
        name: Name,
        /// Its first manifest
        #[arg(long)]
        manifest: Option<Sha256>,
        /// bundle, corpus or snapshot
        #[arg(long = "type")]
        pointer_type: Option<PointerType>,
        /// A sentence about it
        #[arg(long)]
        description: Option<String>,
    },
    /// Show a pointer
    Show {
        /// As namespace/name
        name: Name,
    },
    /// List pointers
    List {
        /// Only those of this namespace
        #[arg(long)]
        namespace: Option<String>,
        /// How many
        #[arg(long, default_value = "500")]
        limit: i64,
    },
    /// Move a pointer, if it stands where you believe
    Advance {
        /// As namespace/name
        name: Name,
        /// The manifest it is to stand at
        to: Sha256,
        /// The manifest it stands at now; not given, it has none yet
        #[arg(long)]
        expected: Option<Sha256>,
        /// Why
        #[arg(long)]
        reason: Option<String>,
    },
    /// Show the moves of a pointer, newest first
    History {
        /// As namespace/name
        name: Name,
        /// How many
        #[arg(long, default_value = "50")]
        limit: i64,
    },
    /// Delete a pointer
    Delete {
        /// As namespace/name
        name: Name,
    },
}

pub(super) async fn run(command: Command, library: &Library, output: &Output) -> Outcome {
    let (app, scope) = (&library.app, &library.scope);
    match command {
        Command::Set { name, manifest, pointer_type, description } => {
            let draft = PointerDraft { manifest, pointer_type, description, meta: None };
            show(&app.put_pointer(scope, &name.0, draft).await?.0, output)?;
        }
        Command::Show { name } => show(&app.pointer(scope, &name.0).await?, output)?,
        Command::List { namespace, limit } => {
            let page = app.pointers(scope, &PointerFilter { namespace }, Limit::new(limit)?, None).await?;
            let json: Vec<_> = page.items.iter().cloned().map(wire::Pointer::from).collect();
            output.show(&json, || {
                let row = |pointer: &Pointer| {
                    vec![pointer.name.to_string(), pointer.pointer_type.as_str().to_owned(), at(pointer.manifest)]
                };
                table(&page.items.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        Command::Advance { name, to, expected, reason } => {
            show(&app.advance_pointer(scope, &name.0, expected, to, reason.as_deref()).await?, output)?;
        }
        Command::History { name, limit } => {
            let page = app.pointer_history(scope, &name.0, Limit::new(limit)?, None).await?;
            let json: Vec<_> = page.items.iter().cloned().map(wire::PointerMove::from).collect();
            output.show(&json, || {
                let row = |step: &PointerMove| {
                    vec![at(step.to), step.created_at.to_string(), step.reason.clone().unwrap_or_default()]
                };
                table(&page.items.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        Command::Delete { name } => {
            app.delete_pointer(scope, &name.0).await?;
            output.show(&serde_json::json!({ "deleted": name.0.to_string() }), || {
                anstream::println!("deleted {}", name.0)
            })?;
        }
    }
    Ok(true)
}

fn show(pointer: &Pointer, output: &Output) -> Result<(), serde_json::Error> {
    output.show(&wire::Pointer::from(pointer.clone()), || {
        fields(&[
            ("pointer", pointer.name.to_string()),
            ("manifest", at(pointer.manifest)),
            ("type", pointer.pointer_type.as_str().to_owned()),
            ("description", pointer.description.clone().unwrap_or_default()),
            ("changed at", pointer.updated_at.to_string()),
        ]);
    })
}

fn at(manifest: Option<Sha256>) -> String {
    manifest.map_or_else(|| "none".to_owned(), |manifest| manifest.to_string())
}
