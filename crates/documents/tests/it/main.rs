//! What is made of answers, with words in them that want to be markup.

mod deliverables;
mod manuscript;
mod markdown;
mod render_pool;
