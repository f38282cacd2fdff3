//! Chat models, asked over real sockets: a provider that follows a script speaks each of the three protocols.

mod answers;
mod faults;
mod limits;
mod requests;

use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use ibid_models::{
    ChatCompletion, ChatConfig, ChatDelta, ChatError, ChatMessage, ChatModel, ChatProvider, ChatRequest, complete_chat,
    open_chat,
};
use ibid_testkit::provider::{ProviderDialect, ScriptStep, ScriptedProvider};

pub const KEY: &str = "sk-very-secret-123";
pub const DIALECTS: [ProviderDialect; 3] =
    [ProviderDialect::OpenAi, ProviderDialect::Anthropic, ProviderDialect::Google];

/// Everything with a short breath, and no second try.
pub fn config(dialect: ProviderDialect, base_url: &str) -> ChatConfig {
    let (provider, model) = match dialect {
        ProviderDialect::OpenAi => (ChatProvider::OpenAi, "gpt-4.1-mini"),
        ProviderDialect::Anthropic => (ChatProvider::Anthropic, "claude-sonnet-4-5"),
        ProviderDialect::Google => (ChatProvider::Google, "gemini-2.5-flash"),
    };
    ChatConfig {
        base_url: Some(base_url.to_owned()),
        key: Some(KEY.into()),
        first_token_timeout: Duration::from_secs(20),
        idle_timeout: Duration::from_secs(20),
        total_timeout: Duration::from_secs(60),
        retries: 0,
        ..ChatConfig::new(provider, model)
    }
}

pub fn question() -> ChatRequest {
    ChatRequest { messages: vec![ChatMessage::User("Why?".into())], ..ChatRequest::default() }
}

/// A provider with one script, and a model that asks it.
pub async fn model(dialect: ProviderDialect, script: Vec<ScriptStep>) -> (ScriptedProvider, Arc<dyn ChatModel>) {
    let provider = ScriptedProvider::start(dialect, [script]).await;
    let model = open_chat(&config(dialect, provider.base_url())).unwrap();
    (provider, model)
}

/// The whole answer to a question.
pub async fn answer(dialect: ProviderDialect, script: Vec<ScriptStep>) -> Result<ChatCompletion, ChatError> {
    let (_provider, model) = model(dialect, script).await;
    complete_chat(&*model, question()).await
}

/// What came before the stream ended, and the error that ended it. Nothing comes after an error.
pub async fn pieces(model: &dyn ChatModel) -> (Vec<ChatDelta>, Option<ChatError>) {
    let mut stream = match model.stream(question()).await {
        Ok(stream) => stream,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut deltas = Vec::new();
    while let Some(delta) = stream.next().await {
        match delta {
            Ok(delta) => deltas.push(delta),
            Err(error) => {
                assert!(stream.next().await.is_none());
                return (deltas, Some(error));
            }
        }
    }
    (deltas, None)
}

/// Whether the provider sees, in time, that its client went away.
pub async fn abandoned(provider: &ScriptedProvider) -> bool {
    for _ in 0..200 {
        if provider.abandoned_count() > 0 {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    false
}
