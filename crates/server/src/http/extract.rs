//! Taking a request apart, with errors that say what would be right.

use axum::{
    body::Body,
    extract::{FromRequest, FromRequestParts, Request},
    http::{HeaderMap, header, request::Parts},
};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use ibid_app::Scope;
use ibid_domain::{Code, Cursor, Limit, Problem, Sha256, problem::shorten_for_error};
use serde::de::DeserializeOwned;

use super::{Server, problem::ApiError};
use crate::wire::parse::parse_json;

/// Scope of the caller. A library without login has a single user, and every request that reaches a handler acts as
/// that user.
pub(crate) struct Caller(pub(crate) Scope);

impl FromRequestParts<Server> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(_parts: &mut Parts, server: &Server) -> Result<Self, ApiError> {
        Ok(Self(server.owner))
    }
}

/// JSON body of a request; errors become a [`Problem`].
pub(super) struct Json<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Server> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, server: &Server) -> Result<Self, ApiError> {
        check_json_type(request.headers())?;
        let bytes = read_body(request.into_body(), server.config.json_limit_bytes).await?;
        Ok(Self(parse_json(&bytes)?))
    }
}

/// Refuses a body that says it is something else than JSON.
pub(super) fn check_json_type(headers: &HeaderMap) -> Result<(), Problem> {
    let Some(kind) = headers.get(header::CONTENT_TYPE) else { return Ok(()) };
    let kind = kind.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim().to_lowercase();
    if kind != "application/json" && !kind.ends_with("+json") {
        let detail = format!("the content type is '{}'; this address takes application/json", shorten_for_error(&kind));
        return Err(Problem::new(Code::UnsupportedMediaType, detail));
    }
    Ok(())
}

/// Reads a body of at most `limit` bytes.
pub(super) async fn read_body(body: Body, limit: u64) -> Result<Bytes, Problem> {
    let limited = Limited::new(body, usize::try_from(limit).unwrap_or(usize::MAX));
    match limited.collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.downcast_ref::<LengthLimitError>().is_some() => {
            let detail = format!("the body is larger than the limit of {limit} bytes");
            Err(Problem::new(Code::BodyTooLarge, detail).with_fact("limit_bytes", limit))
        }
        Err(error) => Err(Problem::new(Code::InvalidBody, format!("the body could not be read: {error}"))),
    }
}

/// Query parameters of a request; errors become a [`Problem`].
pub(super) struct Query<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequestParts<Server> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _server: &Server) -> Result<Self, ApiError> {
        match axum::extract::Query::try_from_uri(&parts.uri) {
            Ok(axum::extract::Query(query)) => Ok(Self(query)),
            Err(error) => Err(Problem::new(Code::InvalidQuery, error.body_text()).into()),
        }
    }
}

/// Path parameters of a request; errors become a [`Problem`].
pub(super) struct Path<T>(pub(super) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Server> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, server: &Server) -> Result<Self, ApiError> {
        match axum::extract::Path::from_request_parts(parts, server).await {
            Ok(axum::extract::Path(path)) => Ok(Self(path)),
            Err(error) => Err(Problem::new(Code::InvalidPath, error.body_text()).into()),
        }
    }
}

/// A hash in the path. What is not a hash names nothing, so it is not found; `code` says what was looked for.
pub(super) fn hash_in_path(text: &str, code: Code) -> Result<Sha256, Problem> {
    text.parse().map_err(|problem: Problem| Problem::new(code, problem.detail))
}

/// `limit` and `cursor` of a list.
#[derive(Debug, Default, serde::Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Paging {
    /// Maximum number of items, 1 to 500; default 50.
    #[param(minimum = 1, maximum = 500, default = 50)]
    limit: Option<i64>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

impl Paging {
    pub(super) fn limit(&self) -> Result<Limit, Problem> {
        self.limit.map_or(Ok(Limit::default()), Limit::new)
    }

    pub(super) fn cursor(&self) -> Result<Option<Cursor>, Problem> {
        self.cursor.as_deref().filter(|text| !text.is_empty()).map(Cursor::decode).transpose()
    }
}
