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
pub use error::{ChatError, Wait};

use crate::BoxFuture;

/// A model that answers, word by word.
pub trait ChatModel: Send + Sync + Debug {
    /// Provider and model: `openai:gpt-4.1-mini`.
    fn name(&self) -> &str;

    /// How many tokens question and answer may have together.
    fn context_tokens(&self) -> usize;

    /// Starts an answer. There is a stream once its first piece has come: until then failures that pass are tried again,
    /// and the last comes back as the error; from then on they come through the stream and end it. Dropping the future
    /// or the stream ends the request.
    fn stream(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatStream, ChatError>>;
}

/// An answer on its way: pieces of text, then calls of tools, then what it cost if the provider tells, then
/// [`ChatDelta::End`]; or an error, and nothing after it.
pub type ChatStream = Pin<Box<dyn Stream<Item = Result<ChatDelta, ChatError>> + Send>>;

/// What a model is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatRequest {
    /// What holds for the whole conversation. It may be empty.
    pub system: String,
    /// The conversation so far; the model speaks next.
    pub messages: Vec<ChatMessage>,
    /// What the model may call.
    pub tools: Vec<ToolSpec>,
    /// How long the answer may become; as configured if none.
    pub max_output_tokens: Option<u32>,
    /// How freely the model chooses its words; as configured if none.
    pub temperature: Option<f32>,
    /// Whether the answer is to be one JSON object and nothing else. A provider that can be held to it is.
    pub response_json: bool,
    /// What that object looks like, as a JSON Schema in which every property is required. Providers that can be held to
    /// it are.
    pub response_schema: Option<Json>,
}

/// A part of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum ChatMessage {
    /// What a person says.
    User(String),
    /// What the model said.
    Assistant {
        /// Its words.
        text: String,
        /// What it called.
        tool_calls: Vec<ToolCall>,
    },
    /// What a tool gave back.
    ToolResult {
        /// The call's id.
        call_id: String,
        /// The tool's name.
        name: String,
        /// What the model is to read.
        content: String,
    },
}

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// What it takes, as a JSON Schema of an object.
    pub parameters: Json,
}

/// A call that a model makes.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// What its result names. Where the provider gives none it is made up, and unique within one answer.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What the tool is given: an object.
    pub arguments: Json,
    /// What Google wants to see again beside the call, when it is asked to go on.
    pub signature: Option<String>,
}

/// What an answer cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the question, those that the provider had cached included.
    pub input_tokens: u64,
    /// Tokens of the answer, thoughts that are not shown included.
    pub output_tokens: u64,
}

/// Why an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// All was said.
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

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum ChatDelta {
    /// More text; never empty.
    Text(String),
    /// A call of a tool, whole.
    ToolCall(ToolCall),
    /// What it cost: once, just before the end.
    Usage(Usage),
    /// The end. Nothing follows.
    End(Finish),
}

/// A whole answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Completed {
    /// Its words.
    pub text: String,
    /// What the model calls.
    pub tool_calls: Vec<ToolCall>,
    /// What it cost, if the provider told.
    pub usage: Option<Usage>,
    /// Why it ended.
    pub finish: Finish,
}

/// Asks for an object of a schema. A provider that refuses to be held to it is asked once more without.
pub async fn complete_object(model: &dyn ChatModel, request: ChatRequest) -> Result<Completed, ChatError> {
    match complete(model, request.clone()).await {
        Err(ChatError::Refused(_)) if request.response_schema.is_some() => {
            complete(model, ChatRequest { response_schema: None, ..request }).await
        }
        answered => answered,
    }
}

/// Asks, and gathers the answer until its end.
pub async fn complete(model: &dyn ChatModel, request: ChatRequest) -> Result<Completed, ChatError> {
    let mut stream = model.stream(request).await?;
    let (mut text, mut tool_calls, mut usage) = (String::new(), Vec::new(), None);
    while let Some(delta) = stream.try_next().await? {
        match delta {
            ChatDelta::Text(more) => text.push_str(&more),
            ChatDelta::ToolCall(call) => tool_calls.push(call),
            ChatDelta::Usage(told) => usage = Some(told),
            ChatDelta::End(finish) => return Ok(Completed { text, tool_calls, usage, finish }),
        }
    }
    Err(ChatError::Interrupted("it ended without saying so".to_owned()))
}
