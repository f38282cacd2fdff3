//! How a bundle lies in the zip file.
//!
//! Files are stored, not packed, one after the other: the manifest, the sums, then the others by path. Nothing is left
//! open: no times, no extra fields but those of files beyond 4 GiB, no descriptors, no comment, nothing between two
//! files. So names and contents say what every byte must be.

use ibid_domain::Sha256;

/// Zip signatures: local file header, directory record, end record, zip64 end record and zip64 locator.
pub(crate) const LOCAL: [u8; 4] = *b"PK\x03\x04";
pub(crate) const RECORD: [u8; 4] = *b"PK\x01\x02";
pub(crate) const CLOSING: [u8; 4] = *b"PK\x05\x06";
pub(crate) const WIDE_CLOSING: [u8; 4] = *b"PK\x06\x06";
const LOCATOR: [u8; 4] = *b"PK\x06\x07";

/// Lengths in bytes: local header and directory record up to the name, end record, and zip64 end record with its
/// locator.
pub(crate) const LOCAL_HEAD: usize = 30;
pub(crate) const RECORD_HEAD: usize = 46;
pub(crate) const CLOSING_LEN: usize = 22;
pub(crate) const WIDE_LEN: usize = 56 + 20;

/// From here on a number does not fit into its field, and stands in an extra field instead.
pub(crate) const WIDE: u64 = u32::MAX as u64;

/// 1 January 1980, the day on which zip's time begins.
const DATE: u16 = 0x21;
/// Flag bit for file names in UTF-8.
const FLAGS: u16 = 0x800;
/// Made on Unix: a file that everyone may read.
const UNIX: u16 = 3 << 8;
const MODE: u32 = 0o100644 << 16;

/// A file whose position in the archive is not yet computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlannedFile {
    pub(crate) name: String,
    pub(crate) size: u64,
    /// Expected hash of its bytes; `None` if there is no manifest.
    pub(crate) sha256: Option<Sha256>,
}

/// The bytes before a file's content.
pub(crate) fn local_header(name: &str, size: u64, crc: u32) -> Vec<u8> {
    let wide = size >= WIDE;
    let mut bytes = Vec::with_capacity(LOCAL_HEAD + name.len() + 20);
    bytes.extend(LOCAL);
    push_shared_fields(&mut bytes, zip_version(wide), crc, size);
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend((if wide { 20_u16 } else { 0 }).to_le_bytes());
    bytes.extend(name.as_bytes());
    if wide {
        push_extra_field(&mut bytes, &[size, size]);
    }
    bytes
}

/// The record of a file in the directory.
pub(crate) fn directory_record(name: &str, size: u64, crc: u32, offset: u64) -> Vec<u8> {
    let mut wide = Vec::new();
    if size >= WIDE {
        wide.extend([size, size]);
    }
    if offset >= WIDE {
        wide.push(offset);
    }
    let mut bytes = Vec::with_capacity(RECORD_HEAD + name.len() + 28);
    bytes.extend(RECORD);
    bytes.extend((UNIX | zip_version(!wide.is_empty())).to_le_bytes());
    push_shared_fields(&mut bytes, zip_version(!wide.is_empty()), crc, size);
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend((if wide.is_empty() { 0 } else { 4 + 8 * wide.len() as u16 }).to_le_bytes());
    // No comment, on the first disk, binary.
    bytes.extend([0; 6]);
    bytes.extend(MODE.to_le_bytes());
    bytes.extend(clamp_to_u32(offset).to_le_bytes());
    bytes.extend(name.as_bytes());
    if !wide.is_empty() {
        push_extra_field(&mut bytes, &wide);
    }
    bytes
}

/// Returns the bytes of the end of central directory record, with the zip64 records if needed.
pub(crate) fn end_record(files: usize, directory: u64, directory_len: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(WIDE_LEN + CLOSING_LEN);
    if is_wide(directory, directory_len) {
        let version = zip_version(true);
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
    bytes.extend(clamp_to_u32(directory_len).to_le_bytes());
    bytes.extend(clamp_to_u32(directory).to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

/// Version, flags, method, time, check and sizes, which header and record share.
fn push_shared_fields(bytes: &mut Vec<u8>, version: u16, crc: u32, size: u64) {
    for number in [version, FLAGS, 0, 0, DATE] {
        bytes.extend(number.to_le_bytes());
    }
    for number in [crc, clamp_to_u32(size), clamp_to_u32(size)] {
        bytes.extend(number.to_le_bytes());
    }
}

/// The extra field for numbers that do not fit.
fn push_extra_field(bytes: &mut Vec<u8>, numbers: &[u64]) {
    bytes.extend(1_u16.to_le_bytes());
    bytes.extend((8 * numbers.len() as u16).to_le_bytes());
    for number in numbers {
        bytes.extend(number.to_le_bytes());
    }
}

const fn zip_version(wide: bool) -> u16 {
    if wide { 45 } else { 20 }
}

fn clamp_to_u32(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

const fn is_wide(directory: u64, directory_len: u64) -> bool {
    directory >= WIDE || directory_len >= WIDE
}

/// Expected positions of all parts of an archive with the given files.
#[derive(Debug)]
pub(crate) struct ZipLayout {
    /// Position of each local file header.
    pub(crate) files: Vec<u64>,
    /// Position of each record in the central directory.
    pub(crate) records: Vec<u64>,
    /// Position of the end of central directory record.
    pub(crate) end: u64,
    /// Length of the whole archive in bytes.
    pub(crate) len: u64,
}

impl ZipLayout {
    /// Sizes may be anything: what is too large for a file lies beyond the end of each.
    pub(crate) fn for_files(plan: &[PlannedFile]) -> Self {
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

    /// Returns the bytes of the end of central directory record.
    pub(crate) fn end_bytes(&self) -> Vec<u8> {
        end_record(self.files.len(), self.directory_start(), self.end - self.directory_start())
    }

    /// Returns the length of the end of central directory record in bytes.
    pub(crate) fn closing_len(&self) -> usize {
        let wide = is_wide(self.directory_start(), self.end - self.directory_start());
        if wide { WIDE_LEN + CLOSING_LEN } else { CLOSING_LEN }
    }

    /// Returns the position of the central directory.
    fn directory_start(&self) -> u64 {
        self.records.first().copied().unwrap_or(self.end)
    }
}

/// Returns the length of a local file header in bytes, with name and extra field.
pub(crate) fn header_len(file: &PlannedFile) -> usize {
    LOCAL_HEAD + file.name.len() + if file.size >= WIDE { 20 } else { 0 }
}

/// Returns the length of a file's record in the central directory in bytes.
pub(crate) fn record_len(file: &PlannedFile, offset: u64) -> usize {
    let wide = 2 * usize::from(file.size >= WIDE) + usize::from(offset >= WIDE);
    RECORD_HEAD + file.name.len() + if wide == 0 { 0 } else { 4 + 8 * wide }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{planned_sizes, sparse_archive};

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
            let plan = planned_sizes(sizes);
            let layout = ZipLayout::for_files(&plan);
            let mut zip = zip::ZipArchive::new(sparse_archive(&plan)).unwrap();
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
        let layout = ZipLayout::for_files(&planned_sizes(&[u64::MAX, u64::MAX, 1]));
        assert_eq!(layout.len, u64::MAX);
    }
}
