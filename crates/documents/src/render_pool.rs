//! What documents are set in: orders in, pages out, with what was worked out for a document kept for its next order.
//!
//! A text may ask for more than there is: loops without end, more memory than the machine has. Whoever runs a pressroom
//! runs it in a process of its own that may be ended.

use serde::{Deserialize, Serialize};

use crate::typst_world::{self, TypesetPages, TypstDiagnostic, TypstWorld};

/// Maximum number of compiled documents in the cache.
const READY: usize = 6;
/// The most pages that are told of at once.
const MOST_PAGES: usize = 40;

/// Output format that a render request asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RenderTarget {
    Pdf,
    Svg {
        /// Page number, counted from 1.
        page: usize,
    },
    Png {
        /// Page number, counted from 1.
        page: usize,
        /// Resolution in pixels per point.
        dots: f64,
    },
    /// Text as HTML, without page layout.
    Html,
    /// Some pages as SVG, but for those that are known.
    Preview {
        /// First page, counted from 1.
        from: usize,
        /// Last page, inclusive; limited to 40 pages per request.
        to: usize,
        /// Pages that need not be told again.
        known: Vec<String>,
    },
}

/// A document that is to be set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RenderRequest {
    /// Identifies the document, so that its cached world is used again.
    pub key: String,
    /// Typst source that joins template, text and bibliography.
    pub main: String,
    /// Typst source of the template.
    pub template: String,
    /// Typst source of the document's text.
    pub text: String,
    /// Files that the text may ask for.
    pub files: Vec<(String, Vec<u8>)>,
    pub want: RenderTarget,
}

/// Preview of one typeset page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageView {
    /// Page number, counted from 1.
    pub number: usize,
    /// Width of the page in points.
    pub width: f64,
    /// Height of the page in points.
    pub height: f64,
    /// Hash that changes if the page looks different, in hexadecimal.
    pub hash: String,
    /// The page, unless it is known.
    pub svg: Option<String>,
}

/// Result of a successful render request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RenderOutput {
    /// Rendered file; empty for a preview.
    pub bytes: Vec<u8>,
    /// Pages that were asked for one by one.
    pub pages: Vec<PageView>,
    /// Number of pages in the document; 0 for HTML.
    pub page_count: usize,
    /// Warnings of the Typst compiler.
    pub warnings: Vec<TypstDiagnostic>,
}

/// Reason that a document could not be rendered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RenderError {
    /// The Typst source has errors.
    Faults(Vec<TypstDiagnostic>),
    /// There are only so many pages.
    NoSuchPage(usize),
}

/// Documents that are ready to be set again.
#[derive(Default)]
pub struct TypesetterPool {
    /// The one used last is the last.
    ready: Vec<(String, TypstWorld)>,
}

impl TypesetterPool {
    /// Renders one document and keeps its world for the next request.
    pub fn render(&mut self, order: RenderRequest) -> Result<RenderOutput, RenderError> {
        let known = self.ready.iter().position(|(key, _)| *key == order.key);
        let mut sheet = known.map_or_else(|| TypstWorld::new(""), |at| self.ready.remove(at).1);
        sheet.put_main(&order.main);
        sheet.set_source(TEMPLATE, &order.template);
        sheet.set_source(TEXT, &order.text);
        sheet.set_files(order.files);
        let made = render_target(&sheet, &order.want);
        self.ready.push((order.key, sheet));
        if self.ready.len() > READY {
            self.ready.remove(0);
        }
        typst_world::evict_cache();
        made
    }
}

/// File name of the document's text in its world.
pub const TEXT: &str = "document.typ";
/// File name of the template in the document's world.
pub const TEMPLATE: &str = "template.typ";
/// Names that no file of a document may have.
pub const TAKEN: [&str; 3] = ["main.typ", TEXT, TEMPLATE];

fn render_target(sheet: &TypstWorld, want: &RenderTarget) -> Result<RenderOutput, RenderError> {
    if *want == RenderTarget::Html {
        let bytes = sheet.render_html().map_err(RenderError::Faults)?.into_bytes();
        return Ok(RenderOutput { bytes, ..RenderOutput::default() });
    }
    let pages = sheet.typeset_pages().map_err(RenderError::Faults)?;
    let page_count = pages.page_count();
    let no_page = || RenderError::NoSuchPage(page_count);
    let bytes = match want {
        RenderTarget::Pdf => sheet.pdf_of(&pages).map_err(RenderError::Faults)?,
        RenderTarget::Svg { page } => pages.page_svg(*page).ok_or_else(no_page)?.into_bytes(),
        RenderTarget::Png { page, dots } => pages.page_png(*page, *dots).ok_or_else(no_page)?,
        RenderTarget::Preview { .. } | RenderTarget::Html => Vec::new(),
    };
    let views = match want {
        RenderTarget::Preview { from, to, known } => page_previews(&pages, *from, *to, known),
        _ => Vec::new(),
    };
    Ok(RenderOutput { bytes, pages: views, page_count, warnings: pages.warnings })
}

fn page_previews(pages: &TypesetPages, from: usize, to: usize, known: &[String]) -> Vec<PageView> {
    let to = to.min(pages.page_count()).min(from.saturating_add(MOST_PAGES - 1));
    let view = |number: usize| {
        let (width, height) = pages.page_size(number)?;
        let hash = format!("{:032x}", pages.hash(number)?);
        let svg = if known.contains(&hash) { None } else { pages.page_svg(number) };
        Some(PageView { number, width, height, hash, svg })
    };
    (from.max(1)..=to).filter_map(view).collect()
}
