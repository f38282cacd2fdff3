//! Language models behind traits: what turns a text into a vector, here on this machine or at a provider, what says whether
//! a passage supports a claim or answers a question, and what answers a question word by word.
//!
//! This is the only crate that speaks to providers of models. It knows nothing of libraries, chunks or jobs, and keeps
//! nothing. Embedding retries nothing: an error says whether a retry can help, and when. An answer is tried again for as
//! long as nothing of it has been given out, and never after that.
//!
//! Start reading at [`Embedder`], which [`open_embedder`] makes from a configuration, and at [`ChatModel`], which [`open_chat`]
//! makes.

pub mod chat;
pub mod embed;
mod http;
pub mod judge;
mod local;
mod secret;

pub use chat::{
    ChatCompletion, ChatConfig, ChatDelta, ChatError, ChatMessage, ChatModel, ChatProvider, ChatRequest, ChatStream,
    ChatUsage, FinishReason, ModelToolCall, TimeoutPhase, ToolSpec, complete_chat, complete_object, open_chat,
};
pub use embed::{
    BoxFuture, EmbedError, Embedder, EmbedderConfig, LocalEmbedder, Purpose, RemoteEmbedderConfig, estimate_tokens,
    open_embedder,
};
pub use judge::{LocalPairJudge, PairJudge, PairJudgement};
pub use local::{LocalModelConfig, LocalModelError};
pub use secret::Secret;
