//! Downloading an artifact: ranges, conditions, and headers that keep active content from running.

use std::ops::Range;

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use ibid_app::Scope;
use ibid_domain::{Artifact, Code, Problem, Sha256};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    Server,
    extract::{Caller, Path, Query, hash_in_path},
    problem::{ApiError, ApiResult},
};
use crate::wire;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ContentQuery {
    /// Inline shows images, PDF and plain text in place; everything else is always an attachment.
    #[param(value_type = Option<wire::values::ContentDisposition>, inline)]
    disposition: Option<String>,
}

impl ContentQuery {
    /// Returns the query for content that the browser displays instead of downloading.
    pub(super) fn inline() -> Self {
        Self { disposition: Some("inline".to_owned()) }
    }
}

/// The bytes of an artifact
///
/// Supports `Range`, `If-Range`, `If-Match` and `If-None-Match`; the ETag is the hash.
#[utoipa::path(
    get, path = "/api/v1/artifacts/{sha256}/content", tag = "artifacts", operation_id = "get_artifact_content",
    params(("sha256" = String, Path, description = "Its hash"), ContentQuery),
    responses(
        (status = 200, description = "All of it, as its own media type", content_type = "*/*", body = wire::FileBytes),
        (status = 206, description = "The range asked for", content_type = "*/*", body = wire::FileBytes),
        (status = 304, description = "The caller has it"),
        (status = 404, description = "There is none", body = wire::Problem, content_type = "application/problem+json"),
        (status = 412, description = "If-Match names another", body = wire::Problem, content_type = "application/problem+json"),
        (status = 416, description = "The range lies outside", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn download(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(sha256): Path<String>,
    Query(query): Query<ContentQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    send_artifact(&server, &scope, hash_in_path(&sha256, Code::ArtifactNotFound)?, &query, &headers).await
}

/// Answers with the bytes of an artifact, or the part of them that was asked for.
pub(super) async fn send_artifact(
    server: &Server,
    scope: &Scope,
    sha256: Sha256,
    query: &ContentQuery,
    headers: &HeaderMap,
) -> ApiResult<Response> {
    let artifact = server.app.artifacts(scope).get(sha256).await?;
    let (response, range) = prepare_response(&artifact, query, headers)?;
    let Some(range) = range else { return Ok(response) };
    let content = server.app.artifacts(scope).content(artifact, Some(range)).await?;
    let (parts, _) = response.into_parts();
    Ok(Response::from_parts(parts, Body::from_stream(content.bytes)))
}

/// The headers of an artifact's bytes
#[utoipa::path(
    head, path = "/api/v1/artifacts/{sha256}/content", tag = "artifacts", operation_id = "head_artifact_content",
    params(("sha256" = String, Path, description = "Its hash"), ContentQuery),
    responses(
        (status = 200, description = "Size, type and ETag"),
        (status = 206, description = "Those of the range asked for"),
        (status = 304, description = "Unchanged"),
        (status = 404, description = "There is none"),
        (status = 412, description = "The content is another one"),
        (status = 416, description = "The range lies outside"),
    ),
)]
pub(super) async fn head(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(sha256): Path<String>,
    Query(query): Query<ContentQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let artifact = server.app.artifacts(&scope).get(hash_in_path(&sha256, Code::ArtifactNotFound)?).await?;
    Ok(prepare_response(&artifact, &query, &headers)?.0)
}

