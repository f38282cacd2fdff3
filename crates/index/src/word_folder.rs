//! The folder of tantivy's files, which waits for the disk once for many changes and not once for each.
//!
//! The index can be made again from the library, so a change of it need not be durable before somebody is told of it.
//! [`WordFolder::sync`] makes the present state durable and remembers it as the restore point: `meta.synced` is the
//! `meta.json` of that state. Its files stay until there is a later restore point, also those that tantivy no longer
//! needs. After a power cut `meta.json` may be lost, or name files that are torn or missing: then the index goes back to
//! the restore point and follows the log of changes from there.

use std::{
    collections::BTreeSet,
    fmt,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite, WatchCallback,
    WatchHandle, WritePtr,
    error::{DeleteError, LockError, OpenReadError, OpenWriteError},
};

use crate::{IndexError, Result};

/// tantivy's list of segments.
const META: &str = "meta.json";
/// tantivy's list of the files it has written.
const MANAGED: &str = ".managed.json";
/// The list of segments as it was when everything was synced last.
const SYNCED_META: &str = "meta.synced";

/// A folder of tantivy's that is synced when it is asked to. Cheap to clone.
#[derive(Clone)]
pub(crate) struct WordFolder {
    files: MmapDirectory,
    root: PathBuf,
    unsynced: Arc<Mutex<UnsyncedFiles>>,
}

/// What was done since the last sync.
#[derive(Debug, Default)]
struct UnsyncedFiles {
    written: BTreeSet<PathBuf>,
    /// Files of the restore point that are no longer needed; removed at the next sync.
    unneeded: BTreeSet<PathBuf>,
    /// True if the list of segments was written since.
    meta_written: bool,
}

impl fmt::Debug for WordFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WordFolder({})", self.root.display())
    }
}

impl WordFolder {
    /// Opens the folder, which must exist. One that is to be written is rid of files that no state of it names.
    pub(crate) fn open(root: &Path, write: bool) -> Result<Self> {
        let files = MmapDirectory::open(root).map_err(tantivy::TantivyError::from)?;
        let folder = Self { files, root: root.to_owned(), unsynced: Arc::default() };
        if write {
            let written: BTreeSet<_> = folder.unsynced_files()?.into_iter().collect();
            folder.sweep()?;
            let mut unsynced = folder.unsynced();
            unsynced.meta_written = !written.is_empty();
            unsynced.written = written;
        }
        Ok(folder)
    }

    fn unsynced(&self) -> MutexGuard<'_, UnsyncedFiles> {
        self.unsynced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes files of segments that neither the present state nor the restore point has. A process that was killed
    /// leaves some behind.
    fn sweep(&self) -> Result<()> {
        let (Ok(now), Ok(synced)) = (read_segments(&self.root, META), read_segments(&self.root, SYNCED_META)) else {
            return Ok(()); // damaged: opening it will tell
        };
        for (name, segment) in segment_files(&self.root)? {
            if synced.contains(&segment) && !now.contains(&segment) {
                self.unsynced().unneeded.insert(name.into());
            } else if !now.contains(&segment) {
                remove_if_there(&self.root.join(name))?;
            }
        }
        Ok(())
    }

    /// Names the files of the present state that may be torn after a power cut: those that are not of the restore
    /// point. A list of deletions can belong to a segment of the restore point and be newer than it.
    pub(crate) fn unsynced_files(&self) -> Result<Vec<PathBuf>> {
        let (meta, synced) = (read_if_there(&self.root.join(META))?, read_if_there(&self.root.join(SYNCED_META))?);
        let Some(meta) = meta else {
            return match synced {
                Some(_) => Err(IndexError::Damaged("the list of segments is missing".to_owned())),
                None => Ok(Vec::new()), // nothing was written yet
            };
        };
        if synced.as_ref() == Some(&meta) {
            return Ok(Vec::new());
        }
        let now = segments_of(&meta)?;
        let synced = synced.map_or_else(BTreeSet::new, |synced| segments_of(&synced).unwrap_or_default());
        let files = segment_files(&self.root)?
            .into_iter()
            .filter(|(name, segment)| now.contains(segment) && (!synced.contains(segment) || name.ends_with(".del")));
        Ok(files.map(|(name, _)| name.into()).collect())
    }

    /// True if something was written or can be removed since the last sync.
    pub(crate) fn is_unsynced(&self) -> bool {
        let unsynced = self.unsynced();
        unsynced.meta_written || !unsynced.unneeded.is_empty()
    }

