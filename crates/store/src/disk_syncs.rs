//! How often a library waited for the disk.

use std::{
    fs::File,
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// Counts the times that this process made something durable: commits that SQLite waited for, and files and folders of
/// blobs. Each takes from a tenth of a millisecond to tens of them. Cheap to clone; all clones count together.
#[derive(Clone, Debug, Default)]
pub(crate) struct DiskSyncs(Arc<AtomicU64>);

impl DiskSyncs {
    pub(crate) fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn total(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Waits until a file or folder is durable.
    pub(crate) fn sync(&self, file: &File) -> io::Result<()> {
        self.count();
        file.sync_all()
    }
}
