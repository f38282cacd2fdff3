//! `/api/v1/sample`

use axum::{extract::State, http::StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Server, extract::Caller, problem::ApiResult};
use crate::wire::sources::Source;

/// State of the sample library.
#[derive(Serialize, ToSchema)]
pub(super) struct SampleStatus {
    /// Number of documents in the sample.
    documents: usize,
    /// Number of sample documents that are in the library now.
    loaded: usize,
    /// Example questions that the sample answers.
    questions: Vec<String>,
}

/// Sources that were loaded from the sample.
#[derive(Serialize, ToSchema)]
pub(super) struct SampleLoadResult {
    items: Vec<Source>,
}

/// The sample library
///
/// A few documents about a made-up town, and questions that they answer.
#[utoipa::path(
    get, path = "/api/v1/sample", tag = "sources", operation_id = "get_sample",
    responses((status = 200, description = "How much of it is here", body = SampleStatus)),
)]
pub(super) async fn get(State(server): State<Server>, Caller(scope): Caller) -> ApiResult<axum::Json<SampleStatus>> {
    let ibid_app::SampleStatus { documents, loaded, questions } = server.app.sample(&scope).status().await?;
    Ok(axum::Json(SampleStatus { documents, loaded, questions }))
}

/// Load the sample library
///
/// What is here already stays as it is.
#[utoipa::path(
    post, path = "/api/v1/sample", tag = "sources", operation_id = "load_sample",
    responses((status = 200, description = "Its sources; jobs read them", body = SampleLoadResult)),
)]
pub(super) async fn load(
    State(server): State<Server>,
    Caller(scope): Caller,
) -> ApiResult<axum::Json<SampleLoadResult>> {
    let items = server.app.sample(&scope).load().await?.into_iter().map(Source::from).collect();
    Ok(axum::Json(SampleLoadResult { items }))
}

/// Remove the sample library
///
/// Answers that cite it keep what they quoted.
#[utoipa::path(
    delete, path = "/api/v1/sample", tag = "sources", operation_id = "remove_sample",
    responses((status = 204, description = "It is gone")),
)]
pub(super) async fn remove(State(server): State<Server>, Caller(scope): Caller) -> ApiResult<StatusCode> {
    server.app.sample(&scope).remove().await?;
    Ok(StatusCode::NO_CONTENT)
}
