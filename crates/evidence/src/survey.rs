//! What an archive says of itself: its files as they follow one another, and as its directory lists them.
//!
//! Nothing of it is believed. It helps to find a manifest whose header is damaged, files that were moved by a change
//! before them, and files that the manifest does not know.

use std::io::{self, BufReader, Read, Seek};

use ibid_domain::text::line;

use crate::{
    MAX_FILES, PIECE,
    archive::Archive,
    container::{CLOSING, CLOSING_LEN, LOCAL, LOCAL_HEAD, Planned, RECORD, RECORD_HEAD, WIDE, WIDE_CLOSING, WIDE_LEN},
};

/// A file as a header or a record of the directory has it.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) name: String,
    /// Where that header or record is.
    pub(crate) place: u64,
    /// Where the file's header may be.
    pub(crate) headers: Vec<u64>,
    pub(crate) size: u64,
    pub(crate) crc: u32,
}

/// All that was seen.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Files one after the other from the beginning, as far as one leads to the next.
    pub(crate) files: Vec<Seen>,
    /// Records of the directory, as far as one leads to the next.
    pub(crate) records: Vec<Seen>,
    /// Whether the files lead up to the directory.
    is_whole: bool,
}

impl Survey {
    pub(crate) fn of<R: Read + Seek>(archive: &mut Archive<R>) -> io::Result<Self> {
        let mut survey = Self::default();
        let end = survey.walk(archive)?;
        let said = Closing::of(archive)?;
        let start = if survey.is_whole { Some(end) } else { said.as_ref().map(|said| said.start) };
        if let Some(start) = start {
            // Where the directory is not where the end says, the files are moved as much as it.
            let moved = said.map_or(0, |said| start.wrapping_sub(said.directory));
            survey.list(archive, start, moved)?;
        }
        Ok(survey)
    }

    /// The files as the archive has them, for want of a manifest.
    pub(crate) fn plan(&self) -> Vec<Planned> {
        let best = if self.is_whole || self.files.len() > self.records.len() { &self.files } else { &self.records };
        best.iter().map(|seen| Planned { name: seen.name.clone(), size: seen.size, sha256: None }).collect()
    }

    /// Walks from header to header, and says where it ended.
    fn walk<R: Read + Seek>(&mut self, archive: &mut Archive<R>) -> io::Result<u64> {
        let mut place = 0;
        while self.files.len() < MAX_FILES {
            let head = archive.read(place, LOCAL_HEAD as u64)?;
            if head.starts_with(&RECORD) {
                self.is_whole = true;
                break;
            }
            if head.len() < LOCAL_HEAD || !head.starts_with(&LOCAL) {
                break;
            }
            let (name_len, extra_len) = (u64::from(short(&head, 26)), u64::from(short(&head, 28)));
            let rest = archive.read(place + LOCAL_HEAD as u64, name_len + extra_len)?;
            if (rest.len() as u64) < name_len + extra_len {
                break;
            }
            let (name, extra) = rest.split_at(name_len as usize);
            let size = wide(u64::from(int(&head, 22)), extra, 1);
            self.files.push(Seen { name: shown(name), place, headers: vec![place], size, crc: int(&head, 14) });
            place = place.saturating_add(LOCAL_HEAD as u64 + name_len + extra_len).saturating_add(size);
        }
        Ok(place)
    }

    /// Lists the records of the directory.
    fn list<R: Read + Seek>(&mut self, archive: &mut Archive<R>, start: u64, moved: u64) -> io::Result<()> {
        let mut from = BufReader::with_capacity(PIECE, archive.stream(start, u64::MAX)?);
        let mut place = start;
        while self.records.len() < MAX_FILES {
            let head = some(&mut from, RECORD_HEAD)?;
            if head.len() < RECORD_HEAD || !head.starts_with(&RECORD) {
                break;
            }
            let [name_len, extra_len, comment_len] = [28, 30, 32].map(|at| usize::from(short(&head, at)));
            let name = some(&mut from, name_len)?;
            let extra = some(&mut from, extra_len)?;
            let comment = some(&mut from, comment_len)?;
            if comment.len() < comment_len || extra.len() < extra_len || name.len() < name_len {
                break;
            }
            let size = u64::from(int(&head, 24));
            let offset = wide(u64::from(int(&head, 42)), &extra, if size >= WIDE { 2 } else { 0 });
            self.records.push(Seen {
                name: shown(&name),
                place,
                headers: vec![offset, offset.wrapping_add(moved)],
                size: wide(size, &extra, 0),
                crc: int(&head, 16),
            });
            place += (RECORD_HEAD + name.len() + extra.len() + comment.len()) as u64;
        }
        Ok(())
    }
}

/// What the end says of the directory.
struct Closing {
    /// Where the directory begins if it reaches up to the end.
    start: u64,
    /// Where it begins by its own account.
    directory: u64,
}

impl Closing {
    fn of<R: Read + Seek>(archive: &mut Archive<R>) -> io::Result<Option<Self>> {
        let Some(end) = archive.len().checked_sub(CLOSING_LEN as u64) else { return Ok(None) };
        let closing = archive.read(end, CLOSING_LEN as u64)?;
        if closing.len() < CLOSING_LEN || !closing.starts_with(&CLOSING) {
            return Ok(None);
        }
        let (length, directory) = (u64::from(int(&closing, 12)), u64::from(int(&closing, 16)));
        if length < WIDE && directory < WIDE {
            return Ok(end.checked_sub(length).map(|start| Self { start, directory }));
        }
        let Some(end) = end.checked_sub(WIDE_LEN as u64) else { return Ok(None) };
        let closing = archive.read(end, WIDE_LEN as u64)?;
        if !closing.starts_with(&WIDE_CLOSING) {
            return Ok(None);
        }
        let (length, directory) = (long(&closing, 40), long(&closing, 48));
        Ok(end.checked_sub(length).map(|start| Self { start, directory }))
    }
}

/// A name as it can be shown. One that the format allows is left as it is.
fn shown(name: &[u8]) -> String {
    let name = line(&String::from_utf8_lossy(name), 1024);
    if name.is_empty() { "a file without a name".to_owned() } else { name }
}

/// So many bytes, or fewer at the end.
fn some(from: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A number, or if it did not fit the one at this position of the extra field.
fn wide(number: u64, extra: &[u8], position: usize) -> u64 {
    if number < WIDE || extra.len() < 4 + 8 * (position + 1) { number } else { long(extra, 4 + 8 * position) }
}

fn short(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(bytes, at))
}

fn int(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(bytes, at))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(bytes, at))
}

/// Bytes from a place on; zeros where there are none.
fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..at + N).and_then(|found| found.try_into().ok()).unwrap_or([0; N])
}
