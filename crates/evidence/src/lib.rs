//! The evidence bundle: an answer or a document with its citations, what they cite, and a manifest, as one zip file that
//! anyone can check without the library.
//!
//! There is one way to write a bundle: the same content gives the same bytes, and no byte of the file is free. So the
//! SHA-256 of `manifest.json`, the bundle's digest, stands for every byte of it, and [`verify_bundle`] can say of any change
//! which file it lies in. Bundles are written and checked as they stream; only records and one text at a time are held.
//!
//! The crate reads what it is given and writes where it is told to. It knows no library, opens no file and asks no clock;
//! it does not judge whether a quote bears out a claim, only whether it is what it is said to be.
//!
//! Start reading at [`build_manifest`]: what a bundle holds. `container` is how it lies in the zip file, `verify` how it is
//! checked.

mod annotations;
mod archive;
mod archive_scan;
mod content_checks;
pub mod manifest;
mod part_locations;
mod provenance;
mod readme;
pub mod record;
mod report;
#[cfg(test)]
mod tests;
mod verify;
mod write;
mod zip_layout;

pub use manifest::{BundleManifest, FileEntry, FileRole};
pub use record::{Bundle, BundleKind, CitationRecord, FileRecord, MessageRecord, RunRecord, TextFormat};
pub use report::{BundleFault, END, START, VerificationReport};
pub use verify::verify_bundle;
pub use write::{BundleError, BundleSummary, write_bundle};

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

/// Buffer size for streamed reads, in bytes.
const PIECE: usize = 64 << 10;
