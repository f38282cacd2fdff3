//! `/api/v1/runs/{id}/deliverables`

use axum::{
    body::Body,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use ibid_app::DeliverableKind;
use ibid_domain::{Code, JsonObject, Problem, problem::shorten_for_error};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::run_id;
use crate::{
    http::{
        Server,
        extract::{Caller, Json, Path},
        manifests::as_zip,
        problem::ApiResult,
    },
    wire::{self, values},
};

/// Request to make a deliverable from an answer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewDeliverable {
    /// What to make of the answer.
    #[schema(value_type = values::DeliverableKind)]
    kind: String,
}

/// Something that was made of an answer.
#[derive(Serialize, ToSchema)]
pub(crate) struct Deliverable {
    /// What was made of the answer.
    kind: values::DeliverableKind,
    /// Title, as people see it.
    title: String,
    /// The pointer that names its newest version.
    pointer_id: String,
    manifest_sha256: String,
    /// Path of a zip file with all files of the deliverable.
    zip_url: String,
    files: Vec<DeliverableFile>,
    /// Sources that the deliverable cites: the first 500; `sources.json` in it has all.
    #[schema(value_type = Vec<HashMap<String, serde_json::Value>>)]
    cited: serde_json::Value,
    cited_count: u64,
    /// Sources that the run had read, cited ones first: the first 500.
    #[schema(value_type = Vec<HashMap<String, serde_json::Value>>)]
    all_seen: serde_json::Value,
    all_seen_count: u64,
    /// Time of creation, RFC 3339 in UTC.
    created_at: String,
    updated_at: String,
}

/// A file that belongs to a deliverable.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeliverableFile {
    path: String,
    sha256: String,
    media_type: String,
    size_bytes: u64,
    /// Path that opens the file in a browser.
    url: String,
}

/// Deliverables made from an answer.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeliverableList {
    items: Vec<Deliverable>,
}

impl Deliverable {
    fn from_parts(run: &str, made: ibid_app::Deliverable) -> Self {
        let at = format!("/api/v1/runs/{run}/deliverables/{}", made.kind.as_str());
        let meta: &JsonObject = &made.pointer.meta;
        let count = |name: &str| meta.get(name).and_then(serde_json::Value::as_u64).unwrap_or_default();
        let list = |name: &str| meta.get(name).cloned().unwrap_or_else(|| serde_json::json!([]));
        Self {
            kind: made.kind.into(),
            title: made.pointer.description.clone().unwrap_or_default(),
            pointer_id: made.pointer.id.to_string(),
            manifest_sha256: made.manifest.to_string(),
            zip_url: format!("{at}/zip"),
            files: made
                .tree
                .iter()
                .map(|(path, entry)| DeliverableFile {
                    path: path.as_str().to_owned(),
                    sha256: entry.sha256.to_string(),
                    media_type: entry.media_type.as_str().to_owned(),
                    size_bytes: entry.size_bytes,
                    url: format!("{at}/files/{}", path.as_str()),
                })
                .collect(),
            cited: list("cited"),
            cited_count: count("cited_count"),
            all_seen: list("all_seen"),
            all_seen_count: count("all_seen_count"),
            created_at: made.pointer.created_at.to_string(),
            updated_at: made.pointer.updated_at.to_string(),
        }
    }
}

