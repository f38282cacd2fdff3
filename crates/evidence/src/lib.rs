//! The evidence bundle: an answer or a document with its citations, what they cite, and a manifest, as one zip file that
//! anyone can check without the library.
//!
//! There is one way to write a bundle: the same content gives the same bytes, and no byte of the file is free. So the
//! SHA-256 of `manifest.json`, the bundle's digest, stands for every byte of it, and [`verify`] can say of any change
//! which file it lies in. Bundles are written and checked as they stream; only records and one text at a time are held.
//!
//! The crate reads what it is given and writes where it is told to. It knows no library, opens no file and asks no clock;
//! it does not judge whether a quote bears out a claim, only whether it is what it is said to be.
//!
//! Start reading at [`manifest`]: what a bundle holds. `container` is how it lies in the zip file, `verify` how it is
//! checked.

mod annotations;
mod archive;
mod container;
mod contents;
pub mod manifest;
mod placement;
mod provenance;
mod readme;
pub mod record;
mod report;
mod survey;
#[cfg(test)]
mod tests;
mod verify;
mod write;

pub use manifest::{FileEntry, Manifest, Role};
pub use record::{Bundle, CitationRecord, FileRecord, Kind, MessageRecord, RunRecord, TextFormat};
pub use report::{END, Fault, Report, START};
pub use verify::verify;
pub use write::{BundleError, Written, write};

/// The most files a bundle may have, its manifest among them.
pub const MAX_FILES: usize = 65_534;

/// The most citations a bundle may have.
pub const MAX_CITATIONS: usize = 100_000;

/// The largest record: manifest, message, citations and what is made from them.
pub const MAX_RECORD: u64 = 64 << 20;

/// The largest text. Texts are read whole to compare their words.
pub const MAX_TEXT: u64 = 256 << 20;

/// The largest artifact: what JSON can count to exactly.
pub const MAX_ARTIFACT: u64 = (1 << 53) - 1;

/// How much is read at a time of what is streamed.
const PIECE: usize = 64 << 10;
