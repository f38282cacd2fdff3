//! How a bundle lies in the zip file.
//!
//! Files are stored, not packed, one after the other: the manifest, the sums, then the others by path. Nothing is left
//! open: no times, no extra fields but those of files beyond 4 GiB, no descriptors, no comment, nothing between two
//! files. So names and contents say what every byte must be.

use ibid_domain::Sha256;

/// Where a file, a record of the directory and the end begin.
pub(crate) const LOCAL: [u8; 4] = *b"PK\x03\x04";
pub(crate) const RECORD: [u8; 4] = *b"PK\x01\x02";
pub(crate) const CLOSING: [u8; 4] = *b"PK\x05\x06";
pub(crate) const WIDE_CLOSING: [u8; 4] = *b"PK\x06\x06";
const LOCATOR: [u8; 4] = *b"PK\x06\x07";

/// What stands before the name in a file's header and in its record, and how long the ends are.
pub(crate) const LOCAL_HEAD: usize = 30;
pub(crate) const RECORD_HEAD: usize = 46;
pub(crate) const CLOSING_LEN: usize = 22;
pub(crate) const WIDE_LEN: usize = 56 + 20;

/// From here on a number does not fit into its field, and stands in an extra field instead.
pub(crate) const WIDE: u64 = u32::MAX as u64;

/// 1 January 1980, the day on which zip's time begins.
const DATE: u16 = 0x21;
/// Names are in UTF-8.
const FLAGS: u16 = 0x800;
/// Made on Unix: a file that everyone may read.
const UNIX: u16 = 3 << 8;
const MODE: u32 = 0o100644 << 16;

/// What is known of a file before its place is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Planned {
    pub(crate) name: String,
    pub(crate) size: u64,
    /// What its bytes must hash to, if that is known.
    pub(crate) sha256: Option<Sha256>,
}

/// The bytes before a file's content.
pub(crate) fn local_header(name: &str, size: u64, crc: u32) -> Vec<u8> {
    let wide = size >= WIDE;
    let mut bytes = Vec::with_capacity(LOCAL_HEAD + name.len() + 20);
    bytes.extend(LOCAL);
    common(&mut bytes, version(wide), crc, size);
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend((if wide { 20_u16 } else { 0 }).to_le_bytes());
    bytes.extend(name.as_bytes());
    if wide {
        extra(&mut bytes, &[size, size]);
    }
    bytes
}

/// The record of a file in the directory.
pub(crate) fn record(name: &str, size: u64, crc: u32, offset: u64) -> Vec<u8> {
    let mut wide = Vec::new();
    if size >= WIDE {
        wide.extend([size, size]);
    }
    if offset >= WIDE {
        wide.push(offset);
    }
    let mut bytes = Vec::with_capacity(RECORD_HEAD + name.len() + 28);
    bytes.extend(RECORD);
    bytes.extend((UNIX | version(!wide.is_empty())).to_le_bytes());
    common(&mut bytes, version(!wide.is_empty()), crc, size);
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend((if wide.is_empty() { 0 } else { 4 + 8 * wide.len() as u16 }).to_le_bytes());
    // No comment, on the first disk, binary.
    bytes.extend([0; 6]);
    bytes.extend(MODE.to_le_bytes());
    bytes.extend(narrow(offset).to_le_bytes());
    bytes.extend(name.as_bytes());
    if !wide.is_empty() {
        extra(&mut bytes, &wide);
    }
    bytes
}

