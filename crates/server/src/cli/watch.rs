//! `ibid watch`

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use clap::Args;

use super::{
    CommandError, CommandResult, Output,
    add::{AddItem, AddOutcome, add_items, collect_items},
    api::Api,
    output::{DIM, format_count},
    serve::stop_signal,
};

/// Interval between two looks at the folder. Looking works on every file system, which notifications do not.
const INTERVAL: Duration = Duration::from_secs(2);

/// Add a folder, and again what changes in it.
#[derive(Args)]
pub(super) struct WatchArgs {
    /// The folder, with all folders in it
    folder: PathBuf,
    /// Give the sources this tag; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Stop after the first look
    #[arg(long)]
    once: bool,
}

/// What tells that a file changed: its size and the time of its last change.
type FileState = (u64, Option<SystemTime>);

pub(super) async fn run(watch: WatchArgs, api: &Api, output: &Output) -> CommandResult {
    if !watch.folder.is_dir() {
        return Err(CommandError::usage(format!("{} is not a folder", watch.folder.display())));
    }
    let stop = stop_signal()?;
    let worker = api.start_worker();
    let mut known = HashMap::new();
    let mut all_read = true;
    if !watch.once && !output.is_json() {
        anstream::println!("Watching {}. {DIM}Stop with Ctrl-C.{DIM:#}", watch.folder.display());
    }
    loop {
        let changed = find_changes(&watch.folder, &mut known, watch.once);
        if !changed.is_empty() {
            let done = add_items(api, changed, &watch.tags, None, true, output).await?;
            all_read &= done.iter().all(|one| one.outcome != "failed");
            print_changes(&done, output)?;
        }
        if watch.once {
            break;
        }
        tokio::select! {
            () = stop.cancelled() => break,
            () = tokio::time::sleep(INTERVAL) => {}
        }
    }
    worker.finish().await?;
    Ok(all_read)
}

/// The files that are new or changed since the last look. A file that is still being written is left for the next one, if
/// there is one.
fn find_changes(folder: &Path, known: &mut HashMap<PathBuf, FileState>, is_last: bool) -> Vec<AddItem> {
    let (mut items, mut failed) = (Vec::new(), Vec::new());
    collect_items(&folder.to_string_lossy(), &mut items, &mut failed);
    let is_new = |item: &AddItem| {
        let AddItem::File(path) = item else { return false };
        let Ok(about) = std::fs::metadata(path) else { return false };
        let modified = about.modified().ok();
        let settled = modified.and_then(|time| time.elapsed().ok()).is_none_or(|age| age >= Duration::from_millis(500));
        let state = (about.len(), modified);
        (settled || is_last) && known.insert(path.clone(), state) != Some(state)
    };
    items.into_iter().filter(is_new).collect()
}

fn print_changes(done: &[AddOutcome], output: &Output) -> Result<(), CommandError> {
    output.print_value(&done, || {
        let mut unchanged = 0;
        for one in done {
            match (one.outcome, &one.reason) {
                ("unchanged", _) => unchanged += 1,
                ("failed", Some(reason)) => output.print_warning(&format!("{}: {reason}", one.item)),
                (outcome, _) => anstream::println!("{outcome:<8} {}", one.item),
            }
        }
        if unchanged > 0 {
            anstream::println!("{DIM}{} unchanged{DIM:#}", format_count(unchanged, "file"));
        }
    })?;
    Ok(())
}
