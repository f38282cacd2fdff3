//! Texts as things to hand on: Markdown and Typst in memory to PDF, HTML and pages.
//!
//! No I/O: nothing is fetched, no file is opened, no clock is read, and the same work gives the same bytes. Nothing that
//! is passed in is markup of ours: words are escaped wherever they go.
//!
//! Start reading at [`deliverables`]; `markdown.rs` reads a text, `markup.rs` and `html.rs` write it again, `press.rs`
//! is Typst.

pub mod deliverables;
mod html;
pub mod markdown;
mod markup;
mod press;

pub use press::{Fault, Sheet};
