//! Which model, and how to reach it.

use std::{sync::Arc, time::Duration};

use reqwest::{
    Url,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
};

use super::{
    ChatError, ChatModel,
    anthropic::{self, Anthropic},
    dialect::Dialect,
    google::Google,
    openai::OpenAi,
    remote::Remote,
};
use crate::{
    Secret,
    http::{CONNECT_TIMEOUT, Endpoint, Failure, Timeouts, address, model_in_path},
};

/// Whose protocol is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatProvider {
    /// OpenAI, and with a base URL of its own every server that speaks its protocol: Ollama, vLLM, llama.cpp …
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// Google.
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

/// Which model, and how to reach it.
#[derive(Clone, Debug)]
pub struct ChatConfig {
    /// Whose protocol is spoken.
    pub provider: ChatProvider,
    /// The model, as its provider writes it.
    pub model: String,
    /// Where it listens, without the path of the call; the provider's own address if none. For OpenAI's protocol this is
    /// what its libraries call by the same name (`http://localhost:11434/v1`), and may be a bare host too.
    pub base_url: Option<String>,
    /// The key. Only OpenAI's protocol at a base URL of its own may do without.
    pub key: Option<Secret>,
    /// How many tokens question and answer may have together.
    pub context_tokens: usize,
    /// How long an answer may become, unless the request says so; as the provider likes if none.
    pub max_output_tokens: Option<u32>,
    /// How freely words are chosen, unless the request says so; as the provider likes if none.
    pub temperature: Option<f32>,
    /// How long a connection may take to come about.
    pub connect_timeout: Duration,
    /// How long a model may take to begin its answer, each time it is asked; also the longest that a provider may ask
    /// us to wait before another try.
    pub first_token_timeout: Duration,
    /// How long there may be silence in an answer that has begun.
    pub idle_timeout: Duration,
    /// How long all may take, tries and pauses included.
    pub total_timeout: Duration,
    /// How often to try again while nothing has been answered.
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
    connect(config).map_err(|failure| ChatError::from_failure(failure, config.connect_timeout))
}

fn connect(config: &ChatConfig) -> Result<Arc<dyn ChatModel>, Failure> {
    let model = config.model.trim();
    let unusable = |reason: &str| Failure::Unusable(reason.to_owned());
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
        return Err(Failure::Unusable(format!("{} needs a key", config.provider.name())));
    }
    let mut headers = HeaderMap::new();
    let (url, key_header, dialect): (_, _, Box<dyn Dialect>) = match config.provider {
        ChatProvider::OpenAi => {
            let url = openai_address(config.base_url.as_deref().unwrap_or("https://api.openai.com"))?;
            let itself = url.host_str() == Some("api.openai.com");
            (url, (AUTHORIZATION, "Bearer "), Box::new(OpenAi { model: model.to_owned(), itself }))
        }
        ChatProvider::Anthropic => {
            let (name, value) = anthropic::VERSION;
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
            let base = config.base_url.as_deref().unwrap_or("https://api.anthropic.com");
            let key_header = (HeaderName::from_static("x-api-key"), "");
            (versioned(base, "v1", "messages")?, key_header, Box::new(Anthropic { model: model.to_owned() }))
        }
        ChatProvider::Google => {
            let base = config.base_url.as_deref().unwrap_or("https://generativelanguage.googleapis.com");
            let model = model_in_path(model.strip_prefix("models/").unwrap_or(model))?;
            let url = versioned(base, "v1beta", &format!("models/{model}:streamGenerateContent?alt=sse"))?;
            (url, (HeaderName::from_static("x-goog-api-key"), ""), Box::new(Google))
        }
    };
    let timeouts = Timeouts { connect: config.connect_timeout, whole: None };
    let endpoint = Endpoint::new(url, config.key.clone(), key_header, headers, &timeouts)?;
    Ok(Arc::new(Remote::new(config, endpoint, dialect)))
}

/// OpenAI's libraries take a base URL with the version in it; people also write just the host.
fn openai_address(base: &str) -> Result<Url, Failure> {
    let bare = address(base, "")?.path() == "/";
    address(base, if bare { "v1/chat/completions" } else { "chat/completions" })
}

/// A base URL may or may not end with the version.
fn versioned(base: &str, version: &str, path: &str) -> Result<Url, Failure> {
    let base = base.trim().trim_end_matches('/');
    let base = base.strip_suffix(version).filter(|rest| rest.ends_with('/')).unwrap_or(base);
    address(base, &format!("{version}/{path}"))
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
            let url = versioned(base, "v1", "messages").unwrap();
            assert_eq!(url.as_str(), "https://x.example/v1/messages", "{base}");
        }
        let other = versioned("https://x.example/gateway-v1", "v1", "messages").unwrap();
        assert_eq!(other.as_str(), "https://x.example/gateway-v1/v1/messages");
    }
}
