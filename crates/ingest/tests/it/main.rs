//! The tests of this crate, in one binary.

mod biblatex_peer;
mod bibliographies;
mod chunking;
mod formats;
mod formats_hostile;
mod html;
mod spreadsheets;