    /// Makes the present state durable, and the restore point. Files that are being written meanwhile are not of it.
    pub(crate) fn sync(&self) -> Result<()> {
        // Held throughout, so that nothing is removed that the state names.
        let mut unsynced = self.unsynced();
        let meta = fs::read(self.root.join(META))?;
        let segments = segments_of(&meta)?;
        let (named, others) = std::mem::take(&mut unsynced.written)
            .into_iter()
            .partition(|path: &PathBuf| segment_of(path).is_some_and(|segment| segments.contains(&segment)));
        unsynced.written = others;
        let synced = self.sync_files(&named, &meta);
        if let Err(error) = synced {
            unsynced.written.extend(named);
            return Err(error.into());
        }
        unsynced.meta_written = false;
        for path in std::mem::take(&mut unsynced.unneeded) {
            remove_if_there(&self.root.join(path))?;
        }
        Ok(())
    }

    fn sync_files(&self, named: &BTreeSet<PathBuf>, meta: &[u8]) -> io::Result<()> {
        for path in named {
            File::open(self.root.join(path))?.sync_data()?;
        }
        for name in [MANAGED, META] {
            File::open(self.root.join(name))?.sync_data()?;
        }
        // The files have their names before the restore point speaks of them.
        File::open(&self.root)?.sync_all()?;
        replace_file(&self.root.join(SYNCED_META), meta, true)?;
        File::open(&self.root)?.sync_all()
    }

    /// Puts the restore point in the place of the present state; false if there is none. Nobody may have it open.
    pub(crate) fn restore(root: &Path) -> Result<bool> {
        let Some(meta) = read_if_there(&root.join(SYNCED_META))? else { return Ok(false) };
        let segments = segments_of(&meta)?;
        let mut managed = vec![META.to_owned()];
        for (name, segment) in segment_files(root)? {
            if segments.contains(&segment) {
                managed.push(name);
            } else {
                remove_if_there(&root.join(name))?;
            }
        }
        let managed = serde_json::to_vec(&managed).map_err(|error| IndexError::Damaged(error.to_string()))?;
        replace_file(&root.join(MANAGED), &managed, false)?;
        replace_file(&root.join(META), &meta, false)?;
        Ok(true)
    }
}

/// The segments that a list of them names.
fn read_segments(root: &Path, name: &str) -> Result<BTreeSet<String>> {
    read_if_there(&root.join(name))?.map_or_else(|| Ok(BTreeSet::new()), |meta| segments_of(&meta))
}

fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn segments_of(meta: &[u8]) -> Result<BTreeSet<String>> {
    #[derive(serde::Deserialize)]
    struct SegmentList {
        segments: Vec<SegmentEntry>,
    }
    #[derive(serde::Deserialize)]
    struct SegmentEntry {
        segment_id: String,
    }
    let list: SegmentList = serde_json::from_slice(meta)
        .map_err(|error| IndexError::Damaged(format!("the list of segments cannot be read: {error}")))?;
    Ok(list.segments.into_iter().map(|segment| segment.segment_id.replace('-', "")).collect())
}

/// The segment that a file belongs to: its name begins with the id in 32 digits.
fn segment_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let (id, _) = name.split_once('.')?;
    (id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| id.to_owned())
}

/// The files of segments in a folder, each with its segment.
fn segment_files(root: &Path) -> io::Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root)? {
        let path = entry?.path();
        if let (Some(segment), Some(name)) = (segment_of(&path), path.file_name().and_then(|name| name.to_str())) {
            files.push((name.to_owned(), segment));
        }
    }
    Ok(files)
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Replaces a file so that nobody sees half of it.
fn replace_file(path: &Path, content: &[u8], sync: bool) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let new = PathBuf::from(new);
    let mut file = File::create(&new)?;
    file.write_all(content)?;
    if sync {
        file.sync_data()?;
    }
    fs::rename(new, path)
}

/// A file that is whole when the program is killed after its end, and durable after the next sync of its folder.
struct UnsyncedFile(File);

impl Write for UnsyncedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for UnsyncedFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        Ok(())
    }
}

impl Directory for WordFolder {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        let mut unsynced = self.unsynced();
        if unsynced.written.remove(path) {
            return self.files.delete(path); // the restore point does not have it
        }
        unsynced.unneeded.insert(path.to_owned());
        Ok(())
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let mut unsynced = self.unsynced();
        let file = File::options().write(true).create_new(true).open(self.root.join(path));
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => OpenWriteError::FileAlreadyExists(path.to_owned()),
            _ => OpenWriteError::wrap_io_error(error, path.to_owned()),
        })?;
        unsynced.written.insert(path.to_owned());
        Ok(BufWriter::new(Box::new(UnsyncedFile(file))))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.files.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let mut unsynced = self.unsynced();
        unsynced.meta_written |= path == Path::new(META);
        replace_file(&self.root.join(path), data, false)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(()) // see `sync`
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.files.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}
