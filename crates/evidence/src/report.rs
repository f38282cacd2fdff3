//! What checking a bundle came to.

use std::{collections::HashMap, fmt};

use ibid_domain::Sha256;
use serde::Serialize;

use crate::record::Kind;

/// What is named where something stands before the first file.
pub const START: &str = "the start of the archive";

/// What is named where the end is changed, missing or followed by something.
pub const END: &str = "the end of the archive";

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The bundle's digest: the SHA-256 of its manifest. None if the manifest cannot be relied on.
    pub digest: Option<Sha256>,
    /// What it is about.
    pub kind: Option<Kind>,
    /// The id of the message or document.
    pub id: Option<String>,
    /// How many files it has.
    pub files: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// How many citations it has.
    pub citations: u64,
    /// How many of their quotes stand word for word where they say.
    pub quotes_checked: u64,
    /// The numbers of the citations whose words or file are not in the bundle, once for each.
    pub absent: Vec<u32>,
    /// Files of a newer version of the format, whose bytes were checked, but not whether they agree with the citations.
    pub unchecked: Vec<String>,
    /// What is wrong, each file once.
    pub faults: Vec<Fault>,
}

impl Report {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }
}

/// Something wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Its path, or [`START`] or [`END`].
    pub file: String,
    /// What is wrong: goes on where the path ends.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.file, self.what)
    }
}

/// Faults as they are found.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    found: Vec<(Fault, u64)>,
    places: HashMap<String, usize>,
}

impl Faults {
    /// Something is wrong with the bytes of a file. Whatever else is wrong with it follows from that or is the same.
    pub(crate) fn bytes(&mut self, file: &str, what: impl Into<String>) {
        if !self.has(file) {
            self.place(file, what.into());
        }
    }

    /// Something is wrong with what a file says. Of several such things the first is told, the others are counted.
    pub(crate) fn meaning(&mut self, file: &str, what: impl Into<String>) {
        match self.places.get(file) {
            Some(&place) => self.found[place].1 += 1,
            None => self.place(file, what.into()),
        }
    }

    /// Whether something is wrong with a file.
    pub(crate) fn has(&self, file: &str) -> bool {
        self.places.contains_key(file)
    }

    /// Whether nothing is wrong yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All of them, in the order they were found.
    pub(crate) fn into_vec(self) -> Vec<Fault> {
        let told = |(fault, more): (Fault, u64)| match more {
            0 => fault,
            _ => Fault { what: format!("{} (and {more} more)", fault.what), ..fault },
        };
        self.found.into_iter().map(told).collect()
    }

    fn place(&mut self, file: &str, what: String) {
        self.places.insert(file.to_owned(), self.found.len());
        self.found.push((Fault { file: file.to_owned(), what }, 0));
    }
}
