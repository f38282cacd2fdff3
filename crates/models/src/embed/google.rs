//! Google's Gemini API.

use reqwest::header::{HeaderMap, HeaderName};
use serde::{Deserialize, Serialize};

use super::{
    BoxFuture, EmbedError, Embedder, Purpose, RemoteEmbedderConfig,
    config::{RequestLimits, split_into_requests},
    estimate_tokens,
    vectors::{WireVector, normalize_vector},
};
use crate::http::{CONNECT_TIMEOUT, Endpoint, RequestTimeouts, join_url, model_in_path};

/// Google takes 100 texts a request.
const LIMITS: RequestLimits = RequestLimits { texts: 100, tokens: 20_000 };
const MAX_TOKENS: usize = 2048;

pub(super) struct GoogleEmbedder {
    endpoint: Endpoint,
    model: String,
    /// `models/` and the name: what each text of a request has to repeat.
    resource: String,
    asked_dimension: Option<usize>,
    dimension: usize,
    max_tokens: usize,
}

#[derive(Serialize)]
struct GoogleEmbedRequest<'a> {
    requests: Vec<GoogleEmbedText<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GoogleEmbedText<'a> {
    model: &'a str,
    content: GoogleEmbedContent<'a>,
    task_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_dimensionality: Option<usize>,
}

#[derive(Serialize)]
struct GoogleEmbedContent<'a> {
    parts: [GoogleEmbedPart<'a>; 1],
}

#[derive(Serialize)]
struct GoogleEmbedPart<'a> {
    text: &'a str,
}

#[derive(Deserialize)]
struct GoogleEmbedResponse {
    #[serde(default)]
    embeddings: Vec<GoogleEmbedding>,
}

#[derive(Deserialize)]
struct GoogleEmbedding {
    values: WireVector,
}

impl GoogleEmbedder {
    pub async fn connect(config: RemoteEmbedderConfig) -> Result<Self, EmbedError> {
        let model = config.model.unwrap_or_else(|| "text-embedding-004".to_owned());
        let model = model_in_path(model.strip_prefix("models/").unwrap_or(&model))?.to_owned();
        if config.key.is_none() {
            return Err(EmbedError::Refused("Google needs a key".to_owned()));
        }
        let known = match model.as_str() {
            "text-embedding-004" => Some(768),
            "gemini-embedding-001" => Some(3072),
            _ => None,
        };
        let base = config.base_url.as_deref().unwrap_or("https://generativelanguage.googleapis.com");
        let url = join_url(base, &format!("v1beta/models/{model}:batchEmbedContents"))?;
        let header = (HeaderName::from_static("x-goog-api-key"), "");
        let timeouts = RequestTimeouts { connect: CONNECT_TIMEOUT, whole: Some(config.timeout) };
        let mut embedder = Self {
            endpoint: Endpoint::new(url, config.key, header, HeaderMap::new(), &timeouts)?,
            resource: format!("models/{model}"),
            model,
            asked_dimension: config.dimension.filter(|&dimension| known != Some(dimension)),
            dimension: 0,
            max_tokens: config.max_tokens.unwrap_or(MAX_TOKENS),
        };
        embedder.dimension = match config.dimension.or(known) {
            Some(dimension) => dimension,
            None => embedder.request_vectors(&["dimension"], Purpose::Passage, None).await?.swap_remove(0).len(),
        };
        Ok(embedder)
    }

    async fn request_vectors(
        &self,
        texts: &[&str],
        purpose: Purpose,
        dimension: Option<usize>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let task_type = match purpose {
            Purpose::Passage | Purpose::Comparison => "RETRIEVAL_DOCUMENT",
            Purpose::Query => "RETRIEVAL_QUERY",
        };
        let one = |&text| GoogleEmbedText {
            model: &self.resource,
            content: GoogleEmbedContent { parts: [GoogleEmbedPart { text }] },
            task_type,
            output_dimensionality: self.asked_dimension,
        };
        let answer: GoogleEmbedResponse =
            self.endpoint.post_json(&GoogleEmbedRequest { requests: texts.iter().map(one).collect() }).await?;
        let (sent, came) = (texts.len(), answer.embeddings.len());
        if sent != came {
            return Err(EmbedError::Unavailable(format!("{sent} texts were sent, and {came} vectors came")));
        }
        answer.embeddings.into_iter().map(|item| normalize_vector(item.values.0, dimension)).collect()
    }
}

impl Embedder for GoogleEmbedder {
    fn provider(&self) -> &str {
        "google"
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn batch_size(&self) -> usize {
        LIMITS.texts
    }

    fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    fn count_tokens(&self, text: &str) -> usize {
        estimate_tokens(text)
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str], purpose: Purpose) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async move {
            let mut vectors = Vec::with_capacity(texts.len());
            for request in split_into_requests(texts, self.max_tokens, &LIMITS) {
                vectors.append(&mut self.request_vectors(&request, purpose, Some(self.dimension)).await?);
            }
            Ok(vectors)
        })
    }
}
