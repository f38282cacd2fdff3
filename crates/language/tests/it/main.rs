//! Tables over the languages: a new language gets a row in each.

mod any_text;
mod dates;
mod detect;
mod negation;
mod numbers;
mod questions;
mod sentences;
mod words;

use ibid_language::Language;

/// The language of a code.
#[track_caller]
fn language(code: &str) -> Language {
    Language::from_code(code).unwrap()
}
