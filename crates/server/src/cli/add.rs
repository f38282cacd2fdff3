//! `ibid add`: files, folders and pages into the library, and read to the end.

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
    time::Duration,
};

use bytes::Bytes;
use clap::Args;
use futures::{StreamExt, stream};
use ibid_app::{App, Scope, SourceContent, SourceDraft, SourceWithRevision, UploadDetails, Worker};
use ibid_domain::{EmbeddingState, SourceId, SourceStatus, artifact::Filename};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use serde::Serialize;
use tokio::io::AsyncReadExt;
use tokio_util::sync::CancellationToken;

use super::{CommandError, CommandResult, LocalLibrary, Output, output::format_count, serve::worker_options};
use crate::config::Config;

#[derive(Args)]
pub(super) struct AddArgs {
    /// Files, folders and addresses
    #[arg(required = true, value_name = "PATH|URL")]
    what: Vec<String>,
    /// File them under this; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// The document they are collected for
    #[arg(long, value_name = "ID")]
    document: Option<uuid::Uuid>,
    /// Only bring them; a running server or worker does the rest
    #[arg(long)]
    no_wait: bool,
}

/// A file or an address to add to the library.
enum AddItem {
    File(PathBuf),
    Url(String),
}

impl AddItem {
    fn display_name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Url(url) => url.clone(),
        }
    }
}

