//! Embeddings: the trait, its errors, and what every provider's vectors go through.

mod config;
mod estimate;
mod google;
pub mod local;
mod openai;
mod vectors;

use std::{pin::Pin, time::Duration};

use reqwest::StatusCode;

pub use config::{EmbedderConfig, RemoteEmbedderConfig, open_embedder};
pub use estimate::estimate_tokens;
pub use local::LocalEmbedder;

use crate::http::RequestFailure;

/// A future that can be held by a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Purpose of an embedding; some models embed questions and passages differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Text that is stored and searched. Nobody waits for it: on this machine it gives way to everything else.
    Passage,
    /// Text that is compared with others at once, for somebody who waits.
    Comparison,
    /// Question or query to search with.
    Query,
}

/// Turns texts into vectors of length one.
pub trait Embedder: Send + Sync {
    /// Returns the name of the provider: `local`, `openai`, `google` or `compatible`.
    fn provider(&self) -> &str;

    /// The model's name, as its provider writes it.
    fn model(&self) -> &str;

    /// Returns the number of dimensions of the vectors.
    fn dimension(&self) -> usize;

    /// Returns the best number of texts for one call. Longer lists are accepted and split.
    fn batch_size(&self) -> usize;

    /// Returns the maximum number of tokens that the model reads; the rest of a text is cut off.
    fn max_tokens(&self) -> usize;

    /// Returns the number of tokens of a text without special tokens: exact for the local model, a high estimate for
    /// others.
    fn count_tokens(&self, text: &str) -> usize;

    /// Returns true if the model was trained on texts in this language, given as an ISO 639-1 code. Of others it compares
    /// letters rather than meanings.
    fn reads_language(&self, _code: &str) -> bool {
        true
    }

    /// A vector for each text, in the order of the texts. Either all succeed or none.
    fn embed<'a>(&'a self, texts: &'a [&'a str], purpose: Purpose) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>>;
}

/// Reason why texts could not be embedded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The provider takes no more for now: try again, not before `retry_after`.
    #[error("the provider takes no more requests for now: {detail}")]
    RateLimited {
        /// Delay requested by the provider, if any.
        retry_after: Option<Duration>,
        /// Error message from the provider.
        detail: String,
    },
    /// No answer, or half of one: a retry can help.
    #[error("the provider did not answer properly: {0}")]
    Unavailable(String),
    /// The provider understood and said no: the same request will fail again.
    #[error("the provider refused: {0}")]
    Refused(String),
    /// The vectors are not of the length that was agreed on.
    #[error("the provider's vectors have {got} dimensions instead of {expected}; set the dimension to {got}")]
    WrongDimension {
        /// Dimension that is configured, or that the first vector had.
        expected: usize,
        /// Dimension of the received vector.
        got: usize,
    },
    /// A part of the local model is missing on this machine.
    #[error("the local model is not installed: {0}")]
    NotInstalled(String),
}

impl EmbedError {
    /// Returns true if the same call can succeed later without any change.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::RateLimited { .. } | Self::Unavailable(_))
    }
}

impl From<RequestFailure> for EmbedError {
    fn from(failure: RequestFailure) -> Self {
        match failure {
            RequestFailure::Unusable(detail) => Self::Refused(detail),
            RequestFailure::Unreachable { detail, .. } | RequestFailure::Broken(detail) => Self::Unavailable(detail),
            RequestFailure::Status { status, retry_after, detail, .. } => match status {
                StatusCode::TOO_MANY_REQUESTS => Self::RateLimited { retry_after, detail },
                StatusCode::SERVICE_UNAVAILABLE if retry_after.is_some() => Self::RateLimited { retry_after, detail },
                StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY => Self::Unavailable(detail),
                _ if status.is_client_error() || status.is_redirection() => Self::Refused(detail),
                _ => Self::Unavailable(detail),
            },
        }
    }
}
