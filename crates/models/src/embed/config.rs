//! Which embedder, and how to reach it.

use std::{sync::Arc, time::Duration};

use super::{EmbedError, Embedder, LocalConfig, LocalEmbedder, google::Google, openai::OpenAi};
use crate::Secret;

/// Which embedder.
#[derive(Clone, Debug)]
pub enum EmbedderConfig {
    /// all-MiniLM-L6-v2 on this machine: no key, no network.
    Local(LocalConfig),
    /// OpenAI; the model is `text-embedding-3-small` unless named.
    OpenAi(RemoteConfig),
    /// Google; the model is `text-embedding-004` unless named.
    Google(RemoteConfig),
    /// Any server that speaks OpenAI's protocol. It needs a base URL and a model.
    Compatible(RemoteConfig),
}

/// How to reach a provider.
#[derive(Clone, Debug)]
pub struct RemoteConfig {
    /// Where it listens, without the path of the call; the provider's own address if none.
    pub base_url: Option<String>,
    /// The model; the provider's usual one if none.
    pub model: Option<String>,
    /// The key.
    pub key: Option<Secret>,
    /// The length of the vectors. If none: what the model is known for, or what it gives when asked once.
    pub dimension: Option<usize>,
    /// How many tokens of a text the model looks at; what it is known for if none.
    pub max_tokens: Option<usize>,
    /// How long one request may take.
    pub timeout: Duration,
}

impl Default for RemoteConfig {
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
pub async fn open(config: EmbedderConfig) -> Result<Arc<dyn Embedder>, EmbedError> {
    Ok(match config {
        EmbedderConfig::Local(config) => Arc::new(LocalEmbedder::new(config)),
        EmbedderConfig::OpenAi(config) => Arc::new(OpenAi::openai(config).await?),
        EmbedderConfig::Google(config) => Arc::new(Google::connect(config).await?),
        EmbedderConfig::Compatible(config) => Arc::new(OpenAi::compatible(config).await?),
    })
}

/// What one request may hold.
pub(super) struct RequestLimits {
    pub texts: usize,
    pub tokens: usize,
}

/// Cuts a list of texts into requests that keep the limits: each text shortened to what the model looks at, and none
/// of them empty, which providers refuse.
pub(super) fn requests<'a>(texts: &[&'a str], max_tokens: usize, limits: &RequestLimits) -> Vec<Vec<&'a str>> {
    let mut requests: Vec<Vec<&str>> = Vec::new();
    let mut room = 0;
    for text in texts {
        let text = if text.is_empty() { " " } else { super::estimate::cut(text, max_tokens) };
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
        let requests = requests(&texts, 4, &limits);
        assert_eq!(requests, [vec!["a", "b", "c"], vec!["d"], vec!["many words "], vec!["e", " "]]);
    }
}
