//! The tests of this crate, in one binary: providers that answer well and badly, and the local models.

mod chat;
mod judge;
mod local;
mod misbehaviour;
mod providers;
mod server;
