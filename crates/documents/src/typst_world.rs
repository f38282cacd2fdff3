//! Typst in this process: texts in, pages out. Nothing is fetched, and no file is opened: what a text asks for is among
//! what it was given, or is refused.

use std::{collections::HashMap, sync::OnceLock};

use typst::{
    Feature, Library, LibraryExt, World, WorldExt,
    diag::{FileError, FileResult, Severity, SourceDiagnostic},
    foundations::{Bytes, Datetime, Duration},
    syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot},
    text::{Font, FontBook},
    utils::LazyHash,
};
use typst_html::{HtmlDocument, HtmlOptions};
use typst_kit::fonts::FontStore;
use typst_layout::{Page, PagedDocument};
use typst_pdf::{PdfOptions, pdf};
use typst_render::RenderOptions;
use typst_svg::SvgOptions;

use crate::html_sanitizer;

/// The most faults that are told.
const TOLD: usize = 20;
/// The most dots of a picture on its longer side.
const LARGEST_PICTURE: f64 = 4_000.0;

/// Something in a text that cannot be set, or that may not be what was meant.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TypstDiagnostic {
    pub message: String,
    /// Suggestions from Typst for fixing it.
    pub hints: Vec<String>,
    /// True if the document compiled nevertheless.
    pub is_warning: bool,
    /// The file that it stands in.
    pub file: Option<String>,
    /// The byte of that file at which it stands.
    pub byte: Option<usize>,
    /// The line, from 1, if it stands in one.
    pub line: Option<usize>,
    /// The column, from 1, in characters.
    pub column: Option<usize>,
}

/// Texts of Typst's, one of which is set.
pub struct TypstWorld {
    main: FileId,
    sources: HashMap<FileId, Source>,
    files: HashMap<FileId, Bytes>,
}

/// Compiled pages of a document.
pub struct TypesetPages {
    document: PagedDocument,
    /// Warnings of the compiler; the pages exist nevertheless.
    pub warnings: Vec<TypstDiagnostic>,
}

/// File name of the main source in every [`TypstWorld`].
const MAIN: &str = "main.typ";

fn file_id(path: &str) -> Option<FileId> {
    Some(RootedPath::new(VirtualRoot::Project, VirtualPath::new(path).ok()?).intern())
}

impl TypstWorld {
    /// Creates a world with a single source and no files.
    pub fn new(text: impl Into<String>) -> Self {
        let source = Source::detached(text);
        Self { main: source.id(), sources: HashMap::from([(source.id(), source)]), files: HashMap::new() }
    }

    /// Puts a text in place of the one with this name; only what changed is read again.
    pub fn set_source(&mut self, name: &str, text: &str) {
        let Some(id) = file_id(name) else { return };
        match self.sources.get_mut(&id) {
            Some(known) => {
                known.replace(text);
            }
            None => {
                self.sources.insert(id, Source::new(id, text.to_owned()));
            }
        }
    }

    /// Replaces the main source; only changed parts are parsed again.
    pub fn put_main(&mut self, text: &str) {
        self.set_source(MAIN, text);
    }

    /// Gives the texts these files, and no others.
    pub fn set_files(&mut self, files: Vec<(String, Vec<u8>)>) {
        let mut given = HashMap::with_capacity(files.len());
        for (name, bytes) in files {
            let Some(id) = file_id(&name) else { continue };
            // The same bytes again are the same to what was worked out of them.
            let known = self.files.remove(&id).filter(|known| known.as_slice() == bytes);
            given.insert(id, known.unwrap_or_else(|| Bytes::new(bytes)));
        }
        self.files = given;
    }

    /// Compiles the sources to pages.
    pub fn typeset_pages(&self) -> Result<TypesetPages, Vec<TypstDiagnostic>> {
        let compiled = typst::compile::<PagedDocument>(self);
        let warnings = self.to_diagnostics(&compiled.warnings);
        match compiled.output {
            Ok(document) => Ok(TypesetPages { document, warnings }),
            Err(faults) => Err(self.to_diagnostics(&faults).into_iter().chain(warnings).take(TOLD).collect()),
        }
    }

    /// Compiles the sources to a PDF and evicts the cache.
    pub fn render_pdf(&self) -> Result<Vec<u8>, Vec<TypstDiagnostic>> {
        let made = self.typeset_pages().and_then(|pages| self.pdf_of(&pages));
        // What was worked out for this text is of no use to the next.
        evict_cache();
        made
    }

    /// Pages of this sheet as a PDF.
    pub fn pdf_of(&self, pages: &TypesetPages) -> Result<Vec<u8>, Vec<TypstDiagnostic>> {
        pdf(&pages.document, &PdfOptions::default()).map_err(|faults| self.to_diagnostics(&faults))
    }

