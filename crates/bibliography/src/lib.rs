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

mod case;
mod corrections;
mod date;
mod disambiguation;
mod document;
mod export;
mod formatter;
mod item;
mod label;
mod locale;
mod markup;
mod number;
mod person;
mod render;
mod sort;
mod source;
mod style;
mod style_check;

pub use document::{Citation, CiteMode, CitedItem, Document, MOST_CITATIONS, MOST_CITED};
pub use export::{ReferenceFormat, export};
pub use formatter::{Entry, Form, Formatter};
pub use item::{LONGEST_TEXT, MOST_ITEMS, MOST_NAMES};
pub use locale::locales;
pub use markup::Output;
pub use source::{Missing, csl_of_reference, csl_of_source, fill};
pub use style::{LARGEST_STYLE, Style, StyleInfo, StyleKind, styles};