/// Decides on status and headers; the range is `None` when no bytes go with them.
fn prepare_response(
    artifact: &Artifact,
    query: &ContentQuery,
    headers: &HeaderMap,
) -> Result<(Response, Option<Range<u64>>), ApiError> {
    let etag = format!("\"{}\"", artifact.sha256);
    let size = artifact.size_bytes;
    if let Some(wanted) = header_text(headers, &header::IF_MATCH)
        && !is_etag_listed(wanted, &etag)
    {
        let detail = format!("If-Match does not name {etag}, which is what is here");
        return Err(Problem::new(Code::PreconditionFailed, detail).into());
    }
    if header_text(headers, &header::IF_NONE_MATCH).is_some_and(|known| is_etag_listed(known, &etag)) {
        let mut response = StatusCode::NOT_MODIFIED.into_response();
        insert_header(&mut response, header::ETAG, &etag);
        insert_header(&mut response, header::CACHE_CONTROL, CACHE);
        return Ok((response, None));
    }
    // A range is for the bytes that the caller saw before; if those were others, it gets all of these.
    let same = header_text(headers, &header::IF_RANGE).is_none_or(|known| known.trim() == etag);
    let range = header_text(headers, &header::RANGE).filter(|_| same).and_then(|value| parse_range(value, size));
    let (status, range) = match range {
        Some(Err(())) => {
            let detail = format!("the range lies outside the {size} bytes of the content");
            let mut response = ApiError(Problem::new(Code::RangeNotSatisfiable, detail)).into_response();
            insert_header(&mut response, header::CONTENT_RANGE, &format!("bytes */{size}"));
            return Ok((response, None));
        }
        Some(Ok(range)) => (StatusCode::PARTIAL_CONTENT, range),
        None => (StatusCode::OK, 0..size),
    };
    let mut response = status.into_response();
    if status == StatusCode::PARTIAL_CONTENT {
        insert_header(&mut response, header::CONTENT_RANGE, &format!("bytes {}-{}/{size}", range.start, range.end - 1));
    }
    let inline = query.disposition.as_deref() == Some("inline") && is_safe_inline(artifact.media_type.essence());
    insert_header(&mut response, header::CONTENT_TYPE, served_media_type(artifact, inline).as_str());
    insert_header(&mut response, header::CONTENT_LENGTH, &(range.end - range.start).to_string());
    insert_header(&mut response, header::ETAG, &etag);
    insert_header(&mut response, header::ACCEPT_RANGES, "bytes");
    insert_header(&mut response, header::CACHE_CONTROL, CACHE);
    insert_header(&mut response, header::CONTENT_DISPOSITION, &content_disposition(artifact, inline));
    // Even if a browser were made to render it, it could do nothing.
    insert_header(
        &mut response,
        header::CONTENT_SECURITY_POLICY,
        "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    );
    Ok((response, Some(range)))
}

/// Bytes that are named by their hash never change.
const CACHE: &str = "private, max-age=31536000, immutable";

fn insert_header(response: &mut Response, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

fn header_text<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Returns true if an `If-None-Match` list contains this ETag.
fn is_etag_listed(list: &str, etag: &str) -> bool {
    list.split(',').map(str::trim).any(|one| one == "*" || one.trim_start_matches("W/") == etag)
}

/// A single range of bytes. `None` means that the header is to be ignored: another unit, several ranges, or nonsense.
fn parse_range(value: &str, size: u64) -> Option<Result<Range<u64>, ()>> {
    let spec = value.trim().strip_prefix("bytes=")?.trim();
    let (first, last) = spec.split_once('-')?;
    let number = |text: &str| text.trim().parse::<u64>().ok().filter(|_| !text.trim().starts_with('+'));
    let range = match (first.trim(), last.trim()) {
        ("", suffix) => {
            let count = number(suffix)?;
            if count == 0 || size == 0 {
                return Some(Err(()));
            }
            size.saturating_sub(count)..size
        }
        (first, "") => number(first)?..size,
        (first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            if last < first {
                return None;
            }
            first..last.saturating_add(1).min(size)
        }
    };
    Some(if range.start >= size { Err(()) } else { Ok(range) })
}

/// Types that no browser runs anything of.
fn is_safe_inline(essence: &str) -> bool {
    matches!(
        essence,
        "image/png"
            | "image/jpeg"
            | "image/gif"
            | "image/webp"
            | "image/avif"
            | "application/pdf"
            | "text/plain"
            | "text/markdown"
            | "text/csv"
            | "application/json"
    )
}

/// Returns the `Content-Type` header of an artifact. All text displayed inline is served as plain text, so that scripts
/// in it do not run.
fn served_media_type(artifact: &Artifact, inline: bool) -> String {
    let essence = artifact.media_type.essence();
    if inline && (essence.starts_with("text/") || essence == "application/json") {
        return "text/plain; charset=utf-8".to_owned();
    }
    artifact.media_type.as_str().to_owned()
}

/// Characters that stand for themselves in `filename*` (RFC 8187).
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn content_disposition(artifact: &Artifact, inline: bool) -> String {
    let kind = if inline { "inline" } else { "attachment" };
    let short = artifact.sha256.to_string();
    let name = artifact.filename.as_ref().map_or(&short[..16], |name| name.as_str());
    let ascii: String = name
        .chars()
        .map(|c| if c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%') || c == ' ' { c } else { '_' })
        .collect();
    format!("{kind}; filename=\"{ascii}\"; filename*=UTF-8''{}", utf8_percent_encode(name, PLAIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_rfc_9110_says() {
        let cases = [
            ("bytes=0-4", Some(Ok(0..5))),
            ("bytes=5-", Some(Ok(5..10))),
            ("bytes=-3", Some(Ok(7..10))),
            ("bytes=-30", Some(Ok(0..10))),
            ("bytes=8-99", Some(Ok(8..10))),
            ("bytes=10-", Some(Err(()))),
            ("bytes=-0", Some(Err(()))),
            ("bytes=4-2", None),
            ("bytes=0-1,3-4", None),
            ("lines=0-1", None),
            ("bytes=a-b", None),
            ("bytes=0-18446744073709551615", Some(Ok(0..10))),
        ];
        for (value, expected) in cases {
            assert_eq!(parse_range(value, 10), expected, "{value}");
        }
        assert_eq!(parse_range("bytes=0-", 0), Some(Err(())));
    }
}
