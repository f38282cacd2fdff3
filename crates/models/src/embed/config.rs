//! Which embedder, and how to reach it.

use std::{sync::Arc, time::Duration};

use super::{EmbedError, Embedder, LocalEmbedder, google::GoogleEmbedder, openai::OpenAiEmbedder};
use crate::LocalModelConfig;
use crate::Secret;

/// Choice of embedder, with its configuration.
#[derive(Clone, Debug)]
pub enum EmbedderConfig {
    /// all-MiniLM-L6-v2 on this machine: no key, no network.
    Local(LocalModelConfig),
    /// OpenAI; the model is `text-embedding-3-small` unless named.
    OpenAi(RemoteEmbedderConfig),
    /// Google; the model is `text-embedding-004` unless named.
    Google(RemoteEmbedderConfig),
    /// Any server that speaks OpenAI's protocol. It needs a base URL and a model.
    Compatible(RemoteEmbedderConfig),
}

/// Address, key and limits of an embedding provider.
#[derive(Clone, Debug)]
pub struct RemoteEmbedderConfig {
    /// Base URL without the path of the call; the provider's own if `None`.
    pub base_url: Option<String>,
    /// The model; the provider's usual one if none.
    pub model: Option<String>,
    /// API key; optional for servers that need none.
    pub key: Option<Secret>,
    /// The length of the vectors. If none: what the model is known for, or what it gives when asked once.
    pub dimension: Option<usize>,
    /// Maximum number of tokens of a text that the model reads; the known value of the model if `None`.
    pub max_tokens: Option<usize>,
    /// Maximum time for one request.
    pub timeout: Duration,
}

impl Default for RemoteEmbedderConfig {
    fn default() -> Self {
        Self {
            base_url: None,
            model: None,
            key: None,
            dimension: None,
            max_tokens: None,
            timeout: Duration::from_secs(60),
        }
    }
}

/// Makes an embedder. Only one whose dimension is neither configured nor known asks its provider for a first vector;
/// the local model is loaded when it is first used.
pub async fn open_embedder(config: EmbedderConfig) -> Result<Arc<dyn Embedder>, EmbedError> {
    Ok(match config {
        EmbedderConfig::Local(config) => Arc::new(LocalEmbedder::new(config)),
        EmbedderConfig::OpenAi(config) => Arc::new(OpenAiEmbedder::connect_openai(config).await?),
        EmbedderConfig::Google(config) => Arc::new(GoogleEmbedder::connect(config).await?),
        EmbedderConfig::Compatible(config) => Arc::new(OpenAiEmbedder::connect_compatible(config).await?),
    })
}

/// Maximum number of texts and tokens in one request.
pub(super) struct RequestLimits {
    pub texts: usize,
    pub tokens: usize,
}

/// Cuts a list of texts into requests that keep the limits: each text shortened to what the model looks at, and none
/// of them empty, which providers refuse.
pub(super) fn split_into_requests<'a>(
    texts: &[&'a str],
    max_tokens: usize,
    limits: &RequestLimits,
) -> Vec<Vec<&'a str>> {
    let mut requests: Vec<Vec<&str>> = Vec::new();
    let mut room = 0;
    for text in texts {
        let text = if text.is_empty() { " " } else { super::estimate::truncate_to_tokens(text, max_tokens) };
        let tokens = super::estimate_tokens(text);
        match requests.last_mut() {
            Some(last) if last.len() < limits.texts && tokens <= room => last.push(text),
            _ => {
                requests.push(vec![text]);
                room = limits.tokens;
            }
        }
        room = room.saturating_sub(tokens);
    }
    requests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_keep_the_limits_and_the_order() {
        let limits = RequestLimits { texts: 3, tokens: 4 };
        let texts = ["a", "b", "c", "d", "many words in one text", "e", ""];
        let requests = split_into_requests(&texts, 4, &limits);
        assert_eq!(requests, [vec!["a", "b", "c"], vec!["d"], vec!["many words "], vec!["e", " "]]);
    }
}
