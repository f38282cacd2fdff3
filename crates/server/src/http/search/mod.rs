//! `/api/v1/search`, and its views.

use std::time::Instant;

use axum::extract::State;
use ibid_app::{App, Scope};
use uuid::Uuid;

use super::{
    Server,
    extract::{Caller, Json, Path},
    problem::ApiResult,
};
use crate::wire::{
    Problem as WireProblem,
    search::{SearchAnswer, SearchBody},
    source_search::{SourceSearchAnswer, SourceSearchBody},
};

fn elapsed_ms(since: Instant) -> f64 {
    (since.elapsed().as_secs_f64() * 1e6).round() / 1e3
}

/// Searches, and gives the answer as it goes over the wire: for HTTP, MCP and the command line alike.
pub(crate) async fn search_library(app: &App, scope: &Scope, body: &SearchBody) -> ibid_app::Result<SearchAnswer> {
    let began = Instant::now();
    let search = body.to_search()?;
    let found = app.search(scope).run(&search).await?;
    Ok(SearchAnswer::new(&search, found, elapsed_ms(began)))
}

/// Searches for sources with excerpts; of one document's sources if one is named.
pub(crate) async fn answer_sources(
    app: &App,
    scope: &Scope,
    body: &SourceSearchBody,
    document: Option<Uuid>,
) -> ibid_app::Result<SourceSearchAnswer> {
    let began = Instant::now();
    let (mut search, limit) = body.to_search(if document.is_some() { 0.5 } else { 0.0 })?;
    search.filter.document_id = document.or(search.filter.document_id);
    let found = app.search(scope).run(&search).await?;
    Ok(SourceSearchAnswer::new(&search, found, limit, elapsed_ms(began)))
}

/// Search
///
/// Finds the passages that answer, by their words and by their meaning, and says exactly which words they are.
#[utoipa::path(
    post, path = "/api/v1/search", tag = "search", operation_id = "search",
    request_body = SearchBody,
    responses(
        (status = 200, description = "What was found", body = SearchAnswer),
        (status = 422, description = "Something asked for is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn search(
    State(server): State<Server>,
    Caller(scope): Caller,
    Json(body): Json<SearchBody>,
) -> ApiResult<axum::Json<SearchAnswer>> {
    Ok(axum::Json(search_library(&server.app, &scope, &body).await?))
}

/// Search for sources
///
/// The sources that answer, each with the passages that do.
#[utoipa::path(
    post, path = "/api/v1/search/sources", tag = "search", operation_id = "search_sources",
    request_body = SourceSearchBody,
    responses(
        (status = 200, description = "What was found", body = SourceSearchAnswer),
        (status = 422, description = "Something asked for is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn search_sources(
    State(server): State<Server>,
    Caller(scope): Caller,
    Json(body): Json<SourceSearchBody>,
) -> ApiResult<axum::Json<SourceSearchAnswer>> {
    Ok(axum::Json(answer_sources(&server.app, &scope, &body, None).await?))
}

/// Search the sources of one document
///
/// Those that were collected for it, by meaning first: nothing less alike than the threshold (0.5) is given.
#[utoipa::path(
    post, path = "/api/v1/documents/{id}/sources/query", tag = "search", operation_id = "query_document_sources",
    params(("id" = Uuid, Path, description = "The document")),
    request_body = SourceSearchBody,
    responses(
        (status = 200, description = "What was found", body = SourceSearchAnswer),
        (status = 422, description = "Something asked for is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn query_document(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<Uuid>,
    Json(body): Json<SourceSearchBody>,
) -> ApiResult<axum::Json<SourceSearchAnswer>> {
    Ok(axum::Json(answer_sources(&server.app, &scope, &body, Some(id)).await?))
}
