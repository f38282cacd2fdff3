//! `/api/v1/documents`

pub(crate) mod citations;
pub(crate) mod rendering;
pub(crate) mod styles;

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use ibid_app::{DocumentChange, DocumentDraft, LARGEST_FILE, OpenDocument, Scope};
use ibid_domain::{Code, DocumentId, Problem, artifact::MediaType, problem::shorten_for_error};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::{
    Server,
    extract::{Caller, Json, Paging, Path, Query, read_body},
    problem::ApiResult,
    sources::source_id,
};
use crate::wire::{
    FileBytes, Page, Problem as WireProblem,
    documents::{DiffAnswer, DiffPart, Document, DocumentSettingsBody, DocumentSummary, DocumentVersionSummary},
};

/// The id of a document, as it stands in a path.
pub(crate) fn document_id(text: &str) -> Result<DocumentId, Problem> {
    text.parse().map_err(|_| {
        Problem::new(Code::DocumentNotFound, format!("'{}' is not the id of a document", shorten_for_error(text)))
    })
}

/// A document as an answer, with its version as the ETag.
async fn document_response(
    server: &Server,
    scope: &Scope,
    open: OpenDocument,
    status: StatusCode,
) -> ApiResult<Response> {
    let count = server.app.documents(scope).count_sources(open.document.id).await?;
    let etag = [(header::ETAG, format!("\"{}\"", open.document.version))];
    Ok((status, etag, axum::Json(Document::new(open, count))).into_response())
}

/// Request to create a document.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct NewDocument {
    #[serde(flatten)]
    #[schema(inline)]
    settings: DocumentSettingsBody,
    /// Text of the document, in Markdown or Typst.
    text: String,
    /// Ids of the sources that the document is written from.
    source_ids: Vec<String>,
}

