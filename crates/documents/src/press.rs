//! Typst in this process: a text in, pages out. Nothing is fetched, and no file is opened.

use std::sync::OnceLock;

use typst::{
    Library, LibraryExt, World, WorldExt,
    diag::{FileError, FileResult, SourceDiagnostic},
    foundations::{Bytes, Datetime, Duration},
    syntax::{FileId, Source},
    text::{Font, FontBook},
    utils::LazyHash,
};
use typst_kit::fonts::FontStore;
use typst_layout::PagedDocument;
use typst_pdf::{PdfOptions, pdf};

/// Something in a text that cannot be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub message: String,
    /// What would be right, if that is known.
    pub hints: Vec<String>,
    /// The line, from 1, if it stands in one.
    pub line: Option<usize>,
    /// The column, from 1, in characters.
    pub column: Option<usize>,
}

/// A text of Typst's.
pub struct Sheet {
    main: Source,
}

impl Sheet {
    /// A text that stands alone.
    pub fn new(text: impl Into<String>) -> Self {
        Self { main: Source::detached(text) }
    }

    /// The pages as a PDF.
    pub fn pdf(&self) -> Result<Vec<u8>, Vec<Fault>> {
        let compiled = typst::compile::<PagedDocument>(self);
        let document = compiled.output.map_err(|faults| self.faults(&faults))?;
        let made = pdf(&document, &PdfOptions::default()).map_err(|faults| self.faults(&faults));
        // What was worked out for this text is of no use to the next.
        comemo::evict(10);
        made
    }

    fn faults(&self, faults: &[SourceDiagnostic]) -> Vec<Fault> {
        let fault = |fault: &SourceDiagnostic| {
            let range = self.range(fault.span);
            let place = range.and_then(|range| self.main.lines().byte_to_line_column(range.start));
            Fault {
                message: fault.message.to_string(),
                hints: fault.hints.iter().map(|hint| hint.v.to_string()).collect(),
                line: place.map(|(line, _)| line + 1),
                column: place.map(|(_, column)| column + 1),
            }
        };
        faults.iter().map(fault).collect()
    }
}

/// What every text has: Typst's own library, and the fonts that come with this program.
struct Shared {
    library: LazyHash<Library>,
    fonts: FontStore,
}

fn shared() -> &'static Shared {
    static SHARED: OnceLock<Shared> = OnceLock::new();
    SHARED.get_or_init(|| {
        let mut fonts = FontStore::new();
        fonts.extend(typst_kit::fonts::embedded());
        Shared { library: LazyHash::new(Library::default()), fonts }
    })
}

impl World for Sheet {
    fn library(&self) -> &LazyHash<Library> {
        &shared().library
    }

    fn book(&self) -> &LazyHash<FontBook> {
        shared().fonts.book()
    }

    fn main(&self) -> FileId {
        self.main.id()
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        if id == self.main.id() { Ok(self.main.clone()) } else { Err(FileError::AccessDenied) }
    }

    fn file(&self, _id: FileId) -> FileResult<Bytes> {
        Err(FileError::AccessDenied)
    }

    fn font(&self, index: usize) -> Option<Font> {
        shared().fonts.font(index)
    }

    fn today(&self, _offset: Option<Duration>) -> Option<Datetime> {
        None
    }
}
