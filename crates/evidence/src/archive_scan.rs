//! What an archive says of itself: its files as they follow one another, and as its directory lists them.
//!
//! Nothing of it is believed. It helps to find a manifest whose header is damaged, files that were moved by a change
//! before them, and files that the manifest does not know.

use std::io::{self, BufReader, Read, Seek};

use ibid_domain::text::single_line;

use crate::{
    MAX_FILES, PIECE,
    archive::BundleArchive,
    zip_layout::{
        CLOSING, CLOSING_LEN, LOCAL, LOCAL_HEAD, PlannedFile, RECORD, RECORD_HEAD, WIDE, WIDE_CLOSING, WIDE_LEN,
    },
};

/// A file as a header or a record of the directory has it.
#[derive(Debug)]
pub(crate) struct ArchiveEntry {
    pub(crate) name: String,
    /// Position of the header or directory record.
    pub(crate) place: u64,
    /// Possible positions of the file's local header.
    pub(crate) headers: Vec<u64>,
    pub(crate) size: u64,
    pub(crate) crc: u32,
}

/// All entries found by scanning the archive, without trusting them.
#[derive(Debug, Default)]
pub(crate) struct ArchiveScan {
    /// Files one after the other from the beginning, as far as one leads to the next.
    pub(crate) files: Vec<ArchiveEntry>,
    /// Records of the directory, as far as one leads to the next.
    pub(crate) records: Vec<ArchiveEntry>,
    /// True if the local headers lead without a gap to the central directory.
    is_whole: bool,
}

impl ArchiveScan {
    pub(crate) fn scan_archive<R: Read + Seek>(archive: &mut BundleArchive<R>) -> io::Result<Self> {
        let mut survey = Self::default();
        let end = survey.walk_headers(archive)?;
        let said = EndRecord::read_from(archive)?;
        let start = if survey.is_whole { Some(end) } else { said.as_ref().map(|said| said.start) };
        if let Some(start) = start {
            // Where the directory is not where the end says, the files are moved as much as it.
            let moved = said.map_or(0, |said| start.wrapping_sub(said.directory));
            survey.read_directory(archive, start, moved)?;
        }
        Ok(survey)
    }

    /// The files as the archive has them, for want of a manifest.
    pub(crate) fn planned_files(&self) -> Vec<PlannedFile> {
        let best = if self.is_whole || self.files.len() > self.records.len() { &self.files } else { &self.records };
        best.iter().map(|seen| PlannedFile { name: seen.name.clone(), size: seen.size, sha256: None }).collect()
    }

    /// Walks from header to header, and says where it ended.
    fn walk_headers<R: Read + Seek>(&mut self, archive: &mut BundleArchive<R>) -> io::Result<u64> {
        let mut place = 0;
        while self.files.len() < MAX_FILES {
            let head = archive.read_at(place, LOCAL_HEAD as u64)?;
            if head.starts_with(&RECORD) {
                self.is_whole = true;
                break;
            }
            if head.len() < LOCAL_HEAD || !head.starts_with(&LOCAL) {
                break;
            }
            let (name_len, extra_len) = (u64::from(read_u16(&head, 26)), u64::from(read_u16(&head, 28)));
            let rest = archive.read_at(place + LOCAL_HEAD as u64, name_len + extra_len)?;
            if (rest.len() as u64) < name_len + extra_len {
                break;
            }
            let (name, extra) = rest.split_at(name_len as usize);
            let size = zip64_value(u64::from(read_u32(&head, 22)), extra, 1);
            self.files.push(ArchiveEntry {
                name: printable_name(name),
                place,
                headers: vec![place],
                size,
                crc: read_u32(&head, 14),
            });
            place = place.saturating_add(LOCAL_HEAD as u64 + name_len + extra_len).saturating_add(size);
        }
        Ok(place)
    }

    /// Lists the records of the directory.
    fn read_directory<R: Read + Seek>(
        &mut self,
        archive: &mut BundleArchive<R>,
        start: u64,
        moved: u64,
    ) -> io::Result<()> {
        let mut from = BufReader::with_capacity(PIECE, archive.stream_from(start, u64::MAX)?);
        let mut place = start;
        while self.records.len() < MAX_FILES {
            let head = read_up_to(&mut from, RECORD_HEAD)?;
            if head.len() < RECORD_HEAD || !head.starts_with(&RECORD) {
                break;
            }
            let [name_len, extra_len, comment_len] = [28, 30, 32].map(|at| usize::from(read_u16(&head, at)));
            let name = read_up_to(&mut from, name_len)?;
            let extra = read_up_to(&mut from, extra_len)?;
            let comment = read_up_to(&mut from, comment_len)?;
            if comment.len() < comment_len || extra.len() < extra_len || name.len() < name_len {
                break;
            }
            let size = u64::from(read_u32(&head, 24));
            let offset = zip64_value(u64::from(read_u32(&head, 42)), &extra, if size >= WIDE { 2 } else { 0 });
            self.records.push(ArchiveEntry {
                name: printable_name(&name),
                place,
                headers: vec![offset, offset.wrapping_add(moved)],
                size: zip64_value(size, &extra, 0),
                crc: read_u32(&head, 16),
            });
            place += (RECORD_HEAD + name.len() + extra.len() + comment.len()) as u64;
        }
        Ok(())
    }
}

/// Position of the central directory according to the end record.
struct EndRecord {
    /// Start of the directory, assuming that it ends right before the end record.
    start: u64,
    /// Start of the directory as stated in the end record.
    directory: u64,
}

impl EndRecord {
    fn read_from<R: Read + Seek>(archive: &mut BundleArchive<R>) -> io::Result<Option<Self>> {
        let Some(end) = archive.len().checked_sub(CLOSING_LEN as u64) else { return Ok(None) };
        let closing = archive.read_at(end, CLOSING_LEN as u64)?;
        if closing.len() < CLOSING_LEN || !closing.starts_with(&CLOSING) {
            return Ok(None);
        }
        let (length, directory) = (u64::from(read_u32(&closing, 12)), u64::from(read_u32(&closing, 16)));
        if length < WIDE && directory < WIDE {
            return Ok(end.checked_sub(length).map(|start| Self { start, directory }));
        }
        let Some(end) = end.checked_sub(WIDE_LEN as u64) else { return Ok(None) };
        let closing = archive.read_at(end, WIDE_LEN as u64)?;
        if !closing.starts_with(&WIDE_CLOSING) {
            return Ok(None);
        }
        let (length, directory) = (read_u64(&closing, 40), read_u64(&closing, 48));
        Ok(end.checked_sub(length).map(|start| Self { start, directory }))
    }
}

/// A name as it can be shown. One that the format allows is left as it is.
fn printable_name(name: &[u8]) -> String {
    let name = single_line(&String::from_utf8_lossy(name), 1024);
    if name.is_empty() { "a file without a name".to_owned() } else { name }
}

/// So many bytes, or fewer at the end.
fn read_up_to(from: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A number, or if it did not fit the one at this position of the extra field.
fn zip64_value(number: u64, extra: &[u8], position: usize) -> u64 {
    if number < WIDE || extra.len() < 4 + 8 * (position + 1) { number } else { read_u64(extra, 4 + 8 * position) }
}

fn read_u16(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes_at(bytes, at))
}

fn read_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes_at(bytes, at))
}

fn read_u64(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes_at(bytes, at))
}

/// Bytes from a place on; zeros where there are none.
fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..at + N).and_then(|found| found.try_into().ok()).unwrap_or([0; N])
}
