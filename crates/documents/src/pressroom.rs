//! What documents are set in: orders in, pages out, with what was worked out for a document kept for its next order.
//!
//! A text may ask for more than there is: loops without end, more memory than the machine has. Whoever runs a pressroom
//! runs it in a process of its own that may be ended.

use serde::{Deserialize, Serialize};

use crate::press::{self, Fault, Pages, Sheet};

/// How many documents are kept ready.
const READY: usize = 6;
/// The most pages that are told of at once.
const MOST_PAGES: usize = 40;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Want {
    /// All pages as a PDF.
    Pdf,
    /// One page as SVG.
    Svg {
        /// Which, from 1.
        page: usize,
    },
    /// One page as PNG.
    Png {
        /// Which, from 1.
        page: usize,
        /// Dots for a point.
        dots: f64,
    },
    /// The words as HTML.
    Html,
    /// Some pages as SVG, but for those that are known.
    Preview {
        /// The first, from 1.
        from: usize,
        /// The last.
        to: usize,
        /// Pages that need not be told again.
        known: Vec<String>,
    },
}

/// A document that is to be set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// Which document it is: what was worked out for it before is used again.
    pub key: String,
    /// The frame around the text.
    pub main: String,
    /// The template.
    pub template: String,
    /// The text.
    pub text: String,
    /// Files that the text may ask for.
    pub files: Vec<(String, Vec<u8>)>,
    /// What is asked for.
    pub want: Want,
}

/// A page that was set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageView {
    /// Which, from 1.
    pub number: usize,
    /// In points.
    pub width: f64,
    /// In points.
    pub height: f64,
    /// What tells whether it looks as before.
    pub hash: String,
    /// The page, unless it is known.
    pub svg: Option<String>,
}

/// What was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Made {
    /// A file.
    pub bytes: Vec<u8>,
    /// Pages that were asked for one by one.
    pub pages: Vec<PageView>,
    /// How many pages there are.
    pub page_count: usize,
    /// What may not be what was meant.
    pub warnings: Vec<Fault>,
}

/// Why nothing was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Unmade {
    /// The text has faults.
    Faults(Vec<Fault>),
    /// There are only so many pages.
    NoSuchPage(usize),
}

/// Documents that are ready to be set again.
#[derive(Default)]
pub struct Pressroom {
    /// The one used last is the last.
    ready: Vec<(String, Sheet)>,
}

impl Pressroom {
    /// Does an order.
    pub fn take(&mut self, order: Order) -> Result<Made, Unmade> {
        let known = self.ready.iter().position(|(key, _)| *key == order.key);
        let mut sheet = known.map_or_else(|| Sheet::new(""), |at| self.ready.remove(at).1);
        sheet.put_main(&order.main);
        sheet.put(TEMPLATE, &order.template);
        sheet.put(TEXT, &order.text);
        sheet.give(order.files);
        let made = make(&sheet, &order.want);
        self.ready.push((order.key, sheet));
        if self.ready.len() > READY {
            self.ready.remove(0);
        }
        press::forget();
        made
    }
}

/// What the text of a document is called among its files.
pub const TEXT: &str = "document.typ";
/// What its template is called.
pub const TEMPLATE: &str = "template.typ";
/// Names that no file of a document may have.
pub const TAKEN: [&str; 3] = ["main.typ", TEXT, TEMPLATE];

fn make(sheet: &Sheet, want: &Want) -> Result<Made, Unmade> {
    if *want == Want::Html {
        let bytes = sheet.html().map_err(Unmade::Faults)?.into_bytes();
        return Ok(Made { bytes, ..Made::default() });
    }
    let pages = sheet.pages().map_err(Unmade::Faults)?;
    let page_count = pages.count();
    let no_page = || Unmade::NoSuchPage(page_count);
    let bytes = match want {
        Want::Pdf => sheet.pdf_of(&pages).map_err(Unmade::Faults)?,
        Want::Svg { page } => pages.svg(*page).ok_or_else(no_page)?.into_bytes(),
        Want::Png { page, dots } => pages.png(*page, *dots).ok_or_else(no_page)?,
        Want::Preview { .. } | Want::Html => Vec::new(),
    };
    let views = match want {
        Want::Preview { from, to, known } => views(&pages, *from, *to, known),
        _ => Vec::new(),
    };
    Ok(Made { bytes, pages: views, page_count, warnings: pages.warnings })
}

fn views(pages: &Pages, from: usize, to: usize, known: &[String]) -> Vec<PageView> {
    let to = to.min(pages.count()).min(from.saturating_add(MOST_PAGES - 1));
    let view = |number: usize| {
        let (width, height) = pages.size(number)?;
        let hash = format!("{:032x}", pages.hash(number)?);
        let svg = if known.contains(&hash) { None } else { pages.svg(number) };
        Some(PageView { number, width, height, hash, svg })
    };
    (from.max(1)..=to).filter_map(view).collect()
}