/// Result of adding one item, as printed with `--json`.
#[derive(Serialize)]
struct AddOutcome {
    item: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<SourceId>,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Maximum number of files that are hashed and stored at the same time.
const AT_ONCE: usize = 4;

/// The most failures that are shown one by one.
const SHOWN: usize = 50;

pub(super) async fn run(add: AddArgs, config: &Config, library: &LocalLibrary, output: &Output) -> CommandResult {
    let mut items = Vec::new();
    let mut done = Vec::new();
    for what in &add.what {
        collect_items(what, &mut items, &mut done);
    }
    let stop = CancellationToken::new();
    let working = (!add.no_wait).then(|| {
        let worker = Worker::new(library.app.clone(), worker_options(config));
        tokio::spawn(worker.run(stop.clone()))
    });
    let bars = ProgressBars::new(output, items.len() as u64);
    let (app, scope) = (&library.app, &library.scope);
    let mut bringing = stream::iter(items)
        .map(|item| {
            let (tags, document) = (add.tags.clone(), add.document);
            async move {
                let name = item.display_name();
                (name, add_item(app, scope, item, tags, document).await)
            }
        })
        .buffer_unordered(AT_ONCE);
    let mut open = Vec::new();
    while let Some((item, brought)) = bringing.next().await {
        bars.brought.inc(1);
        match brought {
            Ok((described, outcome)) => {
                let source = &described.source;
                open.push((source.id, done.len()));
                done.push(AddOutcome { item, id: Some(source.id), outcome, status: None, reason: None });
            }
            Err(CommandError(reason)) => {
                done.push(AddOutcome { item, id: None, outcome: "failed", status: None, reason: Some(reason) });
            }
        }
    }
    drop(bringing);
    bars.read.set_length(open.len() as u64);
    bars.embedded.set_length(open.len() as u64);
    wait_until_indexed(app, scope, open, &mut done, !add.no_wait, &bars).await?;
    bars.clear();
    stop.cancel();
    if let Some(working) = working {
        working.await?;
    }
    print_summary(&done, output)
}

/// Finds what an argument stands for.
fn collect_items(what: &str, items: &mut Vec<AddItem>, done: &mut Vec<AddOutcome>) {
    let lower = what.to_ascii_lowercase();
    if lower.starts_with("http://") || lower.starts_with("https://") {
        return items.push(AddItem::Url(what.to_owned()));
    }
    let mut failed = |path: &Path, reason: String| {
        let item = path.display().to_string();
        done.push(AddOutcome { item, id: None, outcome: "failed", status: None, reason: Some(reason) });
    };
    let mut todo = vec![PathBuf::from(what)];
    while let Some(path) = todo.pop() {
        // What is named is followed; what is only found in a folder is not, so that no link leads out or in circles.
        let named = path == Path::new(what);
        let about = if named { std::fs::metadata(&path) } else { std::fs::symlink_metadata(&path) };
        match about {
            Ok(about) if about.is_file() => items.push(AddItem::File(path)),
            Ok(about) if about.is_dir() => match std::fs::read_dir(&path) {
                Ok(entries) => {
                    let visible =
                        |path: &PathBuf| path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.'));
                    let mut entries: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(visible).collect();
                    entries.sort();
                    todo.extend(entries.into_iter().rev());
                }
                Err(error) => failed(&path, error.to_string()),
            },
            Ok(_) if named => failed(&path, "it is neither a file nor a folder".to_owned()),
            Ok(_) => {}
            Err(error) => failed(&path, error.to_string()),
        }
    }
}

/// Makes a source of an item: new, unchanged, or with new content.
async fn add_item(
    app: &App,
    scope: &Scope,
    item: AddItem,
    tags: Vec<String>,
    document_id: Option<uuid::Uuid>,
) -> Result<(SourceWithRevision, &'static str), CommandError> {
    let mut draft = SourceDraft { tags, document_id, ..SourceDraft::default() };
    let mut content = None;
    match item {
        AddItem::Url(url) => {
            draft.content = SourceContent::AtUrl;
            draft.url = Some(url);
        }
        AddItem::File(path) => {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let filename = Filename::new(name).ok();
            let mut file = tokio::fs::File::open(&path).await?;
            let mut received = app.start_upload(u64::MAX).await?;
            let mut buffer = vec![0; 1 << 20];
            loop {
                let read = file.read(&mut buffer).await?;
                if read == 0 {
                    break;
                }
                received.write(Bytes::copy_from_slice(&buffer[..read])).await?;
            }
            let details = UploadDetails { filename: filename.clone(), ..UploadDetails::default() };
            let (artifact, _) = app.artifacts(scope).store(received, details).await?;
            content = Some(artifact.sha256);
            draft.content = SourceContent::Artifact(artifact.sha256);
            draft.filename = filename.map(|name| name.as_str().to_owned());
            // The same file again, changed, is a new revision of the same source.
            let place = std::fs::canonicalize(&path)?;
            draft.external_id = Some(format!("file://{}", place.display()));
        }
    }
    let (described, new) = app.sources(scope).create(draft).await?;
    let same = described.revision.as_ref().map(|revision| revision.content) == content || content.is_none();
    let outcome = match (new, same) {
        (true, _) => "added",
        (false, true) => "unchanged",
        (false, false) => "changed",
    };
    Ok((described, outcome))
}

/// Waits until everything that was brought is read and embedded, or until it is clear that it will not be.
async fn wait_until_indexed(
    app: &App,
    scope: &Scope,
    mut open: Vec<(SourceId, usize)>,
    done: &mut [AddOutcome],
    wait: bool,
    bars: &ProgressBars,
) -> Result<(), CommandError> {
    let total = open.len();
    let mut read = 0;
    loop {
        let mut left = Vec::new();
        let mut unread = 0;
        for (id, index) in open {
            let described = app.sources(scope).get(id).await?;
            let source = &described.source;
            let pending = source.status == SourceStatus::Pending
                || (done[index].outcome == "changed" && !app.sources(scope).is_read(id).await?);
            unread += usize::from(pending);
            // An embedding that waits for a provider or an installation is not waited for here.
            let embedding = source.embedding == EmbeddingState::Pending && source.embedding_error.is_none();
            if wait && (pending || embedding) {
                left.push((id, index));
                continue;
            }
            done[index].status = Some(source.status.as_str());
            // Whoever does not wait is not told how far someone else has come with it.
            if wait && source.status == SourceStatus::Failed {
                done[index].reason = source.extraction_error.as_ref().map(|fault| fault.detail.clone());
                done[index].outcome = "failed";
            } else {
                done[index].reason = source.embedding_error.clone();
            }
        }
        read = read.max(total - unread);
        bars.read.set_position(read as u64);
        bars.embedded.set_position((total - left.len()) as u64);
        if left.is_empty() {
            return Ok(());
        }
        open = left;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn print_summary(done: &[AddOutcome], output: &Output) -> CommandResult {
    let of = |outcome: &str| done.iter().filter(|one| one.outcome == outcome).count() as u64;
    let failed = of("failed");
    output.print_value(&done, || {
        for one in done.iter().filter(|one| one.outcome == "failed").take(SHOWN) {
            output.print_warning(&format!("{}: {}", one.item, one.reason.as_deref().unwrap_or("no reason is known")));
        }
        if failed > SHOWN as u64 {
            output.print_warning(&format!("and {} more", failed - SHOWN as u64));
        }
        let waiting = done.iter().find_map(|one| one.reason.as_deref().filter(|_| one.outcome != "failed"));
        if let Some(reason) = waiting {
            output.print_warning(&format!("found by words only, for now: {reason}"));
        }
        let mut parts = vec![format!("{} added", of("added"))];
        for outcome in ["changed", "unchanged", "failed"] {
            if of(outcome) > 0 {
                parts.push(format!("{} {outcome}", of(outcome)));
            }
        }
        anstream::println!("{}: {}", format_count(done.len() as u64, "source"), parts.join(", "));
    })?;
    Ok(failed == 0)
}

/// Progress bars on a terminal; nothing is drawn elsewhere.
struct ProgressBars {
    brought: ProgressBar,
    read: ProgressBar,
    embedded: ProgressBar,
}

impl ProgressBars {
    fn new(output: &Output, items: u64) -> Self {
        if output.is_json() || !std::io::stderr().is_terminal() {
            return Self {
                brought: ProgressBar::hidden(),
                read: ProgressBar::hidden(),
                embedded: ProgressBar::hidden(),
            };
        }
        let all = MultiProgress::new();
        let bar = |name: &'static str| {
            let bar = all.add(ProgressBar::new(items));
            if let Ok(style) = ProgressStyle::with_template("{msg:<9} {bar:32.cyan/dim} {pos:>6}/{len:<6} {eta:.dim}") {
                bar.set_style(style.progress_chars("━━─"));
            }
            bar.set_message(name);
            bar
        };
        Self { brought: bar("keeping"), read: bar("reading"), embedded: bar("embedding") }
    }

    fn clear(&self) {
        for bar in [&self.brought, &self.read, &self.embedded] {
            bar.finish_and_clear();
        }
    }
}
