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
pub enum Format {
    /// BibTeX and BibLaTeX.
    Bibtex,
    /// RIS: lines such as `TY  - JOUR`.
    Ris,
    /// PubMed's own: lines such as `PMID- 1`.
    Medline,
    /// CSL-JSON.
    CslJson,
}

impl Format {
    /// Every format.
    pub const ALL: &[Self] = &[Self::Bibtex, Self::Ris, Self::Medline, Self::CslJson];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bibtex => "bibtex",
            Self::Ris => "ris",
            Self::Medline => "medline",
            Self::CslJson => "csl-json",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.as_str() == name)
    }

    /// The format that the text is in, by its own words.
    pub fn of(text: &str) -> Option<Self> {
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
pub struct Entry {
    /// What the file calls it: a citation key or an identifier. Files repeat them.
    pub key: Option<String>,
    /// The type it has in the file's own words, such as `inproceedings` or `JOUR`.
    pub kind: String,
    /// Where it can be read. Not made up from a DOI.
    pub url: Option<String>,
    /// When someone read it there.
    pub accessed: Option<PartialDate>,
    /// What it says about itself; `genre` is the type in the words of CSL.
    pub reference: Reference,
    /// Its keywords.
    pub tags: Vec<String>,
    /// The line it begins on, from 1; 0 where lines mean nothing.
    pub line: usize,
}

/// Something that was wrong with an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryProblem {
    /// The line it was found on, from 1, where lines mean something.
    pub line: Option<usize>,
    /// The key of the entry.
    pub key: Option<String>,
    /// What was wrong, and what was made of it.
    pub message: String,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The entries in the order of the file.
    pub entries: Vec<Entry>,
    /// What was wrong, by entry; at most [`MOST_PROBLEMS`].
    pub problems: Vec<EntryProblem>,
}

impl Imported {
    fn problem(&mut self, line: usize, key: Option<&str>, message: impl Into<String>) {
        if self.problems.len() < MOST_PROBLEMS {
            let line = (line > 0).then_some(line);
            self.problems.push(EntryProblem { line, key: key.map(str::to_owned), message: message.into() });
        }
    }

    /// Adds an entry; a file with too many ends there.
    fn add(&mut self, entry: Entry) -> Result<(), ImportError> {
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

/// Why nothing was read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// It is in no format that is known.
    #[error("this is not a bibliography in BibTeX, RIS, PubMed or CSL-JSON; export it again as one of these")]
    UnknownFormat,
    /// It is not what it was said to be.
    #[error("the file is not valid {format}: {detail}")]
    Damaged {
        /// The format it was read as.
        format: &'static str,
        /// What was wrong.
        detail: String,
    },
    /// The text is too long.
    #[error("the file has more than 64 MiB; split it into several")]
    TooLarge,
    /// There are too many entries.
    #[error("the file has more than 100,000 entries; split it into several")]
    TooMany,
}

/// Reads a bibliography. Without a format, the text decides.
pub fn read(text: &str, format: Option<Format>) -> Result<Imported, ImportError> {
    if text.len() > MOST_BYTES {
        return Err(ImportError::TooLarge);
    }
    let text = text.trim_start_matches('\u{feff}');
    match format.or_else(|| Format::of(text)).ok_or(ImportError::UnknownFormat)? {
        Format::Bibtex => bibtex::read(text),
        Format::Ris => ris::read(text, ris::Dialect::Ris),
        Format::Medline => ris::read(text, ris::Dialect::Medline),
        Format::CslJson => csl::read(text),
    }
}
