//! Bibliographies: from BibTeX and BibLaTeX, RIS, PubMed and CSL-JSON to references.
//!
//! Exports of real programs are rarely well-formed. So nothing here gives up on a file because of one entry: what can
//! be read of a broken entry is kept, and a problem says what was wrong and on which line.
//!
//! Start reading at [`read`].

mod bibtex;
mod bibtex_fields;
mod csl;
mod fields;
mod markup;
mod names;
mod ris;
mod tex;

use ibid_domain::{PartialDate, Reference};

/// A format of bibliographies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImportFormat {
    /// Covers both BibTeX and BibLaTeX.
    Bibtex,
    /// RIS: lines such as `TY  - JOUR`.
    Ris,
    /// PubMed's own: lines such as `PMID- 1`.
    Medline,
    /// CSL-JSON, also as Crossref writes it.
    CslJson,
}

impl ImportFormat {
    /// All formats that can be imported.
    pub const ALL: &[Self] = &[Self::Bibtex, Self::Ris, Self::Medline, Self::CslJson];

    /// Returns the stable name, such as `csl-json`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bibtex => "bibtex",
            Self::Ris => "ris",
            Self::Medline => "medline",
            Self::CslJson => "csl-json",
        }
    }

    /// Returns the format of that name, or `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.as_str() == name)
    }

    /// The format that the text is in, by its own words.
    pub fn detect_format(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with(['[', '{']) {
            return Some(Self::CslJson);
        }
        // A comment may stand before the first entry, but not a book.
        for line in text.lines().take(2000) {
            if ris::is_first_line(line) {
                return Some(Self::Ris);
            }
            if line.starts_with("PMID-") {
                return Some(Self::Medline);
            }
            if bibtex::is_first_line(line) {
                return Some(Self::Bibtex);
            }
        }
        None
    }
}

/// One entry of a bibliography.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceEntry {
    /// Citation key or identifier from the file; not unique within a file.
    pub key: Option<String>,
    /// The type it has in the file's own words, such as `inproceedings` or `JOUR`.
    pub kind: String,
    /// Web address from the file; never derived from a DOI.
    pub url: Option<String>,
    /// Date of access that the file states for the address.
    pub accessed: Option<PartialDate>,
    /// Bibliographic metadata of the entry; `genre` is the CSL type.
    pub reference: Reference,
    /// Keywords that the file lists for the entry.
    pub tags: Vec<String>,
    /// The line it begins on, from 1; 0 where lines mean nothing.
    pub line: usize,
}

/// Something that was wrong with an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryProblem {
    /// The line it was found on, from 1, where lines mean something.
    pub line: Option<usize>,
    /// Citation key of the entry, if it has one.
    pub key: Option<String>,
    /// Description of the problem and of the value used instead.
    pub message: String,
}

/// Entries and problems read from a bibliography file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedReferences {
    /// The entries in the order of the file.
    pub entries: Vec<ReferenceEntry>,
    /// Problems in file order; at most [`MOST_PROBLEMS`].
    pub problems: Vec<EntryProblem>,
}

impl ImportedReferences {
    fn add_problem(&mut self, line: usize, key: Option<&str>, message: impl Into<String>) {
        if self.problems.len() < MOST_PROBLEMS {
            let line = (line > 0).then_some(line);
            self.problems.push(EntryProblem { line, key: key.map(str::to_owned), message: message.into() });
        }
    }

    /// Adds an entry; a file with too many ends there.
    fn add_entry(&mut self, entry: ReferenceEntry) -> Result<(), ImportError> {
        if self.entries.len() >= MOST_ENTRIES {
            return Err(ImportError::TooMany);
        }
        self.entries.push(entry);
        Ok(())
    }
}

/// The longest text that is read, in bytes.
pub const MOST_BYTES: usize = 64 * 1024 * 1024;
/// The most entries that are read.
pub const MOST_ENTRIES: usize = 100_000;
/// The most problems that are told.
pub const MOST_PROBLEMS: usize = 10_000;

/// Reason why a bibliography file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// It is in no format that is known.
    #[error("this is not a bibliography in BibTeX, RIS, PubMed or CSL-JSON; export it again as one of these")]
    UnknownFormat,
    /// It is not what it was said to be.
    #[error("the file is not valid {format}: {detail}")]
    Damaged {
        /// Name of the format that the text was parsed as.
        format: &'static str,
        /// Error message of the parser.
        detail: String,
    },
    /// The text exceeds the size limit.
    #[error("the file has more than 64 MiB; split it into several")]
    TooLarge,
    /// There are too many entries.
    #[error("the file has more than 100,000 entries; split it into several")]
    TooMany,
}

/// Reads a bibliography. Without a format, the text decides.
pub fn read(text: &str, format: Option<ImportFormat>) -> Result<ImportedReferences, ImportError> {
    if text.len() > MOST_BYTES {
        return Err(ImportError::TooLarge);
    }
    let text = text.trim_start_matches('\u{feff}');
    match format.or_else(|| ImportFormat::detect_format(text)).ok_or(ImportError::UnknownFormat)? {
        ImportFormat::Bibtex => bibtex::read(text),
        ImportFormat::Ris => ris::read(text, ris::RisDialect::Ris),
        ImportFormat::Medline => ris::read(text, ris::RisDialect::Medline),
        ImportFormat::CslJson => csl::read(text),
    }
}
