//! `ibid artifact`

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use clap::Subcommand;
use futures::TryStreamExt;
use ibid_app::UploadDetails;
use ibid_domain::{Artifact, Limit, Sha256, SourceType, artifact::Filename};
use ibid_store::ArtifactFilter;
use serde_json::{Value as Json, json};
use tokio::io::AsyncReadExt;

use super::{
    CommandError, CommandResult, LocalLibrary, Output,
    output::{format_size, print_fields, print_table},
};

#[derive(Subcommand)]
pub(super) enum ArtifactCommand {
    /// Store files as artifacts in the library
    Add {
        /// Paths of the files to store
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
    /// Show what is known of an artifact
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

pub(super) async fn run(command: ArtifactCommand, library: &LocalLibrary, output: &Output) -> CommandResult {
    match command {
        ArtifactCommand::Add { files, entity_type } => {
            let mut kept = Vec::new();
            for file in files {
                let (artifact, new) = store_file(library, &file, entity_type).await?;
                let note = if new { "kept" } else { "known" };
                kept.push((artifact, note));
            }
            let json: Vec<_> = kept
                .iter()
                .map(|(artifact, note)| json!({ "artifact": artifact_json(artifact), "status": note }))
                .collect();
            output.print_value(&json, || {
                let row = |(artifact, note): &(Artifact, &str)| {
                    vec![
                        artifact.sha256.to_string(),
                        (*note).to_owned(),
                        format_size(artifact.size_bytes),
                        display_name(artifact),
                    ]
                };
                print_table(&kept.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        ArtifactCommand::List { limit } => {
            let page = library
                .app
                .artifacts(&library.scope)
                .list(&ArtifactFilter::default(), Limit::new(limit)?, None)
                .await?;
            output.print_value(&page.items.iter().map(artifact_json).collect::<Vec<_>>(), || {
                let row = |artifact: &Artifact| {
                    let kind = artifact.media_type.as_str().to_owned();
                    vec![artifact.sha256.to_string(), format_size(artifact.size_bytes), kind, display_name(artifact)]
                };
                print_table(&page.items.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        ArtifactCommand::Show { sha256 } => {
            let artifact = library.app.artifacts(&library.scope).get(sha256).await?;
            output.print_value(&artifact_json(&artifact), || {
                print_fields(&[
                    ("sha256", artifact.sha256.to_string()),
                    ("name", display_name(&artifact)),
                    ("type", artifact.media_type.as_str().to_owned()),
                    ("size", format_size(artifact.size_bytes)),
                    ("references", artifact.reference_count.to_string()),
                    ("stored at", artifact.storage_uri.clone()),
                    ("kept at", artifact.created_at.to_string()),
                ]);
            })?;
        }
        ArtifactCommand::Cat { sha256 } => {
            let artifact = library.app.artifacts(&library.scope).get(sha256).await?;
            let mut content = library.app.artifacts(&library.scope).content(artifact, None).await?;
            let mut out = std::io::stdout();
            while let Some(piece) = content.bytes.try_next().await? {
                out.write_all(&piece)?;
            }
            out.flush()?;
        }
    }
    Ok(true)
}

/// Stores one file as an artifact.
pub(super) async fn store_file(
    library: &LocalLibrary,
    path: &Path,
    entity_type: Option<SourceType>,
) -> Result<(Artifact, bool), CommandError> {
    let cannot = |error: std::io::Error| CommandError(format!("cannot read {}: {error}", path.display()));
    let mut file = tokio::fs::File::open(path).await.map_err(cannot)?;
    let name = path.file_name().map(|name| name.to_str().ok_or("the file name is not UTF-8")).transpose()?;
    let mut receiving = library.app.start_upload(u64::MAX).await?;
    loop {
        let mut piece = vec![0; 256 * 1024];
        let read = file.read(&mut piece).await.map_err(cannot)?;
        if read == 0 {
            break;
        }
        piece.truncate(read);
        receiving.write(Bytes::from(piece)).await?;
    }
    let filename = name.map(Filename::new).transpose()?;
    let details = UploadDetails { filename, entity_type, ..UploadDetails::default() };
    Ok(library.app.artifacts(&library.scope).store(receiving, details).await?)
}

fn display_name(artifact: &Artifact) -> String {
    artifact.filename.as_ref().map(|name| name.as_str().to_owned()).unwrap_or_default()
}

fn artifact_json(artifact: &Artifact) -> Json {
    json!(crate::wire::Artifact::from(artifact.clone()))
}
