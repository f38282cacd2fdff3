//! Why there is no answer, or only half of one.

use std::{fmt, time::Duration};

use serde_json::Value as Json;

use crate::http::{RequestFailure, error_message, error_words, retry_delay};

/// Why there is no answer, or only half of one. No text in it holds the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChatError {
    /// The key is missing, wrong, or not for this.
    #[error("the provider does not accept the key: {0}")]
    Unauthorised(String),
    /// The provider takes no more from us for now.
    #[error("the provider takes no more requests for now: {detail}")]
    RateLimited {
        /// Delay requested by the provider, if any.
        retry_after: Option<Duration>,
        /// Error message from the provider.
        detail: String,
    },
    /// The provider has too much to do, or a fault of its own.
    #[error("the provider cannot answer for now: {detail}")]
    Overloaded {
        /// Delay requested by the provider, if any.
        retry_after: Option<Duration>,
        /// Error message from the provider.
        detail: String,
    },
    /// The provider understood and said no, or what is configured can never work.
    #[error("the provider refused: {0}")]
    Refused(String),
    /// The connection failed or was closed without a response.
    #[error("the provider cannot be reached: {0}")]
    Unreachable(String),
    /// A timeout passed before the answer was complete.
    #[error("{what} did not come within {} s", .after.as_secs_f64())]
    TimedOut {
        /// Phase of the request that timed out.
        what: TimeoutPhase,
        /// The timeout that was exceeded.
        after: Duration,
    },
    /// The stream ended before the answer was complete.
    #[error("the answer broke off: {0}")]
    Interrupted(String),
    /// The response does not follow the provider's protocol.
    #[error("the answer cannot be read: {0}")]
    Malformed(String),
    /// Question or answer are larger than they may be.
    #[error("too large: {0}")]
    TooLarge(String),
}

/// Phase of a request that can time out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeoutPhase {
    /// A connection to the provider.
    Connection,
    /// A sign that the model has begun.
    FirstToken,
    /// The next bytes of an answer that has begun.
    MoreBytes,
    /// The end of the whole answer, within the total timeout.
    End,
}

impl fmt::Display for TimeoutPhase {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Connection => "a connection to the provider",
            Self::FirstToken => "the first word of the answer",
            Self::MoreBytes => "more of the answer",
            Self::End => "the end of the answer",
        })
    }
}

