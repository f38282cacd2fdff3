//! `ibid artifact`, and how commands move bytes between files and the library

use std::{
    fs::{File, Permissions},
    io::Write,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use axum::http::StatusCode;
use clap::Subcommand;
use futures::TryStreamExt;
use ibid_domain::{Limit, Sha256, SourceType};
use serde_json::{Value as Json, json};

use super::{
    CommandError, CommandResult, Output,
    api::{Api, ApiResponse, read_file},
    output::{format_size, number, print_fields, print_table, text},
};

#[derive(Subcommand)]
pub(super) enum ArtifactCommand {
    /// Store files as artifacts in the library
    Add {
        /// Paths of the files to store; `-` reads standard input
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The type of source they are the content of
        #[arg(long)]
        entity_type: Option<SourceType>,
    },
    /// List artifacts, newest first
    List {
        /// Maximum number of artifacts to list
        #[arg(long, default_value = "50")]
        limit: i64,
    },
    /// Show the details of an artifact
    Show {
        /// SHA-256 of the artifact, in hexadecimal
        sha256: Sha256,
    },
    /// Write the bytes of an artifact to standard output
    Cat {
        /// SHA-256 of the artifact, in hexadecimal
        sha256: Sha256,
    },
}

pub(super) async fn run(command: ArtifactCommand, api: &Api, output: &Output) -> CommandResult {
    match command {
        ArtifactCommand::Add { files, entity_type } => {
            let mut stored = Vec::new();
            for file in files {
                let (artifact, is_new) = store_file(api, &file, entity_type).await?;
                stored.push(json!({ "artifact": artifact, "status": if is_new { "kept" } else { "known" } }));
            }
            output.print_value(&stored, || {
                let row = |one: &Json| {
                    let artifact = &one["artifact"];
                    vec![
                        text(artifact, "sha256").to_owned(),
                        text(one, "status").to_owned(),
                        format_size(number(artifact, "size_bytes")),
                        text(artifact, "filename").to_owned(),
                    ]
                };
                print_table(&stored.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        ArtifactCommand::List { limit } => {
            let artifacts = api.list("/api/v1/artifacts", &[], Limit::new(limit)?.get()).await?;
            output.print_value(&artifacts, || {
                let row = |artifact: &Json| {
                    let [sha256, kind, name] = ["sha256", "media_type", "filename"].map(|field| text(artifact, field));
                    let size = format_size(number(artifact, "size_bytes"));
                    vec![sha256.to_owned(), size, kind.to_owned(), name.to_owned()]
                };
                print_table(&artifacts.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        ArtifactCommand::Show { sha256 } => {
            let artifact = api.get(format!("/api/v1/artifacts/{sha256}")).json().await?;
            output.print_value(&artifact, || {
                print_fields(&[
                    ("sha256", text(&artifact, "sha256").to_owned()),
                    ("name", text(&artifact, "filename").to_owned()),
                    ("type", text(&artifact, "media_type").to_owned()),
                    ("size", format_size(number(&artifact, "size_bytes"))),
                    ("references", number(&artifact, "reference_count").to_string()),
                    ("stored at", text(&artifact, "storage_uri").to_owned()),
                    ("kept at", text(&artifact, "created_at").to_owned()),
                ]);
            })?;
        }
        ArtifactCommand::Cat { sha256 } => {
            print_bytes(api.get(format!("/api/v1/artifacts/{sha256}/content")).send().await?).await?;
        }
    }
    Ok(true)
}

/// Stores a file as an artifact while it is read, and returns true if the bytes are new; `-` is standard input.
pub(super) async fn store_file(
    api: &Api,
    path: &Path,
    entity_type: Option<SourceType>,
) -> Result<(Json, bool), CommandError> {
    // A folder can be opened, and fails only when it is read.
    if path.is_dir() {
        return Err(CommandError::failed(format!("cannot read {}: it is a folder", path.display())));
    }
    let name = path.file_name().filter(|_| path.as_os_str() != "-");
    let name = name.map(|name| name.to_str().ok_or("the file name is not UTF-8")).transpose()?;
    let bytes = read_file(path).await?;
    let request = api.post("/api/v1/artifacts").maybe("filename", name).maybe("entity_type", entity_type);
    let response = request.stream(bytes).send().await?;
    let is_new = response.status() == StatusCode::CREATED;
    Ok((response.json().await?, is_new))
}

/// Writes the bytes of an answer to standard output as they come.
pub(super) async fn print_bytes(response: ApiResponse) -> Result<(), CommandError> {
    let mut pieces = response.into_stream();
    let mut out = std::io::stdout();
    while let Some(piece) = pieces.try_next().await.map_err(broke_off)? {
        out.write_all(&piece)?;
    }
    out.flush()?;
    Ok(())
}

/// Writes the bytes of an answer to a file as they come, and returns the file and its size. The bytes go to a
/// temporary file in the same folder, which then gets the name: the file is there whole, or not at all.
pub(super) async fn save_bytes(
    response: ApiResponse,
    path: &Path,
    overwrite: bool,
) -> Result<(File, u64), CommandError> {
    let cannot = |error: std::io::Error| CommandError::failed(format!("cannot write {}: {error}", path.display()));
    if !overwrite && path.exists() {
        return Err(CommandError::failed(format!("cannot write {}: it exists already", path.display())));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".ibid-")
        // As any new file; temporary files are private otherwise.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)
        .map_err(|error| CommandError::failed(format!("cannot write to {}: {error}", folder.display())))?;
    let (mut pieces, mut size) = (response.into_stream(), 0);
    while let Some(piece) = pieces.try_next().await.map_err(broke_off)? {
        file.write_all(&piece).map_err(cannot)?;
        size += piece.len() as u64;
    }
    let saved = if overwrite { file.persist(path) } else { file.persist_noclobber(path) };
    Ok((saved.map_err(|error| cannot(error.error))?, size))
}

fn broke_off(error: std::io::Error) -> CommandError {
    CommandError::failed(format!("the download broke off: {error}"))
}
