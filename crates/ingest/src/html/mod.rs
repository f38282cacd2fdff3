//! Pages: their text in the order it is seen, and for pages of the web what they tell about themselves and which of
//! their text is the content.
//!
//! [`flow`] writes all visible text of any HTML, [`read_page`] finds the content and the metadata of a web page. Both
//! take whatever bytes there are: nothing is rejected for being broken, nothing recurses with the depth of the markup.

mod beside;
mod byline;
mod calendar;
mod content;
mod decode;
mod flow;
mod head;
mod heading;
mod hint;
mod json_ld;
mod names;
mod page;
mod published;
mod site;
mod tag;
mod token;
mod tree;

pub use decode::decode;
pub use flow::{Told, flow};
pub use page::read_page;
