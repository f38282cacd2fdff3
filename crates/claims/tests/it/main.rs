//! The tests of this crate that need nothing but what it shows.

mod answer;
#[path = "../../../citations/tests/it/any_text.rs"]
mod any_text;
mod claims;
mod languages;
mod near_misses;
mod verify;
