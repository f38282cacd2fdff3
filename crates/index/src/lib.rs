//! The search index of the embedded engine, and the words that both engines look for.
//!
//! `words.rs` says what a word of a text is and under which form it is indexed, `query.rs` reads what a person typed,
//! `matcher.rs` finds the words of a passage that answer. They only compute, and PostgreSQL's search uses them, too.
//!
//! [`Index`] is derived data: everything in it can be made again from the library, and it knows how far in the
//! library's log of changes it has come. `catalog.rs` knows which passages there are, `passages.rs` keeps
//! their words and `scoring.rs` finds the best by them, `vectors` has their vectors, `journal.rs` keeps what is not
//! words, `word_folder.rs` says when files are durable. This crate does no SQL and asks no model.

mod atoms;
mod catalog;
mod index;
mod journal;
pub mod matcher;
mod partition_file;
mod passages;
pub mod query;
mod scoring;
mod sentences;
mod stemming;
mod top_k;
mod vectors;
mod word_folder;
pub mod words;

pub use catalog::{AllowedPassages, IndexHit, IndexedRevision, SourceFacets};
pub use index::{Index, IndexChange, PassageText, passage_words};

/// Error while reading or writing the search index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A file cannot be read or written.
    #[error("the search index cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
    /// The words cannot be read or written.
    #[error("the words of the search index: {0}")]
    Words(#[from] tantivy::TantivyError),
    /// It is not what it should be.
    #[error("the search index is damaged: {0}")]
    Damaged(String),
    /// Another process keeps it up to date.
    #[error("another process keeps the search index up to date")]
    Busy,
}

/// Result of an index operation, with the error of this crate by default.
pub type Result<T, E = IndexError> = std::result::Result<T, E>;
