//! Embeddings: the trait, its errors, and what every provider's vectors go through.

mod config;
mod estimate;
mod google;
pub mod local;
mod openai;
mod vectors;

use std::{pin::Pin, time::Duration};

use reqwest::StatusCode;

pub use config::{EmbedderConfig, RemoteConfig, open};
pub use estimate::estimate_tokens;
pub use local::{LocalConfig, LocalEmbedder};

use crate::http::Failure;

/// A future that can be held by a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a text is embedded for: some models place questions and what answers them differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be found.
    Passage,
    /// To find.
    Query,
}

/// Turns texts into vectors of length one.
pub trait Embedder: Send + Sync {
    /// Who computes: `local`, `openai`, `google` or `compatible`.
    fn provider(&self) -> &str;

    /// The model's name, as its provider writes it.
    fn model(&self) -> &str;

    /// How many numbers a vector has.
    fn dimension(&self) -> usize;

    /// How many texts one call takes best. More are taken too, and split.
    fn batch(&self) -> usize;

    /// How many tokens of a text the model looks at. What follows is cut off.
    fn max_tokens(&self) -> usize;

    /// How many tokens a text has for the model, without the marks that the model puts around it: exact for the local
    /// model, for others an estimate that is rather too high.
    fn count_tokens(&self, text: &str) -> usize;

    /// A vector for each text, in the order of the texts. Either all succeed or none.
    fn embed<'a>(&'a self, texts: &'a [&'a str], purpose: Purpose) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>>;
}

/// Why there are no vectors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The provider takes no more for now: try again, not before `retry_after`.
    #[error("the provider takes no more requests for now: {detail}")]
    RateLimited {
        /// How long to wait, if the provider said so.
        retry_after: Option<Duration>,
        /// What the provider said.
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
        /// What was configured or learned.
        expected: usize,
        /// What came.
        got: usize,
    },
    /// A part of the local model is missing on this machine.
    #[error("the local model is not installed: {0}")]
    NotInstalled(String),
}

impl EmbedError {
    /// Whether the same call can succeed later without anybody's help.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::RateLimited { .. } | Self::Unavailable(_))
    }
}

impl From<Failure> for EmbedError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unusable(detail) => Self::Refused(detail),
            Failure::Unreachable { detail, .. } | Failure::Broken(detail) => Self::Unavailable(detail),
            Failure::Status { status, retry_after, detail, .. } => match status {
                StatusCode::TOO_MANY_REQUESTS => Self::RateLimited { retry_after, detail },
                StatusCode::SERVICE_UNAVAILABLE if retry_after.is_some() => Self::RateLimited { retry_after, detail },
                StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY => Self::Unavailable(detail),
                _ if status.is_client_error() || status.is_redirection() => Self::Refused(detail),
                _ => Self::Unavailable(detail),
            },
        }
    }
}
