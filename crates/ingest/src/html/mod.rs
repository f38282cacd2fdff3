//! Pages: their text in the order it is seen, and for pages of the web what they tell about themselves and which of
//! their text is the content.
//!
//! [`write_visible_text`] writes all visible text of any HTML, [`read_page`] finds the content and the metadata of a web
//! page. Both take whatever bytes there are: nothing is rejected for being broken, nothing recurses with the depth of the
//! markup. html5ever reads the markup; the [`tree`] is our own.

mod boilerplate;
mod byline;
mod content;
mod date_parsing;
mod decode;
mod element_hint;
mod head;
mod heading;
mod json_ld;
mod names;
mod page;
mod published_date;
mod references;
mod site;
mod tag;

mod tree;
mod visible_text;

pub use decode::decode_html;
pub use page::read_page;
pub use visible_text::{HtmlMetadata, write_visible_text};
