//! What Ibid knows of human languages, in one place: which language a text is in, its words and sentences, the numbers
//! and dates it names, what it denies, and the lists of words that rules of other crates are written with.
//!
//! It does no I/O, reads no clock, and keeps no state besides its word lists, which are compiled in and read once. Every
//! function takes any text, returns ranges of bytes that lie between characters, and takes time in proportion to the
//! length of the text. It does not translate and does not parse grammar: it knows words and their neighbours.
//!
//! # Where to start reading
//!
//! - [`Language`] is a code such as `de`; [`detect`](detect::detect) and [`guess`](detect::guess) find it.
//! - [`Lexicon::of`] gives the word lists of a language, from `data/<code>.toml`.
//! - [`words::tokens`] splits a text; [`numbers`] with their [`units`], [`dates`], [`negation`] and [`questions`] read
//!   what it says.
//! - [`requests`] lists how people ask for an overview, a comparison or what is new.
//! - [`sentences`] finds where sentences end, in all languages at once.
//!
//! # How to add a language
//!
//! 1. Copy `data/en.toml` to `data/<code>.toml`, with the ISO 639-1 code, and translate each list. The comments in the
//!    file say what each list does. A list that is left out is empty, so a file may begin with `little` alone.
//! 2. Add the file to `FILES` in `lexicon/mod.rs`.
//! 3. If the Snowball project has a stemmer for it, name it in `stems.rs`.
//! 4. Add a row to each table under `tests/it/`. If every list is filled, add the language to [`Language::COMPLETE`].
//! 5. A language of [`Language::COMPLETE`] also has `data/requests/<code>.toml`, and the app has its words for overviews.

pub mod compounds;
pub mod dates;
pub mod detect;
mod fold;
mod language;
pub mod lexicon;
mod line;
pub mod negation;
pub mod numbers;
pub mod phrases;
pub mod questions;
pub mod requests;
pub mod sentences;
pub mod stems;
pub mod units;
pub mod words;

pub use crate::{
    fold::{fold_accents, fold_accents_into},
    language::Language,
    lexicon::Lexicon,
    line::{one_line, one_line_at_most},
};
