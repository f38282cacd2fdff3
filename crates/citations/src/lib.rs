//! Citations in a text: which of its words are markers, what they name, and what of a stream may be shown.
//!
//! This crate does no I/O and keeps nothing: texts and tool results in, markers and sources out. It never guesses a
//! source: a marker that names none is reported, not repaired.
//!
//! Start reading at [`grammar`]: the forms of a marker, and what in Markdown only looks like one.

pub mod annotate;
pub mod buffer;
pub mod cited_stream;
pub mod extract;
pub mod formats;
pub mod grammar;
mod inline;
pub mod ledger;
mod markdown;
pub mod prompt;
pub mod source;
pub mod strip;

pub use buffer::CitationBuffer;
pub use extract::{CompletedToolCall, ExtractorRegistry};
pub use grammar::{Marker, MarkerKind, parse_markers};
pub use ledger::Ledger;
pub use source::{CitationSource, CitationSourceType};
pub use strip::{cited_text, strip_markers};
