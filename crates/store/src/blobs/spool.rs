//! A local file that bytes are written to and hashed in, before their name is known.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;
use ibid_domain::{Sha256, hash::Hasher};
use tokio::{sync::mpsc, task::JoinHandle};
use uuid::Uuid;

use crate::{Error, Result, ThreadFailed, disk_syncs::DiskSyncs, run_blocking};

/// After this many bytes the disk is told to begin writing, so that little is left to wait for at the end.
const SYNC_EVERY: u64 = 64 * 1024 * 1024;

/// Bytes on their way in. The file is locked while its owner lives and removed when it is dropped; what a killed
/// process leaves behind is not locked any more and is swept.
pub struct Spool {
    path: PathBuf,
    size: u64,
    writer: Option<SpoolWriter>,
    /// Holds the file lock while the spool is open.
    _file: Arc<File>,
}

struct SpoolWriter {
    pieces: mpsc::Sender<Bytes>,
    done: JoinHandle<io::Result<Sha256>>,
}

impl Spool {
    pub(super) async fn create(folder: PathBuf, disk_syncs: DiskSyncs) -> Result<Self> {
        let (file, path) =
            run_blocking(move || create_locked(&folder)).await?.map_err(Error::io("create a file in the spool"))?;
        let file = Arc::new(file);
        // A few pieces in flight let the network and the disk work at the same time without holding much.
        let (pieces, receiver) = mpsc::channel(8);
        let done = tokio::task::spawn_blocking({
            let file = Arc::clone(&file);
            move || write_pieces(&file, receiver, &disk_syncs)
        });
        Ok(Self { path, size: 0, writer: Some(SpoolWriter { pieces, done }), _file: file })
    }

    /// Appends the next piece of the upload.
    pub async fn write(&mut self, piece: Bytes) -> Result<()> {
        self.size += piece.len() as u64;
        let Some(writer) = &self.writer else { return Err(already_finished()) };
        if writer.pieces.send(piece).await.is_ok() {
            return Ok(());
        }
        // The writer ended early, so it has an error to tell.
        self.finish().await.and(Err(already_finished()))
    }

    /// Waits until every byte is on disk, and gives their hash.
    pub async fn finish(&mut self) -> Result<Sha256> {
        let SpoolWriter { pieces, done } = self.writer.take().ok_or_else(already_finished)?;
        drop(pieces);
        done.await.map_err(ThreadFailed::from)?.map_err(Error::io("write to the spool"))
    }

    /// Returns the number of bytes written so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn already_finished() -> Error {
    Error::io("write to the spool")(io::Error::other("it is finished already"))
}

fn create_locked(folder: &Path) -> io::Result<(File, PathBuf)> {
    loop {
        let path = folder.join(format!("{}.part", Uuid::now_v7().simple()));
        let file = File::options().write(true).create_new(true).open(&path)?;
        file.lock()?;
        // A sweep may have come between creating and locking.
        match fs::metadata(&path) {
            Ok(meta) if meta.ino() == file.metadata()?.ino() => return Ok((file, path)),
            _ => continue,
        }
    }
}

fn write_pieces(file: &Arc<File>, mut pieces: mpsc::Receiver<Bytes>, syncs: &DiskSyncs) -> io::Result<Sha256> {
    let mut hasher = Hasher::default();
    let mut sink: &File = file;
    let mut unsynced = 0;
    let mut syncing: Option<std::thread::JoinHandle<io::Result<()>>> = None;
    while let Some(piece) = pieces.blocking_recv() {
        hasher.update(&piece);
        sink.write_all(&piece)?;
        unsynced += piece.len() as u64;
        if unsynced >= SYNC_EVERY && syncing.as_ref().is_none_or(std::thread::JoinHandle::is_finished) {
            join_sync(syncing.take())?;
            unsynced = 0;
            let file = Arc::clone(file);
            syncs.count();
            syncing = Some(std::thread::spawn(move || file.sync_data()));
        }
    }
    join_sync(syncing)?;
    syncs.sync(file)?;
    Ok(hasher.finish())
}

fn join_sync(syncing: Option<std::thread::JoinHandle<io::Result<()>>>) -> io::Result<()> {
    match syncing.map(std::thread::JoinHandle::join) {
        None => Ok(()),
        Some(Ok(result)) => result,
        Some(Err(_)) => Err(io::Error::other("the thread that syncs the spool panicked")),
    }
}

/// Finds files whose owner is gone, and removes them if asked to.
pub(super) async fn sweep_abandoned(folder: PathBuf, remove: bool) -> Result<(u64, u64)> {
    run_blocking(move || sweep_now(&folder, remove)).await?.map_err(Error::io("sweep the spool"))
}

fn sweep_now(folder: &Path, remove: bool) -> io::Result<(u64, u64)> {
    let (mut files, mut bytes) = (0, 0);
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let ours = path.extension().is_some_and(|extension| extension == "part" || extension == "placing");
        // Files come and go beside the sweep; one that is gone is nobody's concern.
        let Ok(file) = File::options().write(true).open(&path) else { continue };
        if !ours || !file.metadata()?.is_file() {
            continue;
        }
        match file.try_lock() {
            Ok(()) => {
                bytes += file.metadata()?.len();
                files += 1;
                if remove {
                    fs::remove_file(&path).or_else(|error| match error.kind() {
                        io::ErrorKind::NotFound => Ok(()),
                        _ => Err(error),
                    })?;
                }
            }
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok((files, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn hashes_what_it_writes_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::create(folder.path().to_owned(), DiskSyncs::default()).await.unwrap();
        for piece in ["a", "", "bc"] {
            spool.write(Bytes::from(piece)).await.unwrap();
        }
        assert_eq!(spool.finish().await.unwrap(), Sha256::of_bytes(b"abc"));
        assert_eq!((spool.size(), fs::read(spool.path()).unwrap().as_slice()), (3, b"abc".as_slice()));
        drop(spool);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn a_sweep_takes_only_what_nobody_holds() {
        let folder = tempfile::tempdir().unwrap();
        let held = Spool::create(folder.path().to_owned(), DiskSyncs::default()).await.unwrap();
        fs::write(folder.path().join("dead.part"), b"left behind").unwrap();
        fs::write(folder.path().join("notes.txt"), b"not ours").unwrap();
        assert_eq!(sweep_abandoned(folder.path().to_owned(), false).await.unwrap(), (1, 11));
        assert!(folder.path().join("dead.part").exists());
        assert_eq!(sweep_abandoned(folder.path().to_owned(), true).await.unwrap(), (1, 11));
        assert!(!folder.path().join("dead.part").exists());
        assert!(held.path().exists() && folder.path().join("notes.txt").exists());
    }
}
