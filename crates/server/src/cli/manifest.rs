//! `ibid manifest`

use std::path::{Path, PathBuf};

use clap::Subcommand;
use ibid_app::{EntryDraft, ManifestDraft};
use ibid_domain::{Limit, Sha256};
use serde_json::json;
use tokio::io::AsyncWriteExt;

use super::{
    CommandError, CommandResult, LocalLibrary, Output, artifact,
    output::{format_count, format_size, print_fields, print_table},
};
use crate::wire;

#[derive(Subcommand)]
pub(super) enum ManifestCommand {
    /// Keep files and folders and make a manifest of them
    Create {
        /// Files, under their names, and folders, with what is below them
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// The manifest it is made after
        #[arg(long)]
        parent: Option<Sha256>,
        /// Reason for the manifest, like a commit message
        #[arg(long, short)]
        message: Option<String>,
    },
    /// Show a manifest and its files
    Show {
        /// SHA-256 of the manifest, in hexadecimal
        sha256: Sha256,
    },
    /// Show a manifest and those it came after
    Log {
        /// SHA-256 of the newest manifest to list
        sha256: Sha256,
        /// Maximum number of manifests to list
        #[arg(long, default_value = "50")]
        limit: i64,
    },
    /// Show what differs between two manifests
    Diff {
        /// SHA-256 of the earlier manifest
        from: Sha256,
        /// SHA-256 of the later manifest
        to: Sha256,
    },
    /// Write the files of a manifest into a zip
    Export {
        /// SHA-256 of the manifest to export
        sha256: Sha256,
        /// Path of the zip file to write
        file: PathBuf,
    },
}

pub(super) async fn run(command: ManifestCommand, library: &LocalLibrary, output: &Output) -> CommandResult {
    let (app, scope) = (&library.app, &library.scope);
    match command {
        ManifestCommand::Create { paths, parent, message } => {
            let mut tree = Vec::new();
            for (name, file) in files_below(&paths)? {
                let (kept, _) = artifact::store_file(library, &file, None).await?;
                let entry = EntryDraft { sha256: kept.sha256, media_type: None, size_bytes: None, entity_type: None };
                tree.push((name, entry));
            }
            let (manifest, tree, new) = app.manifests(scope).create(ManifestDraft { tree, parent, message }).await?;
            output.print_value(&wire::Manifest::new(manifest.clone(), &tree), || {
                let note = if new { "made" } else { "known" };
                let files = format_count(manifest.entry_count, "file");
                print_table(&[vec![
                    manifest.sha256.to_string(),
                    note.to_owned(),
                    files,
                    format_size(manifest.total_size_bytes),
                ]]);
            })?;
        }
        ManifestCommand::Show { sha256 } => {
            let (manifest, tree) = app.manifests(scope).get(sha256).await?;
            output.print_value(&wire::Manifest::new(manifest.clone(), &tree), || {
                print_fields(&[
                    ("sha256", manifest.sha256.to_string()),
                    ("parent", manifest.parent.map_or_else(|| "none".to_owned(), |parent| parent.to_string())),
                    ("message", manifest.message.clone().unwrap_or_default()),
                    ("made at", manifest.created_at.to_string()),
                    ("size", format_size(manifest.total_size_bytes)),
                ]);
                anstream::println!();
                let row = |(path, entry): (&ibid_domain::ManifestPath, &ibid_domain::Entry)| {
                    vec![path.to_string(), format_size(entry.size_bytes), entry.sha256.to_string()]
                };
                print_table(&tree.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        ManifestCommand::Log { sha256, limit } => {
            let page = app.manifests(scope).log(sha256, Limit::new(limit)?, None).await?;
            let json: Vec<_> = page.items.iter().cloned().map(wire::ManifestSummary::from).collect();
            output.print_value(&json, || {
                let row = |manifest: &ibid_domain::Manifest| {
                    let (made, files) = (manifest.created_at.to_string(), format_count(manifest.entry_count, "file"));
                    vec![manifest.sha256.to_string(), made, files, manifest.message.clone().unwrap_or_default()]
                };
                print_table(&page.items.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        ManifestCommand::Diff { from, to } => {
            let (before, after) = app.manifests(scope).pair(from, to).await?;
            let diff = before.diff(&after);
            output.print_value(&wire::ManifestDiff::new(from, to, &diff), || {
                let line = |mark: &str, path: &ibid_domain::ManifestPath| vec![mark.to_owned(), path.to_string()];
                let mut rows: Vec<_> = diff.removed.iter().map(|(path, _)| line("-", path)).collect();
                rows.extend(diff.changed.iter().map(|(path, ..)| line("~", path)));
                rows.extend(diff.added.iter().map(|(path, _)| line("+", path)));
                print_table(&rows);
                anstream::println!("{}", format_count(diff.unchanged, "file") + " unchanged");
            })?;
        }
        ManifestCommand::Export { sha256, file } => {
            let cannot = |error: std::io::Error| CommandError(format!("cannot write {}: {error}", file.display()));
            let mut archive = app.manifests(scope).zip(sha256).await?;
            let mut out = tokio::fs::File::create_new(&file).await.map_err(cannot)?;
            let mut written = 0;
            while let Some(piece) = archive.next().await {
                let piece = piece.map_err(cannot)?;
                written += piece.len() as u64;
                out.write_all(&piece).await.map_err(cannot)?;
            }
            out.sync_all().await.map_err(cannot)?;
            output.print_value(&json!({ "file": file, "size_bytes": written }), || {
                print_table(&[vec![file.display().to_string(), format_size(written)]]);
            })?;
        }
    }
    Ok(true)
}

/// Every file named or below a named folder, with the path it has in the tree. Links are not followed.
fn files_below(paths: &[PathBuf]) -> Result<Vec<(String, PathBuf)>, CommandError> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            collect_files(path, path, &mut files)?;
        } else {
            let name = path.file_name().and_then(|name| name.to_str()).ok_or("a file name is not UTF-8")?;
            files.push((name.to_owned(), path.clone()));
        }
    }
    files.sort();
    Ok(files)
}

fn collect_files(root: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) -> Result<(), CommandError> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            collect_files(root, &path, files)?;
        } else if kind.is_file() {
            let name = path.strip_prefix(root)?.to_str().ok_or("a file name is not UTF-8")?;
            files.push((name.to_owned(), path.clone()));
        }
    }
    Ok(())
}
