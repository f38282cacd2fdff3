//! What checking a bundle came to.

use std::{collections::HashMap, fmt};

use ibid_domain::Sha256;
use serde::Serialize;

use crate::record::BundleKind;

/// Name reported for a fault before the first file.
pub const START: &str = "the start of the archive";

/// Name reported for a fault in the end record: changed, missing or followed by extra bytes.
pub const END: &str = "the end of the archive";

/// Result of verifying a bundle: counts, faults and what could not be checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct VerificationReport {
    /// The bundle's digest: the SHA-256 of its manifest. None if the manifest cannot be relied on.
    pub digest: Option<Sha256>,
    /// Kind of the bundle; `None` if the manifest cannot be read.
    pub kind: Option<BundleKind>,
    /// The id of the message or document.
    pub id: Option<String>,
    /// Number of files in the bundle.
    pub files: u64,
    /// Size of the archive in bytes.
    pub bytes: u64,
    /// Number of citations in the bundle.
    pub citations: u64,
    /// Number of quotes found word for word at their stated position.
    pub quotes_checked: u64,
    /// The numbers of the citations whose words or file are not in the bundle, once for each.
    pub absent: Vec<u32>,
    /// Files of a newer version of the format, whose bytes were checked, but not whether they agree with the citations.
    pub unchecked: Vec<String>,
    /// All faults found, at most one per file.
    pub faults: Vec<BundleFault>,
}

impl VerificationReport {
    /// Returns true if no fault was found.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }
}

/// Something wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BundleFault {
    /// Its path, or [`START`] or [`END`].
    pub file: String,
    /// Description of the fault, worded as a continuation of the path.
    pub what: String,
}

impl fmt::Display for BundleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.file, self.what)
    }
}

/// Collects faults during verification, at most one per file.
#[derive(Debug, Default)]
pub(crate) struct FaultCollector {
    found: Vec<(BundleFault, u64)>,
    places: HashMap<String, usize>,
}

impl FaultCollector {
    /// Something is wrong with the bytes of a file. Whatever else is wrong with it follows from that or is the same.
    pub(crate) fn add_damage(&mut self, file: &str, what: impl Into<String>) {
        if !self.has_fault(file) {
            self.insert_fault(file, what.into());
        }
    }

    /// Something is wrong with what a file says. Of several such things the first is told, the others are counted.
    pub(crate) fn add_mismatch(&mut self, file: &str, what: impl Into<String>) {
        match self.places.get(file) {
            Some(&place) => self.found[place].1 += 1,
            None => self.insert_fault(file, what.into()),
        }
    }

    /// Returns true if a fault was already recorded for a file.
    pub(crate) fn has_fault(&self, file: &str) -> bool {
        self.places.contains_key(file)
    }

    /// Returns true if no fault was recorded yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All of them, in the order they were found.
    pub(crate) fn into_vec(self) -> Vec<BundleFault> {
        let told = |(fault, more): (BundleFault, u64)| match more {
            0 => fault,
            _ => BundleFault { what: format!("{} (and {more} more)", fault.what), ..fault },
        };
        self.found.into_iter().map(told).collect()
    }

    fn insert_fault(&mut self, file: &str, what: String) {
        self.places.insert(file.to_owned(), self.found.len());
        self.found.push((BundleFault { file: file.to_owned(), what }, 0));
    }
}
