//! `ibid add`

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;
use futures::{StreamExt, stream};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use serde::Serialize;
use serde_json::json;

use super::{
    CommandError, CommandResult, Output,
    api::{Api, read_file},
    output::{format_count, text},
};

#[derive(Args)]
pub(super) struct AddArgs {
    /// Files, folders and addresses
    #[arg(required = true, value_name = "PATH|URL")]
    what: Vec<String>,
    /// Give them this tag; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// The document they are collected for
    #[arg(long, value_name = "ID")]
    document: Option<uuid::Uuid>,
    /// Do not wait until they are read; a running server or worker reads them
    #[arg(long)]
    no_wait: bool,
}

/// A file or an address to add to the library.
pub(super) enum AddItem {
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
pub(super) struct AddOutcome {
    pub(super) item: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    pub(super) outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
}

/// Maximum number of files that are hashed and stored at the same time.
const AT_ONCE: usize = 4;

/// The most failures that are shown one by one.
const SHOWN: usize = 50;

pub(super) async fn run(add: AddArgs, api: &Api, output: &Output) -> CommandResult {
    let mut items = Vec::new();
    let mut done = Vec::new();
    for what in &add.what {
        collect_items(what, &mut items, &mut done);
    }
    let worker = (!add.no_wait).then(|| api.start_worker());
    done.extend(add_items(api, items, &add.tags, add.document, !add.no_wait, output).await?);
    if let Some(worker) = worker {
        worker.finish().await?;
    }
    print_summary(&done, output)
}

/// Makes sources of items, and waits until they are read if that is wanted.
pub(super) async fn add_items(
    api: &Api,
    items: Vec<AddItem>,
    tags: &[String],
    document: Option<uuid::Uuid>,
    wait: bool,
    output: &Output,
) -> Result<Vec<AddOutcome>, CommandError> {
    let bars = ProgressBars::new(output, items.len() as u64);
    let mut bringing = stream::iter(items)
        .map(|item| async move { (item.display_name(), add_item(api, item, tags, document).await) })
        .buffer_unordered(AT_ONCE);
    let (mut open, mut done) = (Vec::new(), Vec::new());
    while let Some((item, brought)) = bringing.next().await {
        bars.brought.inc(1);
        match brought {
            Ok((id, outcome)) => {
                open.push((id.clone(), done.len()));
                done.push(AddOutcome { item, id: Some(id), outcome, status: None, reason: None });
            }
            Err(CommandError { reason, .. }) => {
                done.push(AddOutcome { item, id: None, outcome: "failed", status: None, reason: Some(reason) });
            }
        }
    }
    drop(bringing);
    bars.read.set_length(open.len() as u64);
    bars.embedded.set_length(open.len() as u64);
    wait_until_indexed(api, open, &mut done, wait, &bars).await?;
    bars.clear();
    Ok(done)
}

/// Finds what an argument stands for.
pub(super) fn collect_items(what: &str, items: &mut Vec<AddItem>, done: &mut Vec<AddOutcome>) {
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

/// Makes a source of an item: new, unchanged, or with new content. Returns its id and which of these it is.
async fn add_item(
    api: &Api,
    item: AddItem,
    tags: &[String],
    document: Option<uuid::Uuid>,
) -> Result<(String, &'static str), CommandError> {
    let mut body = json!({ "tags": tags, "document_id": document });
    let mut content = None;
    match item {
        AddItem::Url(url) => body["url"] = json!(url),
        AddItem::File(path) => {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let upload = api.post("/api/v1/artifacts").maybe("filename", name.as_ref());
            let artifact = upload.stream(read_file(&path).await?).json().await?;
            content = artifact["sha256"].as_str().map(str::to_owned);
            body["artifact_sha256"] = artifact["sha256"].clone();
            // The same file again, changed, is a new revision of the same source.
            let place = std::fs::canonicalize(&path)?;
            body["external_id"] = json!(format!("file://{}", place.display()));
        }
    }
    let answer = api.post("/api/v1/sources").body(&body).send().await?;
    let new = answer.status() == reqwest::StatusCode::CREATED;
    let source = answer.json().await?;
    let same = content.is_none() || source["artifact_sha256"].as_str() == content.as_deref();
    let outcome = match (new, same) {
        (true, _) => "added",
        (false, true) => "unchanged",
        (false, false) => "changed",
    };
    Ok((text(&source, "id").to_owned(), outcome))
}

/// Waits until everything that was brought is read and embedded, or until it is clear that it will not be.
async fn wait_until_indexed(
    api: &Api,
    mut open: Vec<(String, usize)>,
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
            let source = api.get(format!("/api/v1/sources/{id}")).json().await?;
            let pending = text(&source, "status") == "pending"
                || (done[index].outcome == "changed" && !is_read(api, &id).await?);
            unread += usize::from(pending);
            // An embedding that waits for a provider or an installation is not waited for here.
            let embedding = text(&source, "embedding") == "pending" && source["embedding_error"].is_null();
            if wait && (pending || embedding) {
                left.push((id, index));
                continue;
            }
            done[index].status = source["status"].as_str().map(str::to_owned);
            // Whoever does not wait is not told how far someone else has come with it.
            if wait && text(&source, "status") == "failed" {
                done[index].reason = source["extraction_error"]["detail"].as_str().map(str::to_owned);
                done[index].outcome = "failed";
            } else {
                done[index].reason = source["embedding_error"].as_str().map(str::to_owned);
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

/// Returns true if the newest content of a source was read.
async fn is_read(api: &Api, id: &str) -> Result<bool, CommandError> {
    let newest = api.list(&format!("/api/v1/sources/{id}/revisions"), &[], 1).await?;
    Ok(newest.first().is_none_or(|newest| !newest["extracted_at"].is_null()))
}

pub(super) fn print_summary(done: &[AddOutcome], output: &Output) -> CommandResult {
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
