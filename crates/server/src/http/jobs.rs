//! `/api/v1/jobs`

use std::time::Duration;

use axum::{extract::State, http::StatusCode};
use ibid_app::{GcOptions, JobKind, JobRequest};
use ibid_domain::{Code, JobId, Problem, problem::shorten_for_error};
use ibid_store::JobFilter;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::{
    Server,
    extract::{Caller, Json, Paging, Path, Query},
    problem::ApiResult,
    sources::source_id,
};
use crate::wire;

/// Request to start a background job.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewJob {
    /// Collect garbage (gc), check everything (fsck), read sources for what they tell (extract_events), or bring the
    /// graph up to that (graph_upsert).
    #[schema(value_type = wire::values::RequestedJob)]
    kind: String,
    /// Arguments of the job; the kind decides which are needed.
    payload: Option<JobArguments>,
}

/// Arguments of a background job.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct JobArguments {
    /// For `gc`: remove, or only say what would be removed (the default).
    apply: Option<bool>,
    /// For `gc`: what came or was named within this time stays; a day if not said.
    grace_seconds: Option<u64>,
    /// The source to read for events or to bring into the graph; default: all.
    source_id: Option<String>,
}

/// Ask for background work
///
/// While the same work waits, asking again gives that.
#[utoipa::path(
    post, path = "/api/v1/jobs", tag = "jobs", operation_id = "create_job",
    request_body = NewJob,
    responses(
        (status = 201, description = "Asked for", body = wire::Job),
        (status = 422, description = "There is no such job", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn create(
    State(server): State<Server>,
    Caller(scope): Caller,
    Json(new): Json<NewJob>,
) -> ApiResult<(StatusCode, axum::Json<wire::Job>)> {
    let payload = new.payload.unwrap_or_default();
    let request = match new.kind.parse()? {
        JobKind::Fsck => JobRequest::Fsck,
        JobKind::ExtractEvents => JobRequest::ExtractEvents(payload.source_id.as_deref().map(source_id).transpose()?),
        JobKind::GraphUpsert => JobRequest::GraphUpsert(payload.source_id.as_deref().map(source_id).transpose()?),
        JobKind::Gc => {
            let defaults = GcOptions::default();
            JobRequest::Gc(GcOptions {
                apply: payload.apply.unwrap_or(defaults.apply),
                grace: payload.grace_seconds.map_or(defaults.grace, Duration::from_secs),
            })
        }
    };
    let job = server.app.jobs(&scope).request(request).await?;
    Ok((StatusCode::CREATED, axum::Json(job.into())))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct JobListQuery {
    /// Only those in this state.
    #[param(value_type = Option<wire::values::JobState>, inline)]
    state: Option<String>,
    /// Only list jobs of this kind.
    #[param(value_type = Option<wire::values::JobKind>, inline)]
    kind: Option<String>,
}

/// List background jobs, newest first
#[utoipa::path(
    get, path = "/api/v1/jobs", tag = "jobs", operation_id = "list_jobs",
    params(JobListQuery, Paging),
    responses((status = 200, description = "One page", body = wire::Page<wire::Job>)),
)]
pub(super) async fn list(
    State(server): State<Server>,
    Caller(scope): Caller,
    Query(query): Query<JobListQuery>,
    Query(paging): Query<Paging>,
) -> ApiResult<axum::Json<wire::Page<wire::Job>>> {
    let filter = JobFilter { state: query.state.as_deref().map(str::parse).transpose()?, kind: query.kind };
    let page = server.app.jobs(&scope).list(&filter, paging.limit()?, paging.cursor()?.as_ref()).await?;
    Ok(axum::Json(wire::Page::from_page(page, wire::Job::from)))
}

/// Get a background job by its id
#[utoipa::path(
    get, path = "/api/v1/jobs/{id}", tag = "jobs", operation_id = "get_job",
    params(("id" = String, Path, description = "Its id")),
    responses(
        (status = 200, description = "The job", body = wire::Job),
        (status = 404, description = "There is none", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get_one(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<wire::Job>> {
    Ok(axum::Json(server.app.jobs(&scope).get(job_id(&id)?).await?.into()))
}

/// Start a dead or cancelled job over
#[utoipa::path(
    post, path = "/api/v1/jobs/{id}/retry", tag = "jobs", operation_id = "retry_job",
    params(("id" = String, Path, description = "Its id")),
    responses(
        (status = 200, description = "It waits again", body = wire::Job),
        (status = 404, description = "There is none", body = wire::Problem, content_type = "application/problem+json"),
        (status = 409, description = "It is not dead", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn retry(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<wire::Job>> {
    Ok(axum::Json(server.app.jobs(&scope).retry(job_id(&id)?).await?.into()))
}

/// Cancel a job that is queued or running
#[utoipa::path(
    post, path = "/api/v1/jobs/{id}/cancel", tag = "jobs", operation_id = "cancel_job",
    params(("id" = String, Path, description = "Its id")),
    responses(
        (status = 200, description = "It is cancelled", body = wire::Job),
        (status = 404, description = "There is none", body = wire::Problem, content_type = "application/problem+json"),
        (status = 409, description = "It has ended already", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn cancel(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<wire::Job>> {
    Ok(axum::Json(server.app.jobs(&scope).cancel(job_id(&id)?).await?.into()))
}

/// The id of a job. What is not an id names nothing, so it is not found.
pub(crate) fn job_id(text: &str) -> Result<JobId, Problem> {
    text.parse().map_err(|_| {
        Problem::new(Code::JobNotFound, format!("there is no job '{}'; an id is a UUID", shorten_for_error(text)))
    })
}
