//! Language models behind traits: what turns a text into a vector, here on this machine or at a provider, and what answers
//! a question word by word.
//!
//! This is the only crate that speaks to providers of models. It knows nothing of libraries, chunks or jobs, and keeps
//! nothing. Embedding retries nothing: an error says whether a retry can help, and when. An answer is tried again for as
//! long as nothing of it has been given out, and never after that.
//!
//! Start reading at [`Embedder`], which [`open`] makes from a configuration, and at [`ChatModel`], which [`open_chat`]
//! makes.

pub mod chat;
pub mod embed;
mod http;
mod secret;

pub use chat::{
    ChatConfig, ChatDelta, ChatError, ChatMessage, ChatModel, ChatProvider, ChatRequest, ChatStream, Completed, Finish,
    ToolCall, ToolSpec, Usage, Wait, complete, complete_object, open_chat,
};
pub use embed::{
    BoxFuture, EmbedError, Embedder, EmbedderConfig, LocalConfig, LocalEmbedder, Purpose, RemoteConfig,
    estimate_tokens, open,
};
pub use secret::Secret;