    /// The text as HTML in which nothing runs: the words and their order, not the pages.
    pub fn render_html(&self) -> Result<String, Vec<TypstDiagnostic>> {
        let compiled = typst::compile::<HtmlDocument>(self);
        let mut document = compiled.output.map_err(|faults| self.to_diagnostics(&faults))?;
        html_sanitizer::sanitize_element(document.root_mut());
        typst_html::html(&document, &HtmlOptions::default()).map_err(|faults| self.to_diagnostics(&faults))
    }

    fn to_diagnostics(&self, faults: &[SourceDiagnostic]) -> Vec<TypstDiagnostic> {
        let fault = |fault: &SourceDiagnostic| {
            let file = fault.span.id();
            let range = self.range(fault.span);
            let source = file.and_then(|file| self.sources.get(&file));
            let byte = range.map(|range| range.start);
            let place = source.zip(byte).and_then(|(source, byte)| source.lines().byte_to_line_column(byte));
            TypstDiagnostic {
                message: fault.message.to_string(),
                hints: fault.hints.iter().map(|hint| hint.v.to_string()).collect(),
                is_warning: fault.severity == Severity::Warning,
                file: file.map(|file| file.get().vpath().get_without_slash().to_owned()),
                byte,
                line: place.map(|(line, _)| line + 1),
                column: place.map(|(_, column)| column + 1),
            }
        };
        faults.iter().take(TOLD).map(fault).collect()
    }
}

impl TypesetPages {
    /// Returns the number of pages.
    pub fn page_count(&self) -> usize {
        self.document.pages().len()
    }

    fn page(&self, number: usize) -> Option<&Page> {
        self.document.pages().get(number.checked_sub(1)?)
    }

    /// Returns width and height of a page, in points.
    pub fn page_size(&self, number: usize) -> Option<(f64, f64)> {
        let size = self.page(number)?.frame.size();
        Some((size.x.to_pt(), size.y.to_pt()))
    }

    /// Renders one page as SVG; pages count from 1.
    pub fn page_svg(&self, number: usize) -> Option<String> {
        Some(typst_svg::svg(self.page(number)?, &SvgOptions::default()))
    }

    /// A page as PNG, with so many dots for a point.
    pub fn page_png(&self, number: usize, dots: f64) -> Option<Vec<u8>> {
        let (width, height) = self.page_size(number)?;
        let dots = dots.min(LARGEST_PICTURE / width.max(height).max(1.0));
        let options = RenderOptions { pixel_per_pt: dots.into(), ..RenderOptions::default() };
        typst_render::render(self.page(number)?, &options).encode_png().ok()
    }

    /// Returns a hash that changes if the page looks different.
    pub fn hash(&self, number: usize) -> Option<u128> {
        self.page(number).map(typst::utils::hash128)
    }
}

/// Forgets what was worked out for texts that have not been set for a while.
pub fn evict_cache() {
    comemo::evict(10);
}

/// Typst's standard library and the embedded fonts, shared by all worlds.
struct TypstAssets {
    library: LazyHash<Library>,
    fonts: FontStore,
}

fn typst_assets() -> &'static TypstAssets {
    static SHARED: OnceLock<TypstAssets> = OnceLock::new();
    SHARED.get_or_init(|| {
        let mut fonts = FontStore::new();
        fonts.extend(typst_kit::fonts::embedded());
        let library = Library::builder().with_features([Feature::Html].into_iter().collect()).build();
        TypstAssets { library: LazyHash::new(library), fonts }
    })
}

/// Returns the error for a file that the document does not have.
fn missing_file_error(id: FileId) -> FileError {
    match id.get().root() {
        VirtualRoot::Package(_) => FileError::Other(Some("packages are not available; a document stands alone".into())),
        VirtualRoot::Project => {
            let name = id.get().vpath().get_without_slash();
            FileError::Other(Some(
                format!("there is no file '{name}' among the document's own; add it to them first").into(),
            ))
        }
    }
}

impl World for TypstWorld {
    fn library(&self) -> &LazyHash<Library> {
        &typst_assets().library
    }

    fn book(&self) -> &LazyHash<FontBook> {
        typst_assets().fonts.book()
    }

    fn main(&self) -> FileId {
        self.main
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        match (self.sources.get(&id), self.files.get(&id)) {
            (Some(source), _) => Ok(source.clone()),
            (None, Some(bytes)) => {
                let text = std::str::from_utf8(bytes).map_err(|_| FileError::InvalidUtf8)?;
                Ok(Source::new(id, text.to_owned()))
            }
            (None, None) => Err(missing_file_error(id)),
        }
    }

    fn file(&self, id: FileId) -> FileResult<Bytes> {
        self.files.get(&id).cloned().ok_or_else(|| missing_file_error(id))
    }

    fn font(&self, index: usize) -> Option<Font> {
        typst_assets().fonts.font(index)
    }

    fn today(&self, _offset: Option<Duration>) -> Option<Datetime> {
        None
    }
}