/// Make a document
///
/// Markdown or Typst, with a style of references, a language and a layout. Every save is a version of it.
#[utoipa::path(
    post, path = "/api/v1/documents", tag = "documents", operation_id = "create_document",
    request_body = NewDocument,
    responses(
        (status = 201, description = "The document", body = Document),
        (status = 422, description = "Something asked for is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn create(
    State(server): State<Server>,
    Caller(scope): Caller,
    Json(body): Json<NewDocument>,
) -> ApiResult<Response> {
    let sources = body.source_ids.iter().map(|id| source_id(id)).collect::<Result<_, _>>()?;
    let draft = DocumentDraft { settings: body.settings.into_patch()?, text: body.text, sources };
    let open = server.app.documents(&scope).create(draft).await?;
    document_response(&server, &scope, open, StatusCode::CREATED).await
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct DocumentListQuery {
    /// Only those that have these words in their title.
    q: Option<String>,
}

/// The documents
///
/// Those first that were changed last.
#[utoipa::path(
    get, path = "/api/v1/documents", tag = "documents", operation_id = "list_documents",
    params(DocumentListQuery, Paging),
    responses((status = 200, description = "One page", body = Page<DocumentSummary>)),
)]
pub(super) async fn list(
    State(server): State<Server>,
    Caller(scope): Caller,
    Query(query): Query<DocumentListQuery>,
    Query(paging): Query<Paging>,
) -> ApiResult<axum::Json<Page<DocumentSummary>>> {
    let words = query.q.filter(|words| !words.trim().is_empty());
    if words.as_ref().is_some_and(|words| words.len() > 200) {
        let detail = "q is longer than 200 bytes; a few words of the title do";
        return Err(Problem::new(Code::InvalidQuery, detail).with_field("q").into());
    }
    let page = server.app.documents(&scope).list(words.as_deref(), paging.limit()?, paging.cursor()?.as_ref()).await?;
    Ok(axum::Json(Page::from_page(page, |(document, count)| DocumentSummary::new(document, count))))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct VersionQuery {
    /// As it was in this version; as it is now if none is named.
    pub(super) version: Option<u64>,
}

/// One document
///
/// With its text. The ETag is its version.
#[utoipa::path(
    get, path = "/api/v1/documents/{id}", tag = "documents", operation_id = "get_document",
    params(("id" = String, Path, description = "Its id"), VersionQuery),
    responses(
        (status = 200, description = "The document", body = Document),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get_one(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(query): Query<VersionQuery>,
) -> ApiResult<Response> {
    let open = server.app.documents(&scope).get(document_id(&id)?, query.version).await?;
    document_response(&server, &scope, open, StatusCode::OK).await
}

/// Changes to a document; fields that are left out stay as they are.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct DocumentPatch {
    /// The version that the change was made to. If there is a newer one, nothing is changed and the answer (409) has
    /// both. `If-Match` says the same.
    #[serde(alias = "version")]
    base_version: Option<u64>,
    /// Reason for the change, shown in the history.
    message: Option<String>,
    #[serde(flatten)]
    #[schema(inline)]
    settings: DocumentSettingsBody,
    /// The whole text as it is to be.
    text: Option<String>,
}

/// Change a document
///
/// What is left out stays as it is. Each change is a version; one that changes nothing is none.
#[utoipa::path(
    patch, path = "/api/v1/documents/{id}", tag = "documents", operation_id = "change_document",
    params(("id" = String, Path, description = "Its id")),
    request_body = DocumentPatch,
    responses(
        (status = 200, description = "The document as it is now", body = Document),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
        (status = 409, description = "Somebody else changed it; `current` and `yours` are both versions", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "Something asked for is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn change(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(body): Json<DocumentPatch>,
) -> ApiResult<Response> {
    let named = headers.get(header::IF_MATCH).and_then(|value| value.to_str().ok());
    let named = named.filter(|named| *named != "*").map(|named| {
        named.trim().trim_start_matches("W/").trim_matches('"').parse::<u64>().map_err(|_| {
            let detail = "If-Match is not the ETag of a document; that is its version in quotation marks";
            Problem::new(Code::PreconditionFailed, detail)
        })
    });
    let change = DocumentChange {
        base: body.base_version.or(named.transpose()?),
        message: body.message,
        settings: body.settings.into_patch()?,
        text: body.text,
        files: None,
    };
    let open = server.app.documents(&scope).change(document_id(&id)?, &change).await?;
    document_response(&server, &scope, open, StatusCode::OK).await
}

/// Delete a document
///
/// Its sources stay in the library.
#[utoipa::path(
    delete, path = "/api/v1/documents/{id}", tag = "documents", operation_id = "delete_document",
    params(("id" = String, Path, description = "Its id")),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn delete(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<StatusCode> {
    server.app.documents(&scope).delete(document_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The versions of a document
///
/// Newest first.
#[utoipa::path(
    get, path = "/api/v1/documents/{id}/history", tag = "documents", operation_id = "list_document_versions",
    params(("id" = String, Path, description = "Its id"), Paging),
    responses(
        (status = 200, description = "One page", body = Page<DocumentVersionSummary>),
        (status = 404, description = "There is no such document", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn history(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(paging): Query<Paging>,
) -> ApiResult<axum::Json<Page<DocumentVersionSummary>>> {
    let id = document_id(&id)?;
    let page = server.app.documents(&scope).history(id, paging.limit()?, paging.cursor()?.as_ref()).await?;
    Ok(axum::Json(Page::from_page(page, DocumentVersionSummary::from)))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct DiffQuery {
    /// Number of the earlier version, from 1.
    from: u64,
    /// Number of the later version, from 1.
    to: u64,
}

/// Compare two versions of a document
#[utoipa::path(
    get, path = "/api/v1/documents/{id}/diff", tag = "documents", operation_id = "diff_document",
    params(("id" = String, Path, description = "Its id"), DiffQuery),
    responses(
        (status = 200, description = "The parts of both texts, in order", body = DiffAnswer),
        (status = 404, description = "There is no such version", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn diff(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(DiffQuery { from, to }): Query<DiffQuery>,
) -> ApiResult<axum::Json<DiffAnswer>> {
    let parts = server.app.documents(&scope).diff(document_id(&id)?, from, to).await?;
    let parts = parts.into_iter().map(|(kind, text)| DiffPart { kind: kind.into(), text }).collect();
    Ok(axum::Json(DiffAnswer { from, to, parts }))
}

/// Request to restore an earlier version as the newest.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RestoreBody {
    /// Number of the version to restore.
    version: u64,
    /// The version that the document is believed to be at.
    base_version: Option<u64>,
}

/// Make a document again as it was
///
/// A new version that is like the one that is named, with its citations and its files.
#[utoipa::path(
    post, path = "/api/v1/documents/{id}/restore", tag = "documents", operation_id = "restore_document",
    params(("id" = String, Path, description = "Its id")),
    request_body = RestoreBody,
    responses(
        (status = 200, description = "The document as it is now", body = Document),
        (status = 404, description = "There is no such version", body = WireProblem, content_type = "application/problem+json"),
        (status = 409, description = "Somebody else changed it", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn restore(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Json(body): Json<RestoreBody>,
) -> ApiResult<Response> {
    let open = server.app.documents(&scope).restore(document_id(&id)?, body.version, body.base_version).await?;
    document_response(&server, &scope, open, StatusCode::OK).await
}

/// Give a document a file
///
/// Its text may ask for it by this name, as in `#image("map.png")`; for no other file is asked outside.
#[utoipa::path(
    put, path = "/api/v1/documents/{id}/assets/{name}", tag = "documents", operation_id = "put_document_file",
    params(("id" = String, Path, description = "The document"), ("name" = String, Path, description = "The file's name")),
    request_body(content = FileBytes, content_type = "application/octet-stream"),
    responses(
        (status = 200, description = "The document as it is now", body = Document),
        (status = 404, description = "There is no such document", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "The name is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn put_file(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path((id, name)): Path<(String, String)>,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<Response> {
    let body = read_body(body, LARGEST_FILE as u64).await?;
    let said = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let said = said.filter(|said| *said != "application/octet-stream" && !said.starts_with("application/x-www-form"));
    let media_type = said.map(MediaType::new).transpose()?;
    let open = server.app.documents(&scope).put_file(document_id(&id)?, &name, media_type, body).await?;
    document_response(&server, &scope, open, StatusCode::OK).await
}

/// Download a file that belongs to a document
#[utoipa::path(
    get, path = "/api/v1/documents/{id}/assets/{name}", tag = "documents", operation_id = "get_document_file",
    params(("id" = String, Path, description = "The document"), ("name" = String, Path, description = "The file's name")),
    responses(
        (status = 200, description = "The file", content_type = "*/*", body = FileBytes),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get_file(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path((id, name)): Path<(String, String)>,
) -> ApiResult<Response> {
    let (entry, bytes) = server.app.documents(&scope).file(document_id(&id)?, &name).await?;
    Ok(rendering::file_response(entry.media_type.as_str(), &name, bytes, false))
}

/// Take a file away from a document
#[utoipa::path(
    delete, path = "/api/v1/documents/{id}/assets/{name}", tag = "documents", operation_id = "delete_document_file",
    params(("id" = String, Path, description = "The document"), ("name" = String, Path, description = "The file's name")),
    responses(
        (status = 200, description = "The document as it is now", body = Document),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn delete_file(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path((id, name)): Path<(String, String)>,
) -> ApiResult<Response> {
    let open = server.app.documents(&scope).delete_file(document_id(&id)?, &name).await?;
    document_response(&server, &scope, open, StatusCode::OK).await
}
