//! The tests of this crate, in one binary.

mod answers;
mod guard;
mod normal;
mod server;
mod turns;
