//! Texts as things to hand on: Markdown and Typst in memory to PDF, HTML and pages.
//!
//! No I/O: nothing is fetched, no file is opened, no clock is read, and the same work gives the same bytes. Words that
//! are passed in are escaped wherever they go; what a document's own text says in Typst is carried out, and sees nothing
//! but its own files.
//!
//! Start reading at [`render_pool`], where documents are set, and [`manuscript`], what is read in them; [`deliverables`]
//! is what answers become. `markdown.rs` reads a text, `typst_markup.rs`, `typst_to_markdown.rs` and `html.rs` write it again, `typst_world.rs`
//! is Typst.

pub mod deliverables;
pub mod difference;
mod html;
mod html_sanitizer;
pub mod manuscript;
pub mod markdown;
pub mod render_pool;
pub mod template;
mod typst_markup;
mod typst_to_markdown;
mod typst_world;

pub use typst_markup::escape_typst as escaped;
pub use typst_world::{TypstDiagnostic, TypstWorld};

/// A text in Markdown as Typst.
pub fn typst_of_markdown(text: &str) -> String {
    typst_markup::write(&markdown::parse(text, &[]), &mut |_| String::new())
}