/// Make something of an answer
///
/// A report with footnotes that quote, a website with a page of all sources, or a presentation in one file. Made again,
/// it is the next version of the same.
#[utoipa::path(
    post, path = "/api/v1/runs/{id}/deliverables", tag = "runs", operation_id = "make_deliverable",
    params(("id" = String, Path, description = "The run")),
    request_body = NewDeliverable,
    responses(
        (status = 201, description = "Made", body = Deliverable),
        (status = 404, description = "There is no such run", body = wire::Problem, content_type = "application/problem+json"),
        (status = 409, description = "It has no answer yet", body = wire::Problem, content_type = "application/problem+json"),
        (status = 422, description = "There is no such kind, or the answer is too large for it", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn make_deliverable(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Json(new): Json<NewDeliverable>,
) -> ApiResult<(StatusCode, axum::Json<Deliverable>)> {
    let run = run_id(&id)?;
    let made = server.app.runs(&scope).make_deliverable(run, new.kind.parse()?).await?;
    Ok((StatusCode::CREATED, axum::Json(Deliverable::from_parts(&run.to_string(), made))))
}

/// List the deliverables of an answer
#[utoipa::path(
    get, path = "/api/v1/runs/{id}/deliverables", tag = "runs", operation_id = "list_deliverables",
    params(("id" = String, Path, description = "The run")),
    responses(
        (status = 200, description = "All of it", body = DeliverableList),
        (status = 404, description = "There is no such run", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn list(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<DeliverableList>> {
    let run = run_id(&id)?;
    let made = server.app.runs(&scope).deliverables(run).await?;
    let items = made.into_iter().map(|made| Deliverable::from_parts(&run.to_string(), made)).collect();
    Ok(axum::Json(DeliverableList { items }))
}

/// Something that was made of an answer, as a zip
#[utoipa::path(
    get, path = "/api/v1/runs/{id}/deliverables/{kind}/zip", tag = "runs", operation_id = "get_deliverable_zip",
    params(("id" = String, Path, description = "The run"), ("kind" = String, Path, description = "What was made")),
    responses(
        (status = 200, description = "All files of it", content_type = "application/zip", body = wire::FileBytes),
        (status = 404, description = "It was not made", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn download_zip(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path((id, kind)): Path<(String, String)>,
) -> ApiResult<Response> {
    let made = server.app.runs(&scope).deliverable(run_id(&id)?, kind.parse()?).await?;
    let archive = server.app.manifests(&scope).zip(made.manifest).await?;
    Ok(as_zip(archive, made.kind.as_str()))
}

/// Content security policy of a generated page: it may run its own inline script and load nothing.
const ALONE: &str = "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// A file of something that was made
///
/// HTML and PDF can be looked at; a page is shut off from the server and from everything else.
#[utoipa::path(
    get, path = "/api/v1/runs/{id}/deliverables/{kind}/files/{path}", tag = "runs", operation_id = "get_deliverable_file",
    params(
        ("id" = String, Path, description = "The run"),
        ("kind" = String, Path, description = "What was made"),
        ("path" = String, Path, description = "The file"),
    ),
    responses(
        (status = 200, description = "The file", content_type = "application/octet-stream", body = wire::FileBytes),
        (status = 404, description = "There is none", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn download_file(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path((id, kind, path)): Path<(String, String, String)>,
) -> ApiResult<Response> {
    let kind: DeliverableKind = kind.parse()?;
    let made = server.app.runs(&scope).deliverable(run_id(&id)?, kind).await?;
    let entry = made.tree.iter().find(|(known, _)| known.as_str() == path).map(|(_, entry)| entry);
    let entry = entry.ok_or_else(|| {
        let names: Vec<_> = made.tree.iter().map(|(path, _)| path.as_str()).collect();
        let detail =
            format!("the {} has no file '{}'; it has {}", kind.as_str(), shorten_for_error(&path), names.join(", "));
        Problem::new(Code::ArtifactNotFound, detail)
    })?;
    let artifact = server.app.artifacts(&scope).get(entry.sha256).await?;
    let content = server.app.artifacts(&scope).content(artifact, None).await?;
    let (media_type, place) = match entry.media_type.as_str() {
        "text/html" => ("text/html; charset=utf-8".to_owned(), "inline"),
        "application/pdf" => ("application/pdf".to_owned(), "inline"),
        other => (other.to_owned(), "attachment"),
    };
    let mut headers = vec![
        (header::CONTENT_TYPE, media_type.clone()),
        (header::CONTENT_DISPOSITION, format!("{place}; filename=\"{path}\"")),
        (header::CONTENT_LENGTH, entry.size_bytes.to_string()),
        (header::CACHE_CONTROL, "private, no-cache".to_owned()),
    ];
    if media_type.starts_with("text/html") {
        headers.push((header::CONTENT_SECURITY_POLICY, ALONE.to_owned()));
    }
    let mut response = Body::from_stream(content.bytes).into_response();
    for (name, value) in headers {
        if let Ok(value) = value.parse() {
            response.headers_mut().insert(name, value);
        }
    }
    Ok(response)
}
