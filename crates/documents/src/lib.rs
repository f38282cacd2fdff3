//! Texts as things to hand on: Markdown and Typst in memory to PDF, HTML and pages.
//!
//! No I/O: nothing is fetched, no file is opened, no clock is read, and the same work gives the same bytes. Words that
//! are passed in are escaped wherever they go; what a document's own text says in Typst is carried out, and sees nothing
//! but its own files.
//!
//! Start reading at [`pressroom`], where documents are set, and [`manuscript`], what is read in them; [`deliverables`]
//! is what answers become. `markdown.rs` reads a text, `markup.rs`, `plain.rs` and `html.rs` write it again, `press.rs`
//! is Typst.

pub mod deliverables;
pub mod difference;
mod html;
pub mod manuscript;
pub mod markdown;
mod markup;
mod plain;
mod press;
pub mod pressroom;
pub mod template;
mod tree;

pub use markup::words as escaped;
pub use press::{Fault, Sheet};

/// A text in Markdown as Typst.
pub fn typst_of_markdown(text: &str) -> String {
    markup::write(&markdown::read(text, &[]), &mut |_| String::new())
}
