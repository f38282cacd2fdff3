//! `ibid export` and `ibid verify`

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use ibid_domain::Sha256;
use ibid_evidence::{Report, verify};

use super::{
    Failed, Library, Outcome, Output,
    output::{DIM, count, size},
};
use crate::http::{documents::document_id, runs::conversations::message_id};

/// Take something out of the library.
#[derive(Subcommand)]
pub(super) enum Export {
    /// A message or a document with its citations and everything that it cites, as a zip that `ibid verify` checks
    /// anywhere
    Evidence(Evidence),
}

#[derive(Args)]
pub(super) struct Evidence {
    /// The message, or the document
    message: String,
    /// It is a document
    #[arg(long)]
    document: bool,
    /// Where to write it; evidence-MESSAGE.zip if not said, - is standard output
    #[arg(long, short)]
    output: Option<PathBuf>,
}

/// Check an evidence bundle, byte for byte and quote for quote.
#[derive(Args)]
pub(super) struct Verify {
    /// The bundle
    bundle: PathBuf,
    /// The digest that it must have
    #[arg(long, value_name = "SHA256")]
    digest: Option<Sha256>,
}

pub(super) async fn export(export: Export, library: &Library, output: &Output) -> Outcome {
    let Export::Evidence(evidence) = export;
    let mut archive = if evidence.document {
        library.app.document_evidence(&library.scope, document_id(&evidence.message)?).await?
    } else {
        library.app.evidence(&library.scope, &message_id(&evidence.message)?).await?
    };
    if evidence.output.as_deref() == Some(Path::new("-")) {
        let mut out = io::stdout().lock();
        while let Some(piece) = archive.next().await {
            out.write_all(&piece?)?;
        }
        out.flush()?;
        return Ok(true);
    }
    let path = evidence.output.unwrap_or_else(|| PathBuf::from(format!("evidence-{}.zip", safe(&evidence.message))));
    // It is there whole, or not at all.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".ibid-evidence")
        .tempfile_in(folder)
        .map_err(|error| Failed(format!("cannot write to {}: {error}", folder.display())))?;
    while let Some(piece) = archive.next().await {
        file.write_all(&piece?)?;
    }
    let file = file.persist(&path).map_err(|error| Failed(format!("cannot write {}: {error}", path.display())))?;
    let report = verify(&file, None)?;
    show(&report, &path, output)
}

/// Checks a bundle; needs no library.
pub(super) fn check(check: &Verify, output: &Output) -> Outcome {
    let file = File::open(&check.bundle)
        .map_err(|error| Failed(format!("cannot read {}: {error}", check.bundle.display())))?;
    show(&verify(file, check.digest)?, &check.bundle, output)
}

fn show(report: &Report, path: &Path, output: &Output) -> Outcome {
    output.show(report, || {
        let told = |number: u64, what: &str| count(number, what);
        if report.is_sound() {
            anstream::println!(
                "{}: sound. {}, {}, {} word for word in place.",
                path.display(),
                told(report.files, "file"),
                size(report.bytes),
                told(report.quotes_checked, "quote")
            );
        } else {
            anstream::println!("{}: NOT sound.", path.display());
            for fault in &report.faults {
                anstream::println!("  {fault}");
            }
        }
        if !report.absent.is_empty() {
            let numbers: Vec<_> = report.absent.iter().map(|number| format!("[{number}]")).collect();
            anstream::println!("{DIM}not in the bundle: what {} cite{DIM:#}", numbers.join(" "));
        }
        if let Some(digest) = report.digest {
            anstream::println!("{DIM}digest {digest}{DIM:#}");
        }
    })?;
    Ok(report.is_sound())
}

/// A name for a file, whatever the message is called.
fn safe(name: &str) -> String {
    let kept = |char: char| if char.is_ascii_alphanumeric() || "-_.".contains(char) { char } else { '_' };
    name.trim_start_matches('.').chars().map(kept).take(100).collect()
}
