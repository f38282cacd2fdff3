//! A zip container, opened so that it can never unpack to more than is allowed.

use std::{
    collections::HashMap,
    io::{Cursor, Read},
};

use zip::{ZipArchive, result::ZipError};

use super::{ExtractionContext, damaged_file};
use crate::ExtractionError;

/// An entry that unpacks to this many times its size, and to more than [`SMALL`], is a bomb. Deflate itself reaches a
/// thousand only on input without content.
const RATIO: u64 = 1000;
const SMALL: u64 = 16 * 1024 * 1024;

pub(super) struct ZipContainer<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    names: HashMap<String, usize>,
    /// Names in the order of the container.
    order: Vec<String>,
    reading: &'a ExtractionContext<'a>,
}

impl<'a> ZipContainer<'a> {
    pub fn open(bytes: &'a [u8], reading: &'a ExtractionContext<'a>) -> Result<Self, ExtractionError> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(to_extraction_error)?;
        if zip.len() > reading.limits.entries {
            return Err(ExtractionError::TooLarge(format!("it has more than {} entries", reading.limits.entries)));
        }
        let mut names = HashMap::new();
        let mut order = Vec::new();
        for index in 0..zip.len() {
            if let Some(Ok(name)) = zip.name_for_index(index) {
                let name = name.replace('\\', "/");
                names.insert(normalize_entry_name(&name), index);
                order.push(name);
            }
        }
        Ok(Self { zip, names, order, reading })
    }

    pub fn entry_names(&self) -> &[String] {
        &self.order
    }

    pub fn has_entry(&self, name: &str) -> bool {
        self.names.contains_key(&normalize_entry_name(name))
    }

    /// The bytes of an entry, or nothing if there is none of that name.
    pub fn read_entry(&mut self, name: &str) -> Result<Option<Vec<u8>>, ExtractionError> {
        let Some(&index) = self.names.get(&normalize_entry_name(name)) else { return Ok(None) };
        let left = self.reading.bytes_left();
        let mut entry = self.zip.by_index(index).map_err(to_extraction_error)?;
        let packed = entry.compressed_size();
        let most = left.min(packed.saturating_mul(RATIO).max(SMALL));
        let mut bytes = Vec::with_capacity(entry.size().min(most).min(SMALL) as usize);
        // Declared sizes lie; what counts is what comes out.
        let result = entry.by_ref().take(most.saturating_add(1)).read_to_end(&mut bytes);
        self.reading.count_unpacked(bytes.len() as u64)?;
        if bytes.len() as u64 > most {
            return Err(self.reading.too_much());
        }
        result.map_err(|error| damaged_file(format!("{name} cannot be unpacked ({error})")))?;
        Ok(Some(bytes))
    }

    /// The text of an XML entry, or nothing if there is none of that name.
    pub fn read_xml_entry(&mut self, name: &str) -> Result<Option<String>, ExtractionError> {
        Ok(self.read_entry(name)?.map(super::text::decode_xml))
    }
}

/// Names in containers differ in case and in leading slashes between writers.
fn normalize_entry_name(name: &str) -> String {
    name.trim_start_matches('/').to_ascii_lowercase()
}

fn to_extraction_error(error: ZipError) -> ExtractionError {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) | ZipError::InvalidPassword => {
            ExtractionError::Encrypted
        }
        error => damaged_file(format!("its container cannot be opened ({error})")),
    }
}
