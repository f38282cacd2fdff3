//! `ibid manifest`

use std::path::{Path, PathBuf};

use clap::Subcommand;
use ibid_app::{EntryDraft, ManifestDraft};
use ibid_domain::{Limit, Sha256};
use serde_json::json;
use tokio::io::AsyncWriteExt;

use super::{
    Failed, Library, Outcome, Output, artifact,
    output::{count, fields, size, table},
};
use crate::http::wire;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Keep files and folders and make a manifest of them
    Create {
        /// Files, under their names, and folders, with what is below them
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// The manifest it is made after
        #[arg(long)]
        parent: Option<Sha256>,
        /// Why it is made
        #[arg(long, short)]
        message: Option<String>,
    },
    /// Show a manifest and its files
    Show {
        /// Its hash
        sha256: Sha256,
    },
    /// Show a manifest and those it came after
    Log {
        /// Its hash
        sha256: Sha256,
        /// How many
        #[arg(long, default_value = "50")]
        limit: i64,
    },
    /// Show what differs between two manifests
    Diff {
        /// The first
        from: Sha256,
        /// The second
        to: Sha256,
    },
    /// Write the files of a manifest into a zip
    Export {
        /// Its hash
        sha256: Sha256,
        /// The zip
        file: PathBuf,
    },
}

pub(super) async fn run(command: Command, library: &Library, output: &Output) -> Outcome {
    let (app, scope) = (&library.app, &library.scope);
    match command {
        Command::Create { paths, parent, message } => {
            let mut tree = Vec::new();
            for (name, file) in files_below(&paths)? {
                let (kept, _) = artifact::add(library, &file, None).await?;
                let entry = EntryDraft { sha256: kept.sha256, media_type: None, size_bytes: None, entity_type: None };
                tree.push((name, entry));
            }
            let (manifest, tree, new) = app.create_manifest(scope, ManifestDraft { tree, parent, message }).await?;
            output.show(&wire::Manifest::new(manifest.clone(), &tree), || {
                let note = if new { "made" } else { "known" };
                let files = count(manifest.entry_count, "file");
                table(&[vec![manifest.sha256.to_string(), note.to_owned(), files, size(manifest.total_size_bytes)]]);
            })?;
        }
        Command::Show { sha256 } => {
            let (manifest, tree) = app.manifest(scope, sha256).await?;
            output.show(&wire::Manifest::new(manifest.clone(), &tree), || {
                fields(&[
                    ("sha256", manifest.sha256.to_string()),
                    ("parent", manifest.parent.map_or_else(|| "none".to_owned(), |parent| parent.to_string())),
                    ("message", manifest.message.clone().unwrap_or_default()),
                    ("made at", manifest.created_at.to_string()),
                    ("size", size(manifest.total_size_bytes)),
                ]);
                anstream::println!();
                let row = |(path, entry): (&ibid_domain::ManifestPath, &ibid_domain::Entry)| {
                    vec![path.to_string(), size(entry.size_bytes), entry.sha256.to_string()]
                };
                table(&tree.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        Command::Log { sha256, limit } => {
            let page = app.manifest_log(scope, sha256, Limit::new(limit)?, None).await?;
            let json: Vec<_> = page.items.iter().cloned().map(wire::ManifestSummary::from).collect();
            output.show(&json, || {
                let row = |manifest: &ibid_domain::Manifest| {
                    let (made, files) = (manifest.created_at.to_string(), count(manifest.entry_count, "file"));
                    vec![manifest.sha256.to_string(), made, files, manifest.message.clone().unwrap_or_default()]
                };
                table(&page.items.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        Command::Diff { from, to } => {
            let (before, after) = app.manifest_pair(scope, from, to).await?;
            let diff = before.diff(&after);
            output.show(&wire::Diff::new(from, to, &diff), || {
                let line = |mark: &str, path: &ibid_domain::ManifestPath| vec![mark.to_owned(), path.to_string()];
                let mut rows: Vec<_> = diff.removed.iter().map(|(path, _)| line("-", path)).collect();
                rows.extend(diff.changed.iter().map(|(path, ..)| line("~", path)));
                rows.extend(diff.added.iter().map(|(path, _)| line("+", path)));
                table(&rows);
                anstream::println!("{}", count(diff.unchanged, "file") + " unchanged");
            })?;
        }
        Command::Export { sha256, file } => {
            let cannot = |error: std::io::Error| Failed(format!("cannot write {}: {error}", file.display()));
            let mut archive = app.archive(scope, sha256).await?;
            let mut out = tokio::fs::File::create_new(&file).await.map_err(cannot)?;
            let mut written = 0;
            while let Some(piece) = archive.next().await {
                let piece = piece.map_err(cannot)?;
                written += piece.len() as u64;
                out.write_all(&piece).await.map_err(cannot)?;
            }
            out.sync_all().await.map_err(cannot)?;
            output.show(&json!({ "file": file, "size_bytes": written }), || {
                table(&[vec![file.display().to_string(), size(written)]]);
            })?;
        }
    }
    Ok(true)
}

/// Every file named or below a named folder, with the path it has in the tree. Links are not followed.
fn files_below(paths: &[PathBuf]) -> Result<Vec<(String, PathBuf)>, Failed> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            walk(path, path, &mut files)?;
        } else {
            let name = path.file_name().and_then(|name| name.to_str()).ok_or("a file name is not UTF-8")?;
            files.push((name.to_owned(), path.clone()));
        }
    }
    files.sort();
    Ok(files)
}

fn walk(root: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) -> Result<(), Failed> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            walk(root, &path, files)?;
        } else if kind.is_file() {
            let name = path.strip_prefix(root)?.to_str().ok_or("a file name is not UTF-8")?;
            files.push((name.to_owned(), path.clone()));
        }
    }
    Ok(())
}
