//! Language models behind traits: what turns a text into a vector, here on this machine or at a provider.
//!
//! This is the only crate that speaks to providers of models. It knows nothing of libraries, chunks or jobs, keeps
//! nothing, and retries nothing: an error says whether a retry can help, and when.
//!
//! Start reading at [`Embedder`]; [`open`] makes one from a configuration.

pub mod embed;
mod http;
mod secret;

pub use embed::{
    BoxFuture, EmbedError, Embedder, EmbedderConfig, LocalConfig, LocalEmbedder, Purpose, RemoteConfig,
    estimate_tokens, open,
};
pub use secret::Secret;
