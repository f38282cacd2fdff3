//! `ibid manifest`

use std::path::{Path, PathBuf};

use axum::http::StatusCode;
use clap::Subcommand;
use ibid_domain::{Limit, Sha256};
use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};

use super::{
    CommandError, CommandResult, Output,
    api::Api,
    artifact::{save_bytes, store_file},
    output::{format_count, format_size, items, number, print_fields, print_table, text},
};

#[derive(Subcommand)]
pub(super) enum ManifestCommand {
    /// Store files and folders, and create a manifest of them
    Create {
        /// Files, under their names, and folders, with what is below them
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// Manifest that the new one follows
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
    /// Show a manifest and the ones before it
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

/// Body of the request that makes a manifest.
#[derive(Serialize)]
struct ManifestUpload {
    tree: TreeUpload,
    parent_sha256: Option<Sha256>,
    message: Option<String>,
}

/// Paths and the hashes of their artifacts, sent as an object. Not a map: a path that two files have is sent twice, and
/// the API refuses it instead of losing one of the files.
struct TreeUpload(Vec<(String, String)>);

impl Serialize for TreeUpload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(path, sha256)| (path, json!({ "sha256": sha256 }))))
    }
}

pub(super) async fn run(command: ManifestCommand, api: &Api, output: &Output) -> CommandResult {
    match command {
        ManifestCommand::Create { paths, parent, message } => {
            let mut tree = Vec::new();
            for (name, file) in files_below(&paths)? {
                let (artifact, _) = store_file(api, &file, None).await?;
                tree.push((name, text(&artifact, "sha256").to_owned()));
            }
            let new = ManifestUpload { tree: TreeUpload(tree), parent_sha256: parent, message };
            let response = api.post("/api/v1/manifests").body(&new).send().await?;
            let note = if response.status() == StatusCode::CREATED { "made" } else { "known" };
            let manifest = response.json().await?;
            output.print_value(&manifest, || {
                print_table(&[vec![
                    text(&manifest, "sha256").to_owned(),
                    note.to_owned(),
                    format_count(number(&manifest, "entry_count"), "file"),
                    format_size(number(&manifest, "total_size_bytes")),
                ]]);
            })?;
        }
        ManifestCommand::Show { sha256 } => {
            let manifest = api.get(format!("/api/v1/manifests/{sha256}")).json().await?;
            output.print_value(&manifest, || {
                print_fields(&[
                    ("sha256", text(&manifest, "sha256").to_owned()),
                    ("parent", manifest["parent_sha256"].as_str().unwrap_or("none").to_owned()),
                    ("message", text(&manifest, "message").to_owned()),
                    ("made at", text(&manifest, "created_at").to_owned()),
                    ("size", format_size(number(&manifest, "total_size_bytes"))),
                ]);
                anstream::println!();
                let row = |(path, entry): (&String, &Json)| {
                    vec![path.clone(), format_size(number(entry, "size_bytes")), text(entry, "sha256").to_owned()]
                };
                let files = manifest["tree"].as_object().into_iter().flatten();
                print_table(&files.map(row).collect::<Vec<_>>());
            })?;
        }
        ManifestCommand::Log { sha256, limit } => {
            let path = format!("/api/v1/manifests/{sha256}/log");
            let manifests = api.list(&path, &[], Limit::new(limit)?.get()).await?;
            output.print_value(&manifests, || {
                let row = |manifest: &Json| {
                    vec![
                        text(manifest, "sha256").to_owned(),
                        text(manifest, "created_at").to_owned(),
                        format_count(number(manifest, "entry_count"), "file"),
                        text(manifest, "message").to_owned(),
                    ]
                };
                print_table(&manifests.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        ManifestCommand::Diff { from, to } => {
            let diff = api.get(format!("/api/v1/manifests/{from}/diff/{to}")).json().await?;
            output.print_value(&diff, || {
                let mut rows = Vec::new();
                for (mark, list) in [("-", "removed"), ("~", "changed"), ("+", "added")] {
                    let paths = items(&diff, list).iter().map(|one| text(one, "path"));
                    rows.extend(paths.map(|path| vec![mark.to_owned(), path.to_owned()]));
                }
                print_table(&rows);
                anstream::println!("{}", format_count(number(&diff, "unchanged_count"), "file") + " unchanged");
            })?;
        }
        ManifestCommand::Export { sha256, file } => {
            let response = api.get(format!("/api/v1/manifests/{sha256}/archive")).send().await?;
            let (zip, size) = save_bytes(response, &file, false).await?;
            zip.sync_all()?;
            output.print_value(&json!({ "file": file, "size_bytes": size }), || {
                print_table(&[vec![file.display().to_string(), format_size(size)]]);
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