impl ChatError {
    /// Its name, for logs and counters.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unauthorised(_) => "unauthorised",
            Self::RateLimited { .. } => "rate_limited",
            Self::Overloaded { .. } => "overloaded",
            Self::Refused(_) => "refused",
            Self::Unreachable(_) => "unreachable",
            Self::TimedOut { .. } => "timed_out",
            Self::Interrupted(_) => "interrupted",
            Self::Malformed(_) => "malformed",
            Self::TooLarge(_) => "too_large",
        }
    }

    /// Returns true if the same request can succeed later without any change.
    pub fn can_retry(&self) -> bool {
        match self {
            Self::RateLimited { .. }
            | Self::Overloaded { .. }
            | Self::Unreachable(_)
            | Self::TimedOut { .. }
            | Self::Interrupted(_)
            | Self::Malformed(_) => true,
            Self::Unauthorised(_) | Self::Refused(_) | Self::TooLarge(_) => false,
        }
    }

    /// Returns the delay requested by the provider, if any.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Overloaded { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// An error that came as an event of the answer.
    pub(super) fn from_event(event: &Json) -> Self {
        let event = event.get(0).unwrap_or(event);
        let status = event.pointer("/error/code").and_then(Json::as_u64);
        let detail = error_message(event).map_or_else(|| event.to_string(), str::to_owned);
        Self::from_status(status.unwrap_or_default(), &error_words(event), retry_delay(event), detail)
    }

    /// Maps a status and the provider's error codes to an error. Codes that say more than the status take precedence.
    fn from_status(status: u64, words: &[String], retry_after: Option<Duration>, detail: String) -> Self {
        let said = |any: &[&str]| words.iter().any(|word| any.contains(&word.as_str()));
        if said(&["API_KEY_INVALID", "invalid_api_key"]) {
            return Self::Unauthorised(detail);
        }
        // No waiting fills an account.
        if said(&["insufficient_quota", "billing_error"]) {
            return Self::Refused(detail);
        }
        match status {
            401 | 403 => Self::Unauthorised(detail),
            408 | 425 => Self::Overloaded { retry_after, detail },
            413 => Self::TooLarge(detail),
            429 => Self::RateLimited { retry_after, detail },
            300..=499 => Self::Refused(detail),
            500..=599 => Self::Overloaded { retry_after, detail },
            _ if said(&["authentication_error", "permission_error"]) => Self::Unauthorised(detail),
            _ if said(&["rate_limit_error", "rate_limit_exceeded"]) => Self::RateLimited { retry_after, detail },
            _ if said(&["request_too_large"]) => Self::TooLarge(detail),
            _ if said(&["overloaded_error", "api_error", "server_error", "timeout_error"]) => {
                Self::Overloaded { retry_after, detail }
            }
            _ if said(&["invalid_request_error", "not_found_error"]) => Self::Refused(detail),
            _ => Self::Interrupted(detail),
        }
    }

    /// The same with another text: what a provider said is not yet fit to be shown.
    pub(super) fn with_detail(mut self, shown: impl FnOnce(&str) -> String) -> Self {
        match &mut self {
            Self::RateLimited { detail, .. }
            | Self::Overloaded { detail, .. }
            | Self::Unauthorised(detail)
            | Self::Refused(detail)
            | Self::Unreachable(detail)
            | Self::Interrupted(detail)
            | Self::Malformed(detail)
            | Self::TooLarge(detail) => *detail = shown(detail),
            Self::TimedOut { .. } => {}
        }
        self
    }

    /// Converts a failed HTTP request; `connect` is the connection timeout to report.
    pub(super) fn from_failure(failure: RequestFailure, connect: Duration) -> Self {
        match failure {
            RequestFailure::Unusable(detail) => Self::Refused(detail),
            RequestFailure::Unreachable { timed_out: true, .. } => {
                Self::TimedOut { what: TimeoutPhase::Connection, after: connect }
            }
            RequestFailure::Unreachable { detail, .. } => Self::Unreachable(detail),
            RequestFailure::Broken(detail) => Self::Interrupted(detail),
            RequestFailure::Status { status, words, retry_after, detail } => {
                Self::from_status(status.as_u16().into(), &words, retry_after, detail)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_within_an_answer_are_told_apart_by_what_the_provider_calls_them() {
        for (event, kind, detail) in [
            (json!({"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}), "overloaded", "Busy"),
            (json!({"error": {"type": "rate_limit_error", "message": "Slow"}}), "rate_limited", "Slow"),
            (json!({"error": {"code": "insufficient_quota", "type": "rate_limit_error"}}), "refused", "insufficient"),
            (json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "q"}}), "rate_limited", "q"),
            (json!([{"error": {"code": 503, "status": "UNAVAILABLE", "message": "u"}}]), "overloaded", "u"),
            (json!({"error": {"code": 503, "status": "UNAVAILABLE", "message": "u"}}), "overloaded", "u"),
            (json!({"error": {"code": 400, "details": [{"reason": "API_KEY_INVALID"}]}}), "unauthorised", "API_KEY"),
            (json!({"error": {"type": "authentication_error", "message": "a"}}), "unauthorised", "a"),
            (json!({"error": {"type": "invalid_request_error", "message": "i"}}), "refused", "i"),
            (json!({"error": {"type": "request_too_large", "message": "l"}}), "too_large", "l"),
            (json!({"error": {"type": "server_error", "message": "s"}}), "overloaded", "s"),
            (json!({"error": "out of memory"}), "interrupted", "out of memory"),
            (json!({"error": {"code": null, "message": "odd"}}), "interrupted", "odd"),
        ] {
            let error = ChatError::from_event(&event);
            assert_eq!(error.kind(), kind, "{event}");
            assert!(error.to_string().contains(detail), "{error}");
        }
    }

    #[test]
    fn a_connection_that_takes_too_long_is_told_from_one_that_is_refused() {
        let failure = |timed_out| RequestFailure::Unreachable { timed_out, detail: "no route".to_owned() };
        let after = Duration::from_secs(3);
        let late = ChatError::from_failure(failure(true), after);
        assert_eq!(late, ChatError::TimedOut { what: TimeoutPhase::Connection, after });
        let refused = ChatError::from_failure(failure(false), after);
        assert_eq!(refused, ChatError::Unreachable("no route".to_owned()));
    }

    #[test]
    fn what_timed_out_is_said() {
        let error = ChatError::TimedOut { what: TimeoutPhase::FirstToken, after: Duration::from_millis(1500) };
        assert_eq!(error.to_string(), "the first word of the answer did not come within 1.5 s");
        assert!(error.can_retry() && error.retry_after().is_none());
    }
}
