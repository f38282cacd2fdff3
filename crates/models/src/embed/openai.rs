//! OpenAI, and every server that speaks its protocol.

use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde::{Deserialize, Serialize};

use super::{
    BoxFuture, EmbedError, Embedder, Purpose, RemoteEmbedderConfig,
    config::{RequestLimits, split_into_requests},
    estimate_tokens,
    vectors::{WireVector, normalize_vector},
};
use crate::http::{CONNECT_TIMEOUT, Endpoint, RequestTimeouts, join_url};

/// Limits below those OpenAI documents (2,048 texts, 300,000 tokens); fewer texts keep a response at a few megabytes.
const OPENAI: RequestLimits = RequestLimits { texts: 256, tokens: 250_000 };
/// Servers that people run themselves are smaller.
const COMPATIBLE: RequestLimits = RequestLimits { texts: 32, tokens: 32_000 };
const MAX_TOKENS: usize = 8191;

pub(super) struct OpenAiEmbedder {
    provider: &'static str,
    endpoint: Endpoint,
    model: String,
    /// Sent along, where the model can shorten its vectors.
    asked_dimension: Option<usize>,
    dimension: usize,
    max_tokens: usize,
    limits: &'static RequestLimits,
    encoding: &'static str,
}

#[derive(Serialize)]
struct OpenAiEmbedRequest<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

#[derive(Deserialize)]
struct OpenAiEmbedResponse {
    data: Vec<OpenAiEmbedding>,
}

#[derive(Deserialize)]
struct OpenAiEmbedding {
    index: Option<usize>,
    embedding: WireVector,
}

impl OpenAiEmbedder {
    pub async fn connect_openai(config: RemoteEmbedderConfig) -> Result<Self, EmbedError> {
        let model = config.model.clone().unwrap_or_else(|| "text-embedding-3-small".to_owned());
        let known = match model.as_str() {
            "text-embedding-3-small" | "text-embedding-ada-002" => Some(1536),
            "text-embedding-3-large" => Some(3072),
            _ => None,
        };
        if config.key.is_none() {
            return Err(EmbedError::Refused("OpenAI needs a key".to_owned()));
        }
        let asked =
            config.dimension.filter(|&dimension| model.starts_with("text-embedding-3") && known != Some(dimension));
        let base = config.base_url.clone().unwrap_or_else(|| "https://api.openai.com".to_owned());
        Self::connect("openai", &base, model, known, asked, config, &OPENAI, "base64").await
    }

    pub async fn connect_compatible(config: RemoteEmbedderConfig) -> Result<Self, EmbedError> {
        let missing = |what| EmbedError::Refused(format!("an OpenAI-compatible server needs a {what}"));
        let model = config.model.clone().ok_or_else(|| missing("model"))?;
        let base = config.base_url.clone().ok_or_else(|| missing("base URL"))?;
        // Not all of them know base64, and few can shorten vectors.
        Self::connect("compatible", &base, model, None, None, config, &COMPATIBLE, "float").await
    }

    #[expect(clippy::too_many_arguments, reason = "called twice, above")]
    async fn connect(
        provider: &'static str,
        base: &str,
        model: String,
        known_dimension: Option<usize>,
        asked_dimension: Option<usize>,
        config: RemoteEmbedderConfig,
        limits: &'static RequestLimits,
        encoding: &'static str,
    ) -> Result<Self, EmbedError> {
        // Base URLs are written with and without the version.
        let versioned = base.trim().trim_end_matches('/').ends_with("/v1");
        let url = join_url(base, if versioned { "embeddings" } else { "v1/embeddings" })?;
        let timeouts = RequestTimeouts { connect: CONNECT_TIMEOUT, whole: Some(config.timeout) };
        let mut embedder = Self {
            provider,
            endpoint: Endpoint::new(url, config.key, (AUTHORIZATION, "Bearer "), HeaderMap::new(), &timeouts)?,
            model,
            asked_dimension,
            dimension: 0,
            max_tokens: config.max_tokens.unwrap_or(MAX_TOKENS),
            limits,
            encoding,
        };
        embedder.dimension = match config.dimension.or(known_dimension) {
            Some(dimension) => dimension,
            None => embedder.request_vectors(&["dimension"], None).await?.swap_remove(0).len(),
        };
        Ok(embedder)
    }

    async fn request_vectors(&self, texts: &[&str], dimension: Option<usize>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let request = OpenAiEmbedRequest {
            model: &self.model,
            input: texts,
            encoding_format: self.encoding,
            dimensions: self.asked_dimension,
        };
        let answer: OpenAiEmbedResponse = self.endpoint.post_json(&request).await?;
        let count = answer.data.len();
        let wrong = || EmbedError::Unavailable(format!("{} texts were sent, and {count} vectors came", texts.len()));
        if count != texts.len() {
            return Err(wrong());
        }
        let mut vectors = vec![Vec::new(); count];
        for (position, item) in answer.data.into_iter().enumerate() {
            let place = vectors.get_mut(item.index.unwrap_or(position)).ok_or_else(wrong)?;
            if !place.is_empty() {
                return Err(EmbedError::Unavailable("two vectors came for one text".to_owned()));
            }
            *place = normalize_vector(item.embedding.0, dimension)?;
        }
        Ok(vectors)
    }
}

impl Embedder for OpenAiEmbedder {
    fn provider(&self) -> &str {
        self.provider
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn batch_size(&self) -> usize {
        self.limits.texts
    }

    fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    fn count_tokens(&self, text: &str) -> usize {
        estimate_tokens(text)
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str], _: Purpose) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async move {
            let mut vectors = Vec::with_capacity(texts.len());
            for request in split_into_requests(texts, self.max_tokens, self.limits) {
                vectors.append(&mut self.request_vectors(&request, Some(self.dimension)).await?);
            }
            Ok(vectors)
        })
    }
}
