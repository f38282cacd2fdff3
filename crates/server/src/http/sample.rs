//! `/api/v1/sample`

use axum::{extract::State, http::StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Server, extract::Caller, problem::ApiResult, sources::wire::Source};

/// How much of the sample library there is.
#[derive(Serialize, ToSchema)]
pub(super) struct Sample {
    /// How many documents it has.
    documents: usize,
    /// How many of them are here.
    loaded: usize,
    /// What can be asked of them.
    questions: Vec<String>,
}

/// What was loaded.
#[derive(Serialize, ToSchema)]
pub(super) struct Loaded {
    items: Vec<Source>,
}

/// The sample library
///
/// A few documents about a made-up town, and questions that they answer.
#[utoipa::path(
    get, path = "/api/v1/sample", tag = "sources", operation_id = "get_sample",
    responses((status = 200, description = "How much of it is here", body = Sample)),
)]
pub(super) async fn get(State(server): State<Server>, Caller(scope): Caller) -> ApiResult<axum::Json<Sample>> {
    let ibid_app::Sample { documents, loaded, questions } = server.app.sample(&scope).await?;
    Ok(axum::Json(Sample { documents, loaded, questions }))
}

/// Load the sample library
///
/// What is here already stays as it is.
#[utoipa::path(
    post, path = "/api/v1/sample", tag = "sources", operation_id = "load_sample",
    responses((status = 200, description = "Its sources; jobs read them", body = Loaded)),
)]
pub(super) async fn load(State(server): State<Server>, Caller(scope): Caller) -> ApiResult<axum::Json<Loaded>> {
    let items = server.app.load_sample(&scope).await?.into_iter().map(Source::from).collect();
    Ok(axum::Json(Loaded { items }))
}

/// Remove the sample library
///
/// Answers that cite it keep what they quoted.
#[utoipa::path(
    delete, path = "/api/v1/sample", tag = "sources", operation_id = "remove_sample",
    responses((status = 204, description = "It is gone")),
)]
pub(super) async fn remove(State(server): State<Server>, Caller(scope): Caller) -> ApiResult<StatusCode> {
    server.app.remove_sample(&scope).await?;
    Ok(StatusCode::NO_CONTENT)
}