/// The end of the archive.
pub(crate) fn closing(files: usize, directory: u64, directory_len: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(WIDE_LEN + CLOSING_LEN);
    if is_wide(directory, directory_len) {
        let version = version(true);
        bytes.extend(WIDE_CLOSING);
        bytes.extend(44_u64.to_le_bytes());
        bytes.extend((UNIX | version).to_le_bytes());
        bytes.extend(version.to_le_bytes());
        bytes.extend([0; 8]);
        for number in [files as u64, files as u64, directory_len, directory] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(LOCATOR);
        bytes.extend([0; 4]);
        bytes.extend(directory.saturating_add(directory_len).to_le_bytes());
        bytes.extend(1_u32.to_le_bytes());
    }
    bytes.extend(CLOSING);
    bytes.extend([0; 4]);
    bytes.extend((files as u16).to_le_bytes());
    bytes.extend((files as u16).to_le_bytes());
    bytes.extend(narrow(directory_len).to_le_bytes());
    bytes.extend(narrow(directory).to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

/// Version, flags, method, time, check and sizes, which header and record share.
fn common(bytes: &mut Vec<u8>, version: u16, crc: u32, size: u64) {
    for number in [version, FLAGS, 0, 0, DATE] {
        bytes.extend(number.to_le_bytes());
    }
    for number in [crc, narrow(size), narrow(size)] {
        bytes.extend(number.to_le_bytes());
    }
}

/// The extra field for numbers that do not fit.
fn extra(bytes: &mut Vec<u8>, numbers: &[u64]) {
    bytes.extend(1_u16.to_le_bytes());
    bytes.extend((8 * numbers.len() as u16).to_le_bytes());
    for number in numbers {
        bytes.extend(number.to_le_bytes());
    }
}

const fn version(wide: bool) -> u16 {
    if wide { 45 } else { 20 }
}

fn narrow(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

const fn is_wide(directory: u64, directory_len: u64) -> bool {
    directory >= WIDE || directory_len >= WIDE
}

/// Where everything stands if the files are these.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Where each file's header begins.
    pub(crate) files: Vec<u64>,
    /// Where each file's record begins.
    pub(crate) records: Vec<u64>,
    /// Where the end begins.
    pub(crate) end: u64,
    /// How long all of it is.
    pub(crate) len: u64,
}

impl Layout {
    /// Sizes may be anything: what is too large for a file lies beyond the end of each.
    pub(crate) fn of(plan: &[Planned]) -> Self {
        let mut place = 0_u64;
        let mut files = Vec::with_capacity(plan.len());
        for file in plan {
            files.push(place);
            place = place.saturating_add(header_len(file) as u64).saturating_add(file.size);
        }
        let mut records = Vec::with_capacity(plan.len());
        for (file, offset) in plan.iter().zip(&files) {
            records.push(place);
            place = place.saturating_add(record_len(file, *offset) as u64);
        }
        let mut layout = Self { files, records, end: place, len: place };
        layout.len = place.saturating_add(layout.closing_len() as u64);
        layout
    }

    /// The bytes of the end.
    pub(crate) fn closing(&self) -> Vec<u8> {
        closing(self.files.len(), self.directory(), self.end - self.directory())
    }

    /// How many bytes the end has.
    pub(crate) fn closing_len(&self) -> usize {
        let wide = is_wide(self.directory(), self.end - self.directory());
        if wide { WIDE_LEN + CLOSING_LEN } else { CLOSING_LEN }
    }

    /// Where the directory begins.
    fn directory(&self) -> u64 {
        self.records.first().copied().unwrap_or(self.end)
    }
}

/// How many bytes stand before a file's content.
pub(crate) fn header_len(file: &Planned) -> usize {
    LOCAL_HEAD + file.name.len() + if file.size >= WIDE { 20 } else { 0 }
}

/// How many bytes a file's record has.
pub(crate) fn record_len(file: &Planned, offset: u64) -> usize {
    let wide = 2 * usize::from(file.size >= WIDE) + usize::from(offset >= WIDE);
    RECORD_HEAD + file.name.len() + if wide == 0 { 0 } else { 4 + 8 * wide }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{holes, sized};

    #[test]
    fn other_programs_find_files_of_any_size() {
        for sizes in [
            [].as_slice(),
            &[0, 1, 1000],
            &[WIDE - 1, 3],
            &[WIDE, 3],
            &[5 << 30, 7, 6 << 30, 9],
            &[3 << 30, 3 << 30, 2],
        ] {
            let plan = sized(sizes);
            let layout = Layout::of(&plan);
            let mut zip = zip::ZipArchive::new(holes(&plan)).unwrap();
            assert_eq!(zip.len(), plan.len());
            for (at, file) in plan.iter().enumerate() {
                let found = zip.by_index(at).unwrap();
                assert_eq!((&*found.name().unwrap(), found.size()), (file.name.as_str(), file.size), "{sizes:?}");
                assert_eq!(found.header_start(), layout.files[at]);
                assert_eq!(found.data_start(), Some(layout.files[at] + header_len(file) as u64));
                assert_eq!(found.central_header_start(), layout.records[at]);
            }
        }
    }

    #[test]
    fn sizes_without_measure_lie_beyond_everything() {
        let layout = Layout::of(&sized(&[u64::MAX, u64::MAX, 1]));
        assert_eq!(layout.len, u64::MAX);
    }
}
