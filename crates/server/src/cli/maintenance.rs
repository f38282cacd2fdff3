//! `ibid gc` and `ibid fsck`

use std::time::Duration;

use clap::Args;
use ibid_app::{FsckReport, GcOptions, GcReport};

use super::{
    CommandResult, LocalLibrary, Output,
    output::{format_count, format_size, print_table},
};

/// Remove what nothing reaches.
#[derive(Args)]
pub(super) struct GcArgs {
    /// Delete the files; without it they are only listed
    #[arg(long, visible_alias = "delete", aliases = ["force", "yes", "no-dry-run", "run"])]
    apply: bool,
    /// Keep whatever was stored or referenced within this time, such as 30s, 10m, 24h or 7d
    #[arg(long, default_value = "24h", value_parser = parse_span)]
    grace: Duration,
}

/// Collects the garbage of every tenant.
pub(super) async fn run_gc(gc: GcArgs, library: &LocalLibrary, output: &Output) -> CommandResult {
    let mut total = GcReport { applied: gc.apply, ..GcReport::default() };
    let (progress, spinner) = output.start_progress();
    for scope in library.app.every_tenant().await? {
        let options = GcOptions { apply: gc.apply, grace: gc.grace };
        total.add(&library.app.maintenance(&scope).collect_garbage(options, &progress).await?);
    }
    drop(spinner);
    output.print_value(&total, || {
        let what = [
            format_count(total.pointers, "deleted pointer"),
            format_count(total.manifests, "manifest"),
            format_count(total.artifacts, "artifact"),
            format_count(total.blobs, "blob"),
            format_count(total.spool_files, "cut-off upload"),
        ];
        if gc.apply {
            anstream::println!("Removed {}: {}.", format_size(total.bytes), what.join(", "));
        } else {
            anstream::println!("Would remove {}: {}.", format_size(total.bytes), what.join(", "));
            anstream::println!("Nothing was changed; ibid gc --apply removes it.");
        }
    })?;
    Ok(true)
}

/// Checks everything of every tenant.
pub(super) async fn run_fsck(library: &LocalLibrary, output: &Output) -> CommandResult {
    let mut total = FsckReport { findings: library.app.check_database().await?, ..FsckReport::default() };
    let (progress, spinner) = output.start_progress();
    for scope in library.app.every_tenant().await? {
        total.add(library.app.maintenance(&scope).check_integrity(&progress).await?);
    }
    drop(spinner);
    output.print_value(&total, || {
        let rows: Vec<_> = total
            .findings
            .iter()
            .map(|finding| vec![finding.what.clone(), finding.subject.clone(), finding.detail.clone()])
            .collect();
        print_table(&rows);
        anstream::println!(
            "{}: {} with {}, {}, {}, {} of sources.",
            if total.is_clean() { "Clean".to_owned() } else { format_count(total.findings.len() as u64, "fault") },
            format_count(total.artifacts, "artifact"),
            format_size(total.bytes),
            format_count(total.manifests, "manifest"),
            format_count(total.pointers, "pointer"),
            format_count(total.revisions, "revision"),
        );
        if total.unclaimed_blobs > 0 {
            anstream::println!(
                "{} of uploads that were cut off; gc takes them.",
                format_count(total.unclaimed_blobs, "blob")
            );
        }
    })?;
    Ok(total.is_clean())
}

fn parse_span(text: &str) -> Result<Duration, String> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let seconds = match unit {
        "s" | "" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86400,
        _ => return Err(format!("'{text}' is not a span of time; write it as 30s, 10m, 24h or 7d")),
    };
    let number: u64 = number.parse().map_err(|_| format!("'{text}' does not begin with a number"))?;
    Ok(Duration::from_secs(number.saturating_mul(seconds)))
}
