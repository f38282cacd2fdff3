//! The web app, as it was built into the binary.

use axum::{
    extract::Request,
    http::{HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};

use super::problem;

#[derive(rust_embed::RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct WebAssets;

/// The user guide, as `scripts/docs.sh` built it.
#[derive(rust_embed::RustEmbed)]
#[folder = "../../docs/site/dist"]
#[allow_missing = true]
struct GuideAssets;

/// Where the user guide is served.
const GUIDE: &str = "/docs/guide/";

/// Sends the address of the guide without its last slash to the one with it: its links are relative to that.
pub(super) async fn redirect_to_guide() -> Redirect {
    Redirect::permanent(GUIDE)
}

/// Serves a page or a file of the user guide.
pub(super) async fn serve_guide(request: Request) -> Response {
    let path = request.uri().path().strip_prefix(GUIDE).unwrap_or_default();
    let known = request.headers().get(header::IF_NONE_MATCH);
    if let Some(file) = GuideAssets::get(path).filter(|_| !path.is_empty()) {
        let cache = if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
        return asset_response(file, cache, known);
    }
    let page = if path.is_empty() { "index.html".to_owned() } else { format!("{}.html", path.trim_end_matches('/')) };
    match (GuideAssets::get(&page), GuideAssets::get("404.html")) {
        (Some(page), _) => asset_response(page, "no-cache", known),
        (None, Some(page)) => (StatusCode::NOT_FOUND, asset_response(page, "no-cache", None)).into_response(),
        (None, None) => {
            let text = "The guide is not part of this build: run `make run`, which builds it. The API is at /docs.\n";
            (StatusCode::NOT_FOUND, text).into_response()
        }
    }
}

/// Serves a file of the app, or the app itself for its own addresses.
pub(super) async fn serve_app(request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/');
    if path.starts_with("api/") || !matches!(*request.method(), Method::GET | Method::HEAD) {
        return problem::not_found(request.uri().path()).into_response();
    }
    if let Some(file) = WebAssets::get(path).filter(|_| !path.is_empty()) {
        // Files under assets/ bear a hash of their content in their name.
        let cache = if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
        return asset_response(file, cache, request.headers().get(header::IF_NONE_MATCH));
    }
    // A file that is not there is not a page of the app. Below the root a dot is part of a name.
    if path.starts_with("assets/") || (path.contains('.') && !path.contains('/')) {
        return problem::not_found(request.uri().path()).into_response();
    }
    match WebAssets::get("index.html") {
        Some(page) => asset_response(page, "no-cache", request.headers().get(header::IF_NONE_MATCH)),
        None => {
            let text = "The web app is not part of this build: run `make run`, which builds it. The API is at /docs.\n";
            (StatusCode::NOT_FOUND, text).into_response()
        }
    }
}

fn asset_response(file: rust_embed::EmbeddedFile, cache: &'static str, known: Option<&HeaderValue>) -> Response {
    let etag = format!("\"{}\"", ibid_domain::Sha256::from(file.metadata.sha256_hash()));
    let headers = [
        (header::CONTENT_TYPE, file.metadata.mimetype().to_owned()),
        (header::CACHE_CONTROL, cache.to_owned()),
        (header::ETAG, etag.clone()),
    ];
    if known.is_some_and(|known| known.as_bytes() == etag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    (headers, file.data).into_response()
}
