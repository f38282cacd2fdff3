//! A file that only grows: batches, each with its length and a checksum.
//!
//! What a crash cut off or damaged is not read, and everything after it is made again from the database.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::Path,
};

/// First bytes of a journal file; they change with every version of the format.
const MAGIC: &[u8; 8] = b"ibidix01";
/// No batch is larger; a length beyond it is damage.
const LARGEST: u32 = 1 << 30;

/// An append-only journal file of checksummed batches.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    /// Up to where its batches are whole.
    whole: u64,
    /// Up to where they are known to survive a power cut.
    synced: u64,
}

impl Journal {
    /// Opens a journal and reads every whole batch of it, with the place where it begins, until one is refused. If it
    /// is to be written, what follows them is cut off. A file that is no journal of this version is an error of kind
    /// `InvalidData`.
    pub(crate) fn open(
        path: &Path,
        write: bool,
        mut batch: impl FnMut(u64, &[u8]) -> io::Result<bool>,
    ) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).write(write).create(write).truncate(false).open(path)?;
        let length = file.metadata()?.len();
        if length < MAGIC.len() as u64 {
            if write {
                file.write_all(MAGIC)?;
            }
            return Ok(Self { file, whole: if write { MAGIC.len() as u64 } else { 0 }, synced: 0 });
        }
        let mut magic = [0; 8];
        file.read_exact(&mut magic)?;
        if &magic != MAGIC {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "another version"));
        }
        let mut journal = Self { file, whole: MAGIC.len() as u64, synced: 0 };
        journal.read_batches(&mut batch)?;
        if write && journal.whole < length {
            journal.file.set_len(journal.whole)?;
            // After a power cut it must not come back behind what is written next.
            journal.file.sync_data()?;
        }
        Ok(journal)
    }

    /// Reads the whole batches that follow those that were read before, and says whether there were any.
    pub(crate) fn read_new_batches(&mut self, mut batch: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<bool> {
        self.read_batches(|_, payload| batch(payload).map(|()| true))
    }

    fn read_batches(&mut self, mut batch: impl FnMut(u64, &[u8]) -> io::Result<bool>) -> io::Result<bool> {
        let (length, before) = (self.file.metadata()?.len(), self.whole);
        if length < self.whole {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "shorter than it was"));
        }
        if length == self.whole {
            return Ok(false);
        }
        self.file.seek(SeekFrom::Start(self.whole))?;
        let mut reader = BufReader::with_capacity(1 << 20, &self.file);
        let mut payload = Vec::new();
        loop {
            let mut head = [0; 8];
            if reader.read_exact(&mut head).is_err() {
                break;
            }
            let (size, sum) = head.split_at(4);
            let size = u32::from_le_bytes(size.try_into().unwrap_or_default());
            let sum = u32::from_le_bytes(sum.try_into().unwrap_or_default());
            if size > LARGEST || self.whole + 8 + u64::from(size) > length {
                break;
            }
            payload.resize(size as usize, 0);
            if reader.read_exact(&mut payload).is_err() || crc32fast::hash(&payload) != sum {
                break;
            }
            if !batch(self.whole, &payload)? {
                break;
            }
            self.whole += 8 + u64::from(size);
        }
        drop(reader);
        self.file.seek(SeekFrom::Start(self.whole))?;
        Ok(self.whole > before)
    }

    /// Adds a batch. It is whole after a crash of the program; after one of the machine only if it was synced.
    pub(crate) fn append(&mut self, payload: &[u8]) -> io::Result<()> {
        let size = u32::try_from(payload.len()).ok().filter(|size| *size <= LARGEST);
        let size = size.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "a batch is too large"))?;
        let mut frame = Vec::with_capacity(payload.len() + 8);
        frame.extend_from_slice(&size.to_le_bytes());
        frame.extend_from_slice(&crc32fast::hash(payload).to_le_bytes());
        frame.extend_from_slice(payload);
        self.file.write_all(&frame)?;
        self.whole += frame.len() as u64;
        Ok(())
    }

    /// Returns the number of bytes up to the end of the last batch.
    pub(crate) fn bytes(&self) -> u64 {
        self.whole
    }

    /// True if a batch was added since the last [`Journal::sync`], or if this was never synced here.
    pub(crate) fn is_unsynced(&self) -> bool {
        self.synced < self.whole
    }

    /// Makes all batches survive a crash of the machine.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()?;
        self.synced = self.whole;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path, write: bool) -> io::Result<(Journal, Vec<Vec<u8>>)> {
        let mut batches = Vec::new();
        let journal = Journal::open(path, write, |_, batch| {
            batches.push(batch.to_vec());
            Ok(true)
        })?;
        Ok((journal, batches))
    }

    #[test]
    fn whole_batches_are_read_again_and_a_torn_end_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (mut journal, batches) = read(&path, true).unwrap();
        assert!(batches.is_empty());
        for batch in [&b"one"[..], b"", b"three"] {
            journal.append(batch).unwrap();
        }
        journal.sync().unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for cut in whole.len() - 12..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert_eq!(read(&path, false).unwrap().1, [&b"one"[..], b""], "cut at {cut}");
        }
        let mut damaged = whole.clone();
        *damaged.last_mut().unwrap() ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        let (mut journal, batches) = read(&path, true).unwrap();
        assert_eq!(batches.len(), 2);
        journal.append(b"again").unwrap();
        assert_eq!(read(&path, false).unwrap().1, [&b"one"[..], b"", b"again"]);
        // From a batch that is refused on, nothing is read, and it is gone once the journal is opened to be written.
        let second = 8 + 11;
        let journal = Journal::open(&path, true, |at, _| Ok(at < second)).unwrap();
        assert_eq!((journal.bytes(), std::fs::metadata(&path).unwrap().len()), (second, second));
        std::fs::write(&path, b"something else").unwrap();
        assert_eq!(read(&path, true).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
