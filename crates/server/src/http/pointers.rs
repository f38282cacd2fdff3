//! `/api/v1/pointers`
//!
//! A pointer's name may have slashes, so everything behind the namespace comes in one piece; the last segment tells
//! `…/advance` and `…/history` from the pointer itself, and no name may end in them.

use axum::{
    extract::{FromRequest, Request, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use ibid_app::PointerDraft;
use ibid_domain::{JsonObject, Problem, pointer::PointerName};
use ibid_store::PointerFilter;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::{
    Server,
    extract::{Caller, Json, Paging, Path, Query},
    problem::{self, ApiResult},
};
use crate::wire::{
    self,
    parse::{check_facts, hash_in_field},
};

/// A pointer to be made, or what is to be said of one.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewPointer {
    /// Its first manifest, if it is to be made. An existing pointer is moved by `advance` only.
    #[serde(alias = "manifest")]
    manifest_sha256: Option<String>,
    /// Purpose of the pointer; default bundle.
    #[serde(alias = "type")]
    #[schema(value_type = Option<wire::values::PointerType>)]
    pointer_type: Option<String>,
    /// Description of the pointer in one sentence.
    description: Option<String>,
    /// Further facts about the pointer, as a JSON object.
    #[serde(alias = "metadata")]
    #[schema(value_type = Option<std::collections::HashMap<String, serde_json::Value>>)]
    meta: Option<JsonObject>,
}

/// Request to move a pointer to another manifest.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PointerAdvance {
    /// The manifest it is to stand at.
    to: String,
    /// The manifest the caller believes it stands at; null if it has none yet.
    expected: Option<String>,
    /// Why, for example `deliverable_generated` or `user_reset`.
    reason: Option<String>,
}

/// Make a pointer, or change what is said of one
#[utoipa::path(
    put, path = "/api/v1/pointers/{namespace}/{name}", tag = "pointers", operation_id = "put_pointer",
    params(("namespace" = String, Path), ("name" = String, Path, description = "May have slashes")),
    request_body = NewPointer,
    responses(
        (status = 201, description = "Made", body = wire::Pointer),
        (status = 200, description = "Changed", body = wire::Pointer),
        (status = 404, description = "The manifest is not here", body = wire::Problem, content_type = "application/problem+json"),
        (status = 409, description = "It stands at another manifest", body = wire::Problem, content_type = "application/problem+json"),
        (status = 422, description = "The name or a field is not legal", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn put(server: Server, caller: Caller, name: PointerName, new: NewPointer) -> ApiResult<Response> {
    if let Some(meta) = &new.meta {
        check_facts("meta", meta)?;
    }
    let draft = PointerDraft {
        manifest: new.manifest_sha256.as_deref().map(|text| hash_in_field(text, "manifest_sha256")).transpose()?,
        pointer_type: new.pointer_type.as_deref().map(str::parse).transpose()?,
        description: new.description,
        meta: new.meta,
    };
    let (pointer, new) = server.app.pointers(&caller.0).put(&name, draft).await?;
    let status = if new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, axum::Json(wire::Pointer::from(pointer))).into_response())
}

