//! Putting a finished file in its place in the folder.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use uuid::Uuid;

use crate::{Error, Result, disk_syncs::DiskSyncs, run_blocking};

/// Links the spooled file to its key, whole or not at all, and makes that durable. Bytes that lie there already are
/// replaced by the same bytes, which also heals a blob that rotted.
pub(super) async fn link_spooled_file(spooled: &Path, root: &Path, key: &str, syncs: &DiskSyncs) -> Result<()> {
    let (spooled, root, target, syncs) = (spooled.to_owned(), root.to_owned(), root.join(key), syncs.clone());
    let placed = run_blocking(move || place_now(&spooled, &root, &target, &syncs));
    placed.await?.map_err(Error::io("put a blob in its place"))
}

fn place_now(spooled: &Path, root: &Path, target: &Path, syncs: &DiskSyncs) -> io::Result<()> {
    let folder = target.parent().unwrap_or(root);
    create_folders(root, folder, syncs)?;
    // A second name for the same file, so that the spool keeps its own; then an atomic rename onto the key.
    let staged = spooled.with_extension(format!("{}.placing", Uuid::new_v4().simple()));
    if fs::hard_link(spooled, &staged).is_err() {
        // Not every file system has hard links.
        fs::copy(spooled, &staged)?;
        syncs.sync(&fs::File::open(&staged)?)?;
    }
    if let Err(error) = fs::rename(&staged, target) {
        let _ = fs::remove_file(&staged);
        return Err(error);
    }
    // Renaming one name of a file onto another of the same file does nothing at all and leaves both.
    let _ = fs::remove_file(&staged);
    syncs.sync(&fs::File::open(folder)?)
}

/// Makes the folders between root and folder, and makes their making durable.
fn create_folders(root: &Path, folder: &Path, syncs: &DiskSyncs) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut made: Vec<PathBuf> = Vec::new();
    let mut at = folder;
    while at != root && !at.is_dir() {
        made.push(at.to_owned());
        at = at.parent().unwrap_or(root);
    }
    fs::create_dir_all(folder)?;
    for new in made {
        syncs.sync(&fs::File::open(new.parent().unwrap_or(root))?)?;
    }
    Ok(())
}
