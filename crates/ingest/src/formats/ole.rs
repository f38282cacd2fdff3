//! Compound files: the container of Office until 2003, of Outlook messages, and of objects put into documents.

use std::io::{Cursor, Read};

use super::{ExtractionContext, damaged_file};
use crate::ExtractionError;

pub(super) struct OleFile<'a> {
    file: cfb::CompoundFile<Cursor<&'a [u8]>>,
    reading: &'a ExtractionContext<'a>,
}

impl<'a> OleFile<'a> {
    pub fn open(bytes: &'a [u8], reading: &'a ExtractionContext<'a>) -> Result<Self, ExtractionError> {
        let file = cfb::CompoundFile::open(Cursor::new(bytes))
            .map_err(|error| damaged_file(format!("its container cannot be opened ({error})")))?;
        Ok(Self { file, reading })
    }

    /// The bytes of a stream, or nothing if there is none of that name.
    pub fn read_stream(&mut self, path: &str) -> Result<Option<Vec<u8>>, ExtractionError> {
        if !self.file.is_stream(path) {
            return Ok(None);
        }
        let left = self.reading.bytes_left();
        let mut bytes = Vec::new();
        let stream =
            self.file.open_stream(path).map_err(|error| damaged_file(format!("{path} cannot be read ({error})")))?;
        let result = stream.take(left.saturating_add(1)).read_to_end(&mut bytes);
        self.reading.count_unpacked(bytes.len() as u64)?;
        result.map_err(|error| damaged_file(format!("{path} cannot be read ({error})")))?;
        Ok(Some(bytes))
    }

    /// Returns the names of the entries in a folder.
    pub fn entry_names(&self, path: &str) -> Vec<String> {
        let Ok(entries) = self.file.read_storage(path) else { return Vec::new() };
        entries.take(self.reading.limits.entries).map(|entry| entry.name().to_owned()).collect()
    }

    pub fn has_entry(&self, path: &str) -> bool {
        self.file.exists(path)
    }
}

/// Extracts the file inside an embedded OLE object; other bytes are returned unchanged.
pub(super) fn unwrap_embedded_object(
    name: &str,
    bytes: Vec<u8>,
    reading: &ExtractionContext,
) -> Result<(String, Vec<u8>), ExtractionError> {
    if !bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) {
        return Ok((name.to_owned(), bytes));
    }
    let found = {
        let Ok(mut file) = OleFile::open(&bytes, reading) else { return Ok((name.to_owned(), bytes)) };
        if let Some(native) = file.read_stream("/\u{1}Ole10Native")? {
            native_package(&native)
        } else if let Some(package) = file.read_stream("/Package")? {
            Some((name.to_owned(), package))
        } else {
            file.read_stream("/CONTENTS")?.map(|contents| (name.to_owned(), contents))
        }
    };
    Ok(found.unwrap_or_else(|| (name.to_owned(), bytes)))
}

/// "Package" objects: a size, a label, paths, and the file itself.
fn native_package(bytes: &[u8]) -> Option<(String, Vec<u8>)> {
    let mut at = 6;
    let string = |at: &mut usize| {
        let rest = bytes.get(*at..)?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        *at += end + 1;
        Some(encoding_rs::WINDOWS_1252.decode_without_bom_handling(&rest[..end]).0.into_owned())
    };
    let label = string(&mut at)?;
    let _path = string(&mut at)?;
    at += 4;
    let length = u32_at(bytes, at)? as usize;
    at += 4 + length;
    let size = u32_at(bytes, at)? as usize;
    let data = bytes.get(at + 4..)?;
    Some((label, data[..size.min(data.len())].to_vec()))
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// Little-endian UTF-16, without what follows a zero.
pub(super) fn utf_16(bytes: &[u8]) -> String {
    let (text, _) = encoding_rs::UTF_16LE.decode_without_bom_handling(bytes);
    text.trim_end_matches('\0').to_owned()
}

/// A time in tenths of microseconds since 1601, as a day.
pub(super) fn day_of_filetime(ticks: u64) -> Option<ibid_domain::PartialDate> {
    let days = i64::try_from(ticks / 10 / 1_000_000 / 86_400).ok()?;
    let date = jiff::civil::date(1601, 1, 1).checked_add(jiff::Span::new().try_days(days).ok()?).ok()?;
    ibid_domain::PartialDate::new(date.year(), Some(date.month()), Some(date.day()))
}
