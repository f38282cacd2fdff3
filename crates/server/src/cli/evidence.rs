//! `ibid export` and `ibid verify`

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use ibid_domain::Sha256;
use ibid_evidence::{VerificationReport, verify_bundle};

use super::{
    CommandError, CommandResult, Output,
    api::{Api, escape},
    artifact::{print_bytes, save_bytes},
    output::{DIM, format_count, format_size},
};

/// Take something out of the library.
#[derive(Subcommand)]
pub(super) enum ExportCommand {
    /// Export a message or a document with everything that it cites, as a zip for `ibid verify`
    Evidence(EvidenceArgs),
}

#[derive(Args)]
pub(super) struct EvidenceArgs {
    /// The message, or the document
    message: String,
    /// The id is that of a document, not of a message
    #[arg(long)]
    document: bool,
    /// File to write; default: evidence-MESSAGE.zip; - writes to standard output
    #[arg(long, short)]
    output: Option<PathBuf>,
}

/// Check an evidence bundle, byte for byte and quote for quote.
#[derive(Args)]
pub(super) struct VerifyArgs {
    /// Path of the evidence bundle to verify
    bundle: PathBuf,
    /// The digest that it must have
    #[arg(long, value_name = "SHA256")]
    digest: Option<Sha256>,
}

pub(super) async fn run_export(export: ExportCommand, api: &Api, output: &Output) -> CommandResult {
    let ExportCommand::Evidence(evidence) = export;
    let kind = if evidence.document { "document" } else { "message" };
    let bundle = api.get(format!("/api/v1/evidence/{kind}/{}", escape(&evidence.message))).send().await?;
    if evidence.output.as_deref() == Some(Path::new("-")) {
        print_bytes(bundle).await?;
        return Ok(true);
    }
    let path =
        evidence.output.unwrap_or_else(|| PathBuf::from(format!("evidence-{}.zip", safe_filename(&evidence.message))));
    let (file, _) = save_bytes(bundle, &path, true).await?;
    print_report(&verify_bundle(&file, None)?, &path, output)
}

/// Checks a bundle; needs no library.
pub(super) fn run_verify(check: &VerifyArgs, output: &Output) -> CommandResult {
    let file = File::open(&check.bundle)
        .map_err(|error| CommandError::failed(format!("cannot read {}: {error}", check.bundle.display())))?;
    print_report(&verify_bundle(file, check.digest)?, &check.bundle, output)
}

fn print_report(report: &VerificationReport, path: &Path, output: &Output) -> CommandResult {
    output.print_value(report, || {
        let told = |number: u64, what: &str| format_count(number, what);
        if report.is_sound() {
            anstream::println!(
                "{}: sound. {}, {}, {} word for word in place.",
                path.display(),
                told(report.files, "file"),
                format_size(report.bytes),
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
fn safe_filename(name: &str) -> String {
    let kept = |char: char| if char.is_ascii_alphanumeric() || "-_.".contains(char) { char } else { '_' };
    name.trim_start_matches('.').chars().map(kept).take(100).collect()
}
