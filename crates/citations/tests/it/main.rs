//! The tests of this crate that need nothing but what it shows.

mod answer;
mod buffer;
mod claims;
mod extract;
mod grammar;
mod ledger;
mod verify;
