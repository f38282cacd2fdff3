//! Which model, and how to reach it.

use std::{sync::Arc, time::Duration};

use reqwest::{
    Url,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
};

use super::{
    ChatError, ChatModel,
    anthropic::{self, AnthropicChat},
    dialect::ChatDialect,
    google::GoogleChat,
    openai::OpenAiChat,
    remote::RemoteChatModel,
};
use crate::{
    Secret,
    http::{CONNECT_TIMEOUT, Endpoint, RequestFailure, RequestTimeouts, join_url, model_in_path},
};

/// Provider whose chat protocol is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatProvider {
    /// OpenAI, and with a base URL of its own every server that speaks its protocol: Ollama, vLLM, llama.cpp …
    OpenAi,
    /// Anthropic's Messages protocol.
    Anthropic,
    /// Google's `streamGenerateContent` protocol.
    Google,
}

impl ChatProvider {
    /// Its name: `openai`, `anthropic` or `google`.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Google => "google",
        }
    }
}

/// Model, address, key and limits of a chat provider.
#[derive(Clone, Debug)]
pub struct ChatConfig {
    /// Protocol used to talk to the server.
    pub provider: ChatProvider,
    /// The model, as its provider writes it.
    pub model: String,
    /// Base URL without the path of the call; the provider's own if `None`. For OpenAI's protocol it is the `base_url`
    /// of its libraries (`http://localhost:11434/v1`) or a bare host.
    pub base_url: Option<String>,
    /// The key. Only OpenAI's protocol at a base URL of its own may do without.
    pub key: Option<Secret>,
    /// Maximum number of tokens of question and answer together.
    pub context_tokens: usize,
    /// Default limit on the tokens of an answer; the provider's default if `None`.
    pub max_output_tokens: Option<u32>,
    /// Default sampling temperature; the provider's default if `None`.
    pub temperature: Option<f32>,
    /// Maximum time to establish a connection.
    pub connect_timeout: Duration,
    /// Maximum time until the first token of each attempt; also the longest retry delay accepted from a provider.
    pub first_token_timeout: Duration,
    /// Maximum time between two chunks of an answer that has begun.
    pub idle_timeout: Duration,
    /// Maximum time for the whole request, including retries and delays.
    pub total_timeout: Duration,
    /// Maximum number of retries; there is none after the first token.
    pub retries: u32,
}

impl ChatConfig {
    /// A model of a provider, with everything else as usual.
    pub fn new(provider: ChatProvider, model: impl Into<String>) -> Self {
        Self {
            provider,
            model: model.into(),
            base_url: None,
            key: None,
            context_tokens: 32_768,
            max_output_tokens: None,
            temperature: None,
            connect_timeout: CONNECT_TIMEOUT,
            first_token_timeout: Duration::from_secs(60),
            idle_timeout: Duration::from_secs(30),
            total_timeout: Duration::from_secs(10 * 60),
            retries: 2,
        }
    }
}

/// Makes a model. Nothing is sent; what can never work is refused here.
pub fn open_chat(config: &ChatConfig) -> Result<Arc<dyn ChatModel>, ChatError> {
    connect_model(config).map_err(|failure| ChatError::from_failure(failure, config.connect_timeout))
}

fn connect_model(config: &ChatConfig) -> Result<Arc<dyn ChatModel>, RequestFailure> {
    let model = config.model.trim();
    let unusable = |reason: &str| RequestFailure::Unusable(reason.to_owned());
    if model.is_empty() {
        return Err(unusable("no model is named"));
    }
    if config.context_tokens == 0 || config.max_output_tokens == Some(0) {
        return Err(unusable("a model needs room for at least one token"));
    }
    if config.temperature.is_some_and(|temperature| !(0.0..=2.0).contains(&temperature)) {
        return Err(unusable("a temperature lies between 0 and 2"));
    }
    if config.key.is_none() && (config.provider != ChatProvider::OpenAi || config.base_url.is_none()) {
        return Err(RequestFailure::Unusable(format!("{} needs a key", config.provider.name())));
    }
    let mut headers = HeaderMap::new();
    let (url, key_header, dialect): (_, _, Box<dyn ChatDialect>) = match config.provider {
        ChatProvider::OpenAi => {
            let url = openai_address(config.base_url.as_deref().unwrap_or("https://api.openai.com"))?;
            let itself = url.host_str() == Some("api.openai.com");
            (url, (AUTHORIZATION, "Bearer "), Box::new(OpenAiChat { model: model.to_owned(), itself }))
        }
        ChatProvider::Anthropic => {
            let (name, value) = anthropic::VERSION;
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
            let base = config.base_url.as_deref().unwrap_or("https://api.anthropic.com");
            let key_header = (HeaderName::from_static("x-api-key"), "");
            (versioned_url(base, "v1", "messages")?, key_header, Box::new(AnthropicChat { model: model.to_owned() }))
        }
        ChatProvider::Google => {
            let base = config.base_url.as_deref().unwrap_or("https://generativelanguage.googleapis.com");
            let model = model_in_path(model.strip_prefix("models/").unwrap_or(model))?;
            let url = versioned_url(base, "v1beta", &format!("models/{model}:streamGenerateContent?alt=sse"))?;
            (url, (HeaderName::from_static("x-goog-api-key"), ""), Box::new(GoogleChat))
        }
    };
    let timeouts = RequestTimeouts { connect: config.connect_timeout, whole: None };
    let endpoint = Endpoint::new(url, config.key.clone(), key_header, headers, &timeouts)?;
    Ok(Arc::new(RemoteChatModel::new(config, endpoint, dialect)))
}

/// OpenAI's libraries take a base URL with the version in it; people also write just the host.
fn openai_address(base: &str) -> Result<Url, RequestFailure> {
    let bare = join_url(base, "")?.path() == "/";
    join_url(base, if bare { "v1/chat/completions" } else { "chat/completions" })
}

/// A base URL may or may not end with the version.
fn versioned_url(base: &str, version: &str, path: &str) -> Result<Url, RequestFailure> {
    let base = base.trim().trim_end_matches('/');
    let base = base.strip_suffix(version).filter(|rest| rest.ends_with('/')).unwrap_or(base);
    join_url(base, &format!("{version}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_may_be_written_with_and_without_the_version() {
        for (base, expected) in [
            ("https://api.openai.com", "https://api.openai.com/v1/chat/completions"),
            ("https://api.openai.com/v1/", "https://api.openai.com/v1/chat/completions"),
            ("http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
            ("http://x.example/v1beta/openai", "http://x.example/v1beta/openai/chat/completions"),
        ] {
            assert_eq!(openai_address(base).unwrap().as_str(), expected, "{base}");
        }
        for base in ["https://x.example", "https://x.example/v1", " https://x.example/v1/ "] {
            let url = versioned_url(base, "v1", "messages").unwrap();
            assert_eq!(url.as_str(), "https://x.example/v1/messages", "{base}");
        }
        let other = versioned_url("https://x.example/gateway-v1", "v1", "messages").unwrap();
        assert_eq!(other.as_str(), "https://x.example/gateway-v1/v1/messages");
    }
}
