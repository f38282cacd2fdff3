//! The tests of this crate that need nothing but what it shows.

mod any_text;
mod buffer;
mod extract;
mod grammar;
mod ledger;
