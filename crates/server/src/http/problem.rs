//! Errors as clients see them: RFC 9457 problems.

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use ibid_domain::{Code, Problem};

use crate::wire;

/// An error on its way to a client. It is rendered at the very outside, where the request id is known.
pub(crate) struct ApiError(pub(super) Problem);

pub(super) type ApiResult<T> = Result<T, ApiError>;

impl From<Problem> for ApiError {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl From<ibid_app::Error> for ApiError {
    fn from(error: ibid_app::Error) -> Self {
        if !error.is_problem() {
            tracing::error!(error = error.with_causes(), "a request failed inside the server");
        }
        Self(error.to_problem())
    }
}

impl From<ibid_store::Error> for ApiError {
    fn from(error: ibid_store::Error) -> Self {
        ibid_app::Error::from(error).into()
    }
}

impl From<ibid_store::ThreadFailed> for ApiError {
    fn from(error: ibid_store::ThreadFailed) -> Self {
        ibid_app::Error::from(error).into()
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = status.into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
        }
        response.extensions_mut().insert(self.0);
        response
    }
}

/// Writes the body of a problem, if the response is one.
pub(super) fn render_problem(mut response: Response, request_id: &str) -> Response {
    let Some(problem) = response.extensions_mut().remove::<Problem>() else { return response };
    let body = serde_json::to_vec(&wire::Problem::new(problem, request_id)).unwrap_or_default();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    *response.body_mut() = Body::from(body);
    response
}

pub(super) async fn method_not_allowed(method: axum::http::Method) -> ApiError {
    Problem::new(Code::MethodNotAllowed, format!("{method} is not what this address takes")).into()
}

/// The problem of a path that names nothing.
pub(super) fn not_found(path: &str) -> ApiError {
    Problem::new(Code::NotFound, format!("there is nothing at {}", ibid_domain::problem::shorten_for_error(path)))
        .into()
}
