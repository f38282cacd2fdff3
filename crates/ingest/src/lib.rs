//! From bytes to text with exact places: what a file or a page says, on which page and under which heading, and what it
//! tells about itself; how a text is cut into chunks; what a list of references says.
//!
//! This crate only computes: it opens no connection, reads no clock, touches no database. Whoever calls it gives it the
//! bytes and bounds its time and memory from outside; within, every reader bounds what it unpacks by [`ExtractionLimits`].
//!
//! Start reading at [`extract`].

pub mod chunks;
pub mod extraction;
mod formats;
pub mod html;
pub mod references;
pub mod sniff;
mod thumbnail;
pub mod url_lists;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use extraction::{ExtractedFile, ExtractionError, ExtractionInput, ExtractionLimits, TextBuilder, WebPageMetadata};
pub use formats::check_pdf_library;
pub use thumbnail::thumbnail;

/// Reads a file: finds out what it is, and gives its text, the places in it, and what it tells about itself.
pub fn extract(input: &ExtractionInput, limits: &ExtractionLimits) -> Result<ExtractedFile, ExtractionError> {
    let read = AssertUnwindSafe(|| formats::ExtractionContext::new(limits).read_file(input));
    // Nothing here panics by intent; the libraries beneath are asked to read what nobody foresaw.
    catch_unwind(read).unwrap_or_else(|_| Err(ExtractionError::Damaged("its reader gave up".to_owned())))
}
