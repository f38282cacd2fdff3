//! The tests of this crate, in one binary: providers that answer well and badly, and the local model.

mod chat;
mod local;
mod misbehaviour;
mod providers;
mod server;
