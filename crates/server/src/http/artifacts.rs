//! `/api/v1/artifacts`

use axum::{
    extract::{Request, State},
    http::StatusCode,
};
use ibid_app::UploadDetails;
use ibid_domain::{
    Code, Problem,
    artifact::{Filename, MediaType},
};
use ibid_store::ArtifactFilter;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::{
    Server,
    extract::{Caller, Paging, Path, Query, hash_in_path},
    problem::ApiResult,
    upload::{self, UploadLimits},
};
use crate::wire;

/// Multipart form that uploads one file.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the form, which is read as it streams")]
pub(super) struct UploadForm {
    /// Bytes of the file, as the form part `file`.
    #[schema(value_type = String, format = Binary)]
    file: String,
    /// Name of the file; by default the one that the form part states.
    filename: Option<String>,
    /// The hash the bytes are supposed to have.
    sha256: Option<String>,
    /// The type of source they are the content of; both spellings are understood.
    #[schema(value_type = Option<wire::values::SourceType>)]
    entity_type: Option<String>,
    /// Further facts about the file: a JSON object.
    #[schema(value_type = Option<HashMap<String, serde_json::Value>>)]
    entity_metadata: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct UploadQuery {
    /// For a raw body: what the file is called.
    filename: Option<String>,
    /// For a raw body: what the bytes are, if `Content-Type` does not say.
    media_type: Option<String>,
    /// For a raw body: the hash the bytes are supposed to have.
    sha256: Option<String>,
    /// For a raw body: the type of source.
    #[param(value_type = Option<wire::values::SourceType>, inline)]
    entity_type: Option<String>,
    /// For a raw body: what else is known, a JSON object as text.
    entity_metadata: Option<String>,
}

/// Keep bytes
///
/// As a form with a field `file`, or as the raw body. The bytes are streamed and hashed on the way; the same bytes
/// twice are one artifact.
#[utoipa::path(
    post, path = "/api/v1/artifacts", tag = "artifacts", operation_id = "create_artifact",
    params(UploadQuery),
    request_body(content(
        (UploadForm = "multipart/form-data"),
        (wire::FileBytes = "application/octet-stream"),
    )),
    responses(
        (status = 201, description = "Kept", body = wire::Artifact),
        (status = 200, description = "Known already", body = wire::Artifact),
        (status = 400, description = "The body is broken", body = wire::Problem, content_type = "application/problem+json"),
        (status = 413, description = "Too large", body = wire::Problem, content_type = "application/problem+json"),
        (status = 422, description = "Something said of the bytes is not legal", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn create(
    State(server): State<Server>,
    Caller(scope): Caller,
    Query(query): Query<UploadQuery>,
    request: Request,
) -> ApiResult<(StatusCode, axum::Json<wire::Artifact>)> {
    let details = UploadDetails {
        media_type: query.media_type.as_deref().map(MediaType::new).transpose()?,
        filename: query.filename.map(Filename::new).transpose()?,
        entity_type: query.entity_type.as_deref().map(str::parse).transpose()?,
        entity_metadata: query.entity_metadata.as_deref().map(upload::parse_metadata).transpose()?,
        sha256: query
            .sha256
            .as_deref()
            .map(str::parse)
            .transpose()
            .map_err(|problem: Problem| problem.with_field("sha256"))?,
    };
    let bounds = UploadLimits { limit: server.config.upload_limit_bytes, idle: server.config.idle_timeout() };
    let (parts, body) = request.into_parts();
    let (received, details) = upload::receive_upload(&server.app, &parts.headers, body, bounds, details).await?;
    let (artifact, new) = server.app.artifacts(&scope).store(received, details).await?;
    Ok((if new { StatusCode::CREATED } else { StatusCode::OK }, axum::Json(artifact.into())))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ArtifactListQuery {
    /// Only those of this source type.
    #[param(value_type = Option<wire::values::SourceType>, inline)]
    entity_type: Option<String>,
}

/// List artifacts, newest first
#[utoipa::path(
    get, path = "/api/v1/artifacts", tag = "artifacts", operation_id = "list_artifacts",
    params(ArtifactListQuery, Paging),
    responses(
        (status = 200, description = "One page", body = wire::Page<wire::Artifact>),
        (status = 422, description = "A parameter is not legal", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn list(
    State(server): State<Server>,
    Caller(scope): Caller,
    Query(query): Query<ArtifactListQuery>,
    Query(paging): Query<Paging>,
) -> ApiResult<axum::Json<wire::Page<wire::Artifact>>> {
    let filter = ArtifactFilter { entity_type: query.entity_type.as_deref().map(str::parse).transpose()? };
    let page = server.app.artifacts(&scope).list(&filter, paging.limit()?, paging.cursor()?.as_ref()).await?;
    Ok(axum::Json(wire::Page::from_page(page, wire::Artifact::from)))
}

/// Get the metadata of an artifact
#[utoipa::path(
    get, path = "/api/v1/artifacts/{sha256}", tag = "artifacts", operation_id = "get_artifact",
    params(("sha256" = String, Path, description = "Its hash")),
    responses(
        (status = 200, description = "The artifact", body = wire::Artifact),
        (status = 404, description = "There is none", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get_one(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(sha256): Path<String>,
) -> ApiResult<axum::Json<wire::Artifact>> {
    let sha256 = hash_in_path(&sha256, Code::ArtifactNotFound)?;
    Ok(axum::Json(server.app.artifacts(&scope).get(sha256).await?.into()))
}
