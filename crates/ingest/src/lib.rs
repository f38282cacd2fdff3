//! From bytes to text with exact places: what a file or a page says, on which page and under which heading, and what it
//! tells about itself.
//!
//! This crate only computes: it opens no connection, reads no clock, touches no database. Whoever calls it gives it the
//! bytes and bounds its time and memory from outside; within, every reader bounds what it unpacks by [`Limits`].
//!
//! Start reading at [`extract`].

pub mod extraction;

pub use extraction::{Extracted, ExtractionError, Input, Limits, TextBuilder, WebPage};
