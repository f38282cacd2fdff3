//! Citations, notes and bibliographies in the styles of CSL 1.0.2: items of CSL-JSON in, formatted text out.
//!
//! The crate computes and does nothing else: no file is opened, nothing is fetched, no clock is read. Styles and locales
//! come with `hayagriva`, or from a user as the text of a `.csl` file. What a style says is carried out here and not by
//! `hayagriva`, whose renderer leaves out or misplaces much of what the current APA, MLA and Chicago styles ask for; see
//! `docs/BIBLIOGRAPHY.md`.
//!
//! Start reading at [`Formatter`], which keeps what it made of each item, so that a bibliography with one item changed
//! costs that item. Then `render`: one item through one layout. `disambiguation` looks at all items together. [`export()`]
//! writes items as files of reference managers and has nothing to do with styles.

mod citation_label;
mod corrections;
mod date;
mod disambiguation;
mod document;
mod export;
mod formatter;
mod item;
mod locale;
mod markup;
mod number;
mod person;
mod render;
mod sort;
mod source;
mod style;
mod style_check;
mod text_case;

pub use document::{CiteMode, CitedItem, CslCitation, FormattedDocument, MOST_CITATIONS, MOST_CITED};
pub use export::{ReferenceFormat, export};
pub use formatter::{CitationForm, FormattedEntry, Formatter};
pub use item::{LONGEST_TEXT, MOST_ITEMS, MOST_NAMES};
pub use locale::locale_tags;
pub use markup::OutputFormat;
pub use source::{PlaceholderMode, csl_of_reference, csl_of_source, fill_placeholders};
pub use style::{CslStyle, LARGEST_STYLE, StyleInfo, StyleKind, bundled_styles};
