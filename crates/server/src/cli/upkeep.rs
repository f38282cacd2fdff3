//! `ibid gc` and `ibid fsck`

use std::time::Duration;

use clap::Args;
use ibid_app::{FsckReport, GcOptions, GcReport};

use super::{
    Library, Outcome, Output,
    output::{count, size, table},
};

/// Remove what nothing reaches.
#[derive(Args)]
pub(super) struct Gc {
    /// Really remove
    #[arg(long, visible_alias = "delete", aliases = ["force", "yes", "no-dry-run", "run"])]
    apply: bool,
    /// What came or was named within this time stays, as 30s, 10m, 24h or 7d
    #[arg(long, default_value = "24h", value_parser = parse_span)]
    grace: Duration,
}

/// Collects the garbage of every tenant.
pub(super) async fn gc(gc: Gc, library: &Library, output: &Output) -> Outcome {
    let mut total = GcReport { applied: gc.apply, ..GcReport::default() };
    let (progress, spinner) = output.progress();
    for scope in library.app.every_tenant().await? {
        let options = GcOptions { apply: gc.apply, grace: gc.grace };
        total.add(&library.app.collect_garbage(&scope, options, &progress).await?);
    }
    drop(spinner);
    output.show(&total, || {
        let what = [
            count(total.pointers, "deleted pointer"),
            count(total.manifests, "manifest"),
            count(total.artifacts, "artifact"),
            count(total.blobs, "blob"),
            count(total.spool_files, "cut-off upload"),
        ];
        if gc.apply {
            anstream::println!("Removed {}: {}.", size(total.bytes), what.join(", "));
        } else {
            anstream::println!("Would remove {}: {}.", size(total.bytes), what.join(", "));
            anstream::println!("Nothing was changed; ibid gc --apply removes it.");
        }
    })?;
    Ok(true)
}

/// Checks everything of every tenant.
pub(super) async fn fsck(library: &Library, output: &Output) -> Outcome {
    let mut total = FsckReport { findings: library.app.check_database().await?, ..FsckReport::default() };
    let (progress, spinner) = output.progress();
    for scope in library.app.every_tenant().await? {
        total.add(library.app.check(&scope, &progress).await?);
    }
    drop(spinner);
    output.show(&total, || {
        let rows: Vec<_> = total
            .findings
            .iter()
            .map(|finding| vec![finding.what.clone(), finding.subject.clone(), finding.detail.clone()])
            .collect();
        table(&rows);
        anstream::println!(
            "{}: {} with {}, {}, {}, {} of sources.",
            if total.is_clean() { "Clean".to_owned() } else { count(total.findings.len() as u64, "fault") },
            count(total.artifacts, "artifact"),
            size(total.bytes),
            count(total.manifests, "manifest"),
            count(total.pointers, "pointer"),
            count(total.revisions, "revision"),
        );
        if total.unclaimed_blobs > 0 {
            anstream::println!("{} of uploads that were cut off; gc takes them.", count(total.unclaimed_blobs, "blob"));
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
