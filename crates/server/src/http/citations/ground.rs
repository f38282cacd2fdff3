//! `/api/v1/citations/ground`

use axum::extract::State;
use ibid_app::{App, Scope};
use ibid_domain::SearchFilter;

use super::super::{
    Server,
    extract::{Caller, Json},
    problem::ApiResult,
};
use crate::wire::{
    Problem as WireProblem,
    search::SearchFilters,
    verification::{GroundAnswer, GroundBody, GroundStyle},
};

/// Grounds a draft: for HTTP and the command line alike.
pub(crate) async fn ground_draft(
    app: &App,
    scope: &Scope,
    text: &str,
    filter: &SearchFilter,
    style: GroundStyle,
) -> ibid_app::Result<GroundAnswer> {
    let grounded = app.citations(scope).ground_text(text, filter).await?;
    Ok(GroundAnswer::new(text, grounded, style))
}

/// Find the sources of a draft
///
/// Each statement is bound to the passage of the library that says it best, or listed as unsupported.
#[utoipa::path(
    post, path = "/api/v1/citations/ground", tag = "citations", operation_id = "ground_text",
    request_body = GroundBody,
    responses(
        (status = 200, description = "The claims and what supports them", body = GroundAnswer),
        (status = 422, description = "Something is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn ground(
    State(server): State<Server>,
    Caller(scope): Caller,
    Json(body): Json<GroundBody>,
) -> ApiResult<axum::Json<GroundAnswer>> {
    let filter = body.filters.as_ref().map_or_else(|| Ok(SearchFilter::default()), SearchFilters::to_filter)?;
    Ok(axum::Json(ground_draft(&server.app, &scope, &body.text, &filter, body.style).await?))
}
