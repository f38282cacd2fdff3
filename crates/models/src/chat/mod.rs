//! Chat: what a model is asked, what it answers piece by piece, and what can go wrong on the way.
//!
//! [`open_chat`] makes a [`ChatModel`]. `remote.rs` asks a provider and tries again as `retry.rs` says; `answer.rs` reads
//! what streams back, event by event (`sse.rs`); `openai.rs`, `anthropic.rs` and `google.rs` are what the three protocols
//! call things.

mod answer;
mod anthropic;
mod config;
mod deltas;
mod dialect;
mod error;
mod google;
mod openai;
mod remote;
mod retry;
mod sse;

use std::{fmt::Debug, pin::Pin};

use futures::{Stream, TryStreamExt};
use serde_json::Value as Json;

pub use config::{ChatConfig, ChatProvider, open_chat};
pub use error::{ChatError, TimeoutPhase};

use crate::BoxFuture;

/// A model that answers, word by word.
pub trait ChatModel: Send + Sync + Debug {
    /// Provider and model: `openai:gpt-4.1-mini`.
    fn name(&self) -> &str;

    /// Returns the maximum number of tokens of question and answer together.
    fn context_tokens(&self) -> usize;

    /// Starts an answer. There is a stream once its first piece has come: until then failures that pass are tried again,
    /// and the last comes back as the error; from then on they come through the stream and end it. Dropping the future
    /// or the stream ends the request.
    fn stream(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatStream, ChatError>>;
}

/// An answer on its way: pieces of text, then calls of tools, then what it cost if the provider tells, then
/// [`ChatDelta::End`]; or an error, and nothing after it.
pub type ChatStream = Pin<Box<dyn Stream<Item = Result<ChatDelta, ChatError>> + Send>>;

/// Messages, tools and options of one request to a chat model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatRequest {
    /// System prompt for the whole conversation; may be empty.
    pub system: String,
    /// The conversation so far; the model speaks next.
    pub messages: Vec<ChatMessage>,
    /// Tools that the model may call; may be empty.
    pub tools: Vec<ToolSpec>,
    /// Maximum number of tokens of the answer; the configured default if `None`.
    pub max_output_tokens: Option<u32>,
    /// Sampling temperature; the configured default if `None`.
    pub temperature: Option<f32>,
    /// True if the answer must be a single JSON object. It is enforced where the provider supports that.
    pub response_json: bool,
    /// JSON Schema of that object, with every property required. It is enforced where the provider supports that.
    pub response_schema: Option<Json>,
}

/// Message of a conversation with a chat model.
#[derive(Clone, Debug, PartialEq)]
pub enum ChatMessage {
    /// Text that the user has sent.
    User(String),
    /// Earlier answer of the model.
    Assistant {
        /// Text of the answer; may be empty if it has tool calls.
        text: String,
        /// Tool calls made in this answer, in order.
        tool_calls: Vec<ModelToolCall>,
    },
    /// Result of a tool call, sent back to the model.
    ToolResult {
        /// Id of the tool call that this result belongs to.
        call_id: String,
        /// Name of the tool; Google matches results by it.
        name: String,
        /// Result as text for the model.
        content: String,
    },
}

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// Description that tells the model what the tool does.
    pub description: String,
    /// JSON Schema of the arguments, which are an object.
    pub parameters: Json,
}

/// Tool call requested by a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelToolCall {
    /// Id that the tool result refers to; generated if the provider sends none, and unique within one answer.
    pub id: String,
    /// Name of the tool to be called.
    pub name: String,
    /// Arguments as a JSON object.
    pub arguments: Json,
    /// Google's thought signature, which must be sent back with the call to continue the conversation.
    pub signature: Option<String>,
}

/// Number of tokens that an answer used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChatUsage {
    /// Tokens of the question, those that the provider had cached included.
    pub input_tokens: u64,
    /// Tokens of the answer, thoughts that are not shown included.
    pub output_tokens: u64,
}

/// Reason why an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FinishReason {
    /// The model finished its answer.
    Stop,
    /// It became too long. A call that was cut off is left out.
    Length,
    /// The model waits for its tools.
    ToolCalls,
    /// The provider or the model would not say more.
    Filtered,
    /// For another reason, in the provider's words.
    Other(String),
}

/// Piece of a streamed answer.
#[derive(Clone, Debug, PartialEq)]
pub enum ChatDelta {
    /// Next piece of text; never empty.
    Text(String),
    /// Complete tool call with parsed arguments.
    ToolCall(ModelToolCall),
    /// Token usage; sent at most once, just before the end.
    Usage(ChatUsage),
    /// End of the answer; no delta follows.
    End(FinishReason),
}

/// Complete answer of a chat model.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatCompletion {
    /// All text of the answer; may be empty if it has tool calls.
    pub text: String,
    /// Tool calls requested by the model, in order.
    pub tool_calls: Vec<ModelToolCall>,
    /// Token usage, if the provider reports it.
    pub usage: Option<ChatUsage>,
    /// Reason why the answer ended.
    pub finish: FinishReason,
}

/// Asks for an object of a schema. A provider that refuses to be held to it is asked once more without.
pub async fn complete_object(model: &dyn ChatModel, request: ChatRequest) -> Result<ChatCompletion, ChatError> {
    match complete_chat(model, request.clone()).await {
        Err(ChatError::Refused(_)) if request.response_schema.is_some() => {
            complete_chat(model, ChatRequest { response_schema: None, ..request }).await
        }
        answered => answered,
    }
}

/// Asks, and gathers the answer until its end.
pub async fn complete_chat(model: &dyn ChatModel, request: ChatRequest) -> Result<ChatCompletion, ChatError> {
    let mut stream = model.stream(request).await?;
    let (mut text, mut tool_calls, mut usage) = (String::new(), Vec::new(), None);
    while let Some(delta) = stream.try_next().await? {
        match delta {
            ChatDelta::Text(more) => text.push_str(&more),
            ChatDelta::ToolCall(call) => tool_calls.push(call),
            ChatDelta::Usage(told) => usage = Some(told),
            ChatDelta::End(finish) => return Ok(ChatCompletion { text, tool_calls, usage, finish }),
        }
    }
    Err(ChatError::Interrupted("it ended without saying so".to_owned()))
}
