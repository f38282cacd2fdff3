//! Who may call, and for how long.
//!
//! A library on loopback has no login, so a page of another site that is open in the same browser must not be able to
//! use it: neither by a form or script that posts to it (the `Origin` gives that away), nor by a host name of its own
//! that it lets point to this machine (the `Host` gives that away).

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Uri, header, uri::Authority},
    middleware::Next,
    response::{IntoResponse, Response},
};
use ibid_domain::{Code, Problem, problem::shorten_for_error};

use super::{Server, problem::ApiError};

/// Refuses requests that other sites make.
pub(super) async fn same_site(State(server): State<Server>, request: Request, next: Next) -> Response {
    match check_same_site(&server, request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(problem) => ApiError(problem).into_response(),
    }
}

fn check_same_site(server: &Server, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
    let host = match uri.authority() {
        Some(authority) => authority.as_str(),
        None => headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default(),
    };
    let name = host.parse::<Authority>().map(|authority| authority.host().trim_matches(['[', ']']).to_lowercase());
    let known = name.as_ref().is_ok_and(|name| {
        is_loopback(name)
            || *name == server.config.listen.ip().to_string()
            || is_listed(&server.config.allowed_hosts, name)
    });
    if !known {
        let detail = format!("this server does not answer for the host '{}'", shorten_for_error(host));
        return Err(Problem::new(Code::ForbiddenHost, detail).with_field("host"));
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().unwrap_or("null");
    let same = origin.split_once("://").is_some_and(|(_, authority)| authority.eq_ignore_ascii_case(host));
    if same {
        return Ok(());
    }
    Err(Problem::new(Code::ForbiddenOrigin, format!("requests from '{}' are refused", shorten_for_error(origin)))
        .with_field("origin"))
}

fn is_loopback(name: &str) -> bool {
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn is_listed(list: &str, name: &str) -> bool {
    list.split(',').any(|one| one.trim().eq_ignore_ascii_case(name))
}

/// Returns true if the request's body is an upload that is stored while it streams in.
pub(super) fn is_upload(request: &Request) -> bool {
    let form = || {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("multipart/"))
    };
    request.method() == axum::http::Method::POST
        && match request.uri().path() {
            "/api/v1/artifacts" | "/api/v1/sources/upload" | "/api/v1/import/passages" => true,
            "/api/v1/sources/import" => form(),
            path if path.starts_with("/api/v1/runs/") && path.ends_with("/response") => {
                let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
                kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/plain"))
            }
            _ => false,
        }
}

/// Ends requests that take too long. Uploads have their own bound, and what streams has begun its answer.
pub(super) async fn time_out(State(server): State<Server>, request: Request, next: Next) -> Response {
    if is_upload(&request) {
        return next.run(request).await;
    }
    let limit = server.config.request_timeout();
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let detail = format!("the request took longer than {} seconds", limit.as_secs());
            ApiError(Problem::new(Code::Timeout, detail)).into_response()
        }
    }
}