/// Get a pointer by namespace and name
#[utoipa::path(
    get, path = "/api/v1/pointers/{namespace}/{name}", tag = "pointers", operation_id = "get_pointer",
    params(("namespace" = String, Path), ("name" = String, Path, description = "May have slashes")),
    responses(
        (status = 200, description = "The pointer", body = wire::Pointer),
        (status = 404, description = "There is none", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get_one(server: Server, caller: Caller, name: PointerName) -> ApiResult<Response> {
    Ok(axum::Json(wire::Pointer::from(server.app.pointers(&caller.0).get(&name).await?)).into_response())
}

/// Move a pointer, if it stands where the caller believes
#[utoipa::path(
    post, path = "/api/v1/pointers/{namespace}/{name}/advance", tag = "pointers", operation_id = "advance_pointer",
    params(("namespace" = String, Path), ("name" = String, Path, description = "May have slashes")),
    request_body = PointerAdvance,
    responses(
        (status = 200, description = "Moved", body = wire::Pointer),
        (status = 404, description = "The pointer or the manifest is not here", body = wire::Problem, content_type = "application/problem+json"),
        (status = 409, description = "It stands elsewhere; `current` says where", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn advance(
    server: Server,
    caller: Caller,
    name: PointerName,
    step: PointerAdvance,
) -> ApiResult<Response> {
    let to = hash_in_field(&step.to, "to")?;
    let expected = step.expected.as_deref().map(|text| hash_in_field(text, "expected")).transpose()?;
    let pointer = server.app.pointers(&caller.0).advance(&name, expected, to, step.reason.as_deref()).await?;
    Ok(axum::Json(wire::Pointer::from(pointer)).into_response())
}

/// The moves of a pointer, newest first
#[utoipa::path(
    get, path = "/api/v1/pointers/{namespace}/{name}/history", tag = "pointers", operation_id = "get_pointer_history",
    params(("namespace" = String, Path), ("name" = String, Path, description = "May have slashes"), Paging),
    responses(
        (status = 200, description = "One page", body = wire::Page<wire::PointerMove>),
        (status = 404, description = "There is no such pointer", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn history(server: Server, caller: Caller, name: PointerName, paging: Paging) -> ApiResult<Response> {
    let page = server.app.pointers(&caller.0).history(&name, paging.limit()?, paging.cursor()?.as_ref()).await?;
    Ok(axum::Json(wire::Page::from_page(page, wire::PointerMove::from)).into_response())
}

/// Delete a pointer
///
/// What it named stays for the grace period of garbage collection.
#[utoipa::path(
    delete, path = "/api/v1/pointers/{namespace}/{name}", tag = "pointers", operation_id = "delete_pointer",
    params(("namespace" = String, Path), ("name" = String, Path, description = "May have slashes")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "There is none", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn delete(server: Server, caller: Caller, name: PointerName) -> ApiResult<Response> {
    server.app.pointers(&caller.0).delete(&name).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PointerListQuery {
    /// Only those of this namespace.
    namespace: Option<String>,
}

/// List pointers in the order of their names
#[utoipa::path(
    get, path = "/api/v1/pointers", tag = "pointers", operation_id = "list_pointers",
    params(PointerListQuery, Paging),
    responses((status = 200, description = "One page", body = wire::Page<wire::Pointer>)),
)]
pub(super) async fn list(
    State(server): State<Server>,
    Caller(scope): Caller,
    Query(query): Query<PointerListQuery>,
    Query(paging): Query<Paging>,
) -> ApiResult<axum::Json<wire::Page<wire::Pointer>>> {
    let filter = PointerFilter { namespace: query.namespace };
    let page = server.app.pointers(&scope).list(&filter, paging.limit()?, paging.cursor()?.as_ref()).await?;
    Ok(axum::Json(wire::Page::from_page(page, wire::Pointer::from)))
}

type PointerPathParts = Path<(String, String)>;

pub(super) async fn on_put(
    State(server): State<Server>,
    caller: Caller,
    Path((namespace, name)): PointerPathParts,
    request: Request,
) -> ApiResult<Response> {
    let name = PointerName::new(namespace, name)?;
    let Json(new) = Json::<NewPointer>::from_request(request, &server).await?;
    put(server, caller, name, new).await
}

pub(super) async fn on_get(
    State(server): State<Server>,
    caller: Caller,
    Path((namespace, rest)): PointerPathParts,
    Query(paging): Query<Paging>,
) -> ApiResult<Response> {
    match rest.strip_suffix("/history") {
        Some(name) => history(server, caller, parse_pointer_name(namespace, name)?, paging).await,
        None => get_one(server, caller, parse_pointer_name(namespace, &rest)?).await,
    }
}

pub(super) async fn on_post(
    State(server): State<Server>,
    caller: Caller,
    Path((namespace, rest)): PointerPathParts,
    request: Request,
) -> ApiResult<Response> {
    let Some(name) = rest.strip_suffix("/advance") else {
        return Err(problem::method_not_allowed(request.method().clone()).await);
    };
    let name = parse_pointer_name(namespace, name)?;
    let Json(step) = Json::<PointerAdvance>::from_request(request, &server).await?;
    advance(server, caller, name, step).await
}

pub(super) async fn on_delete(
    State(server): State<Server>,
    caller: Caller,
    Path((namespace, name)): PointerPathParts,
) -> ApiResult<Response> {
    delete(server, caller, parse_pointer_name(namespace, &name)?).await
}

/// The name of a pointer that should be there. What is not a legal name is no pointer's.
fn parse_pointer_name(namespace: String, name: &str) -> Result<PointerName, Problem> {
    PointerName::new(namespace, name)
        .map_err(|problem| Problem::new(ibid_domain::Code::PointerNotFound, problem.detail))
}
