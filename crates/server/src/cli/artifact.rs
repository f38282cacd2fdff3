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
    Failed, Library, Outcome, Output,
    output::{fields, size, table},
};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Keep files
    Add {
        /// The files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The type of source they are the content of
        #[arg(long)]
        entity_type: Option<SourceType>,
    },
    /// List artifacts, newest first
    List {
        /// How many
        #[arg(long, default_value = "50")]
        limit: i64,
    },
    /// Show what is known of an artifact
    Show {
        /// Its hash
        sha256: Sha256,
    },
    /// Write the bytes of an artifact to standard output
    Cat {
        /// Its hash
        sha256: Sha256,
    },
}

pub(super) async fn run(command: Command, library: &Library, output: &Output) -> Outcome {
    match command {
        Command::Add { files, entity_type } => {
            let mut kept = Vec::new();
            for file in files {
                let (artifact, new) = add(library, &file, entity_type).await?;
                let note = if new { "kept" } else { "known" };
                kept.push((artifact, note));
            }
            let json: Vec<_> =
                kept.iter().map(|(artifact, note)| json!({ "artifact": wire(artifact), "status": note })).collect();
            output.show(&json, || {
                let row = |(artifact, note): &(Artifact, &str)| {
                    vec![artifact.sha256.to_string(), (*note).to_owned(), size(artifact.size_bytes), name(artifact)]
                };
                table(&kept.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        Command::List { limit } => {
            let page =
                library.app.artifacts(&library.scope, &ArtifactFilter::default(), Limit::new(limit)?, None).await?;
            output.show(&page.items.iter().map(wire).collect::<Vec<_>>(), || {
                let row = |artifact: &Artifact| {
                    let kind = artifact.media_type.as_str().to_owned();
                    vec![artifact.sha256.to_string(), size(artifact.size_bytes), kind, name(artifact)]
                };
                table(&page.items.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        Command::Show { sha256 } => {
            let artifact = library.app.artifact(&library.scope, sha256).await?;
            output.show(&wire(&artifact), || {
                fields(&[
                    ("sha256", artifact.sha256.to_string()),
                    ("name", name(&artifact)),
                    ("type", artifact.media_type.as_str().to_owned()),
                    ("size", size(artifact.size_bytes)),
                    ("references", artifact.reference_count.to_string()),
                    ("stored at", artifact.storage_uri.clone()),
                    ("kept at", artifact.created_at.to_string()),
                ]);
            })?;
        }
        Command::Cat { sha256 } => {
            let artifact = library.app.artifact(&library.scope, sha256).await?;
            let mut content = library.app.content(&library.scope, artifact, None).await?;
            let mut out = std::io::stdout();
            while let Some(piece) = content.bytes.try_next().await? {
                out.write_all(&piece)?;
            }
            out.flush()?;
        }
    }
    Ok(true)
}

/// Keeps one file.
pub(super) async fn add(
    library: &Library,
    path: &Path,
    entity_type: Option<SourceType>,
) -> Result<(Artifact, bool), Failed> {
    let cannot = |error: std::io::Error| Failed(format!("cannot read {}: {error}", path.display()));
    let mut file = tokio::fs::File::open(path).await.map_err(cannot)?;
    let name = path.file_name().map(|name| name.to_str().ok_or("the file name is not UTF-8")).transpose()?;
    let mut receiving = library.app.receive(u64::MAX).await?;
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
    Ok(library.app.keep_artifact(&library.scope, receiving, details).await?)
}

fn name(artifact: &Artifact) -> String {
    artifact.filename.as_ref().map(|name| name.as_str().to_owned()).unwrap_or_default()
}

fn wire(artifact: &Artifact) -> Json {
    json!(crate::http::wire::Artifact::from(artifact.clone()))
}
