//! `/api/v1/sources`

mod bulk_import;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use ibid_app::ContentHints;
use ibid_domain::{
    CharIndex, Code, EmbeddingState, Problem, RevisionId, SourceId, SourceStatus, Span, problem::shorten_for_error,
};
use ibid_store::SourceFilter;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::{
    Server,
    content::{self, ContentQuery},
    extract::{Caller, Json, Paging, Path, Query, read_body},
    problem::ApiResult,
};
use crate::wire::{
    FileBytes, Page, Problem as WireProblem,
    parse::hash_in_field,
    source_body::{self, NewSource, SourcePatch},
    source_views::{SourcePage, SourceView, SourceViewKind},
    sources::{Chunk, ExtractedPage, Mark, Revision, Source, SourceImpact, SourceText},
    values,
};

pub(super) use bulk_import::{__path_import, __path_upload, import, upload};

/// Bring a source
///
/// Made of a page (`url`), of bytes that are kept already (`artifact_sha256`), of a text (`content`) or of nothing but
/// what is said of it (`title`). It is there at once; its content is taken in by a job, and `status` says how far that
/// has come. What is here already is given back as it is.
#[utoipa::path(
    post, path = "/api/v1/sources", tag = "sources", operation_id = "create_source",
    request_body = NewSource,
    responses(
        (status = 201, description = "It is new", body = Source),
        (status = 200, description = "It was here already", body = Source),
        (status = 404, description = "There is no such artifact", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "Something said of it is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn create(
    State(server): State<Server>,
    Caller(scope): Caller,
    request: Request,
) -> ApiResult<(StatusCode, axum::Json<Source>)> {
    let body = json_body(&server, request).await?;
    let (described, new) = server.app.sources(&scope).create(source_body::parse_draft(&body)?).await?;
    Ok((if new { StatusCode::CREATED } else { StatusCode::OK }, axum::Json(described.into())))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct SourceListQuery {
    /// Only list sources of this type.
    #[serde(rename = "type")]
    #[param(value_type = Option<values::SourceType>, inline)]
    kind: Option<String>,
    /// Only those of this origin.
    #[param(value_type = Option<values::SourceOrigin>, inline)]
    origin: Option<String>,
    /// Only those collected for this document.
    document_id: Option<Uuid>,
    /// Only those of this project.
    project_id: Option<Uuid>,
    /// Only those that this run brought.
    run_id: Option<Uuid>,
    /// Only those that this message brought.
    message_id: Option<String>,
    /// Only those filed under this.
    tag: Option<String>,
    /// Only those in this processing state.
    #[param(value_type = Option<values::SourceStatus>, inline)]
    status: Option<String>,
    /// Only those with all these words: in title, authors, address, file name or tags, or in one passage of the text.
    q: Option<String>,
    /// Form of each item; default source.
    #[param(value_type = Option<values::SourceViewName>, inline)]
    view: Option<String>,
}

/// The most words that a list looks for.
const MAX_WORDS: usize = 32;

impl SourceListQuery {
    fn to_filter(&self) -> Result<SourceFilter, Problem> {
        let in_query = |problem: Problem| Problem { code: Code::InvalidQuery, ..problem };
        let set = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let words: Vec<String> = set(&self.q)
            .unwrap_or_default()
            .to_lowercase()
            .split(|c: char| !(c.is_alphanumeric() || "'’_-.@/:%+#&".contains(c)))
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
            .filter(|word| !word.is_empty())
            .take(MAX_WORDS)
            .collect();
        if words.is_empty() && self.q.as_deref().is_some_and(|q| !q.trim().is_empty()) {
            let detail = "q has no word in it; give one or more";
            return Err(Problem::new(Code::InvalidQuery, detail).with_field("q"));
        }
        if self.message_id.as_deref().is_some_and(|id| id.contains('\0')) {
            return Err(Problem::new(Code::InvalidQuery, "message_id has a NUL character").with_field("message_id"));
        }
        Ok(SourceFilter {
            kind: set(&self.kind).as_deref().map(source_body::parse_source_type).transpose().map_err(in_query)?,
            origin: set(&self.origin).as_deref().map(str::parse).transpose().map_err(in_query)?,
            document_id: self.document_id,
            project_id: self.project_id,
            run_id: self.run_id,
            message_id: set(&self.message_id),
            tag: set(&self.tag).filter(|tag| !tag.contains('\0')),
            status: set(&self.status).as_deref().map(str::parse).transpose().map_err(in_query)?,
            words,
        })
    }
}

/// List sources in the library, newest first
#[utoipa::path(
    get, path = "/api/v1/sources", tag = "sources", operation_id = "list_sources",
    params(SourceListQuery, Paging),
    responses(
        (status = 200, description = "One page", body = SourcePage),
        (status = 422, description = "A parameter is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn list(
    State(server): State<Server>,
    Caller(scope): Caller,
    Query(query): Query<SourceListQuery>,
    Query(paging): Query<Paging>,
) -> ApiResult<axum::Json<SourcePage>> {
    let view = parse_view(query.view.as_deref())?;
    let page = server.app.sources(&scope).list(&query.to_filter()?, paging.limit()?, paging.cursor()?.as_ref()).await?;
    Ok(axum::Json(Page::from_page(page, |described| view.build_view(described))))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct SourceViewQuery {
    /// Form of the response; default source.
    #[param(value_type = Option<values::SourceViewName>, inline)]
    view: Option<String>,
}

/// Number of sources in each processing state.
#[derive(Serialize, ToSchema, Default)]
pub(super) struct SourceCounts {
    /// Number of all sources in the library.
    total: u64,
    /// Their content is being fetched or read.
    pending: u64,
    /// Found by words, not yet by meaning.
    indexed: u64,
    /// Number of sources that are found by words and by meaning.
    ready: u64,
    /// Number of sources whose content could not be read.
    failed: u64,
    /// Waiting to be found by meaning.
    embedding_pending: u64,
    /// Never to be found by meaning, until someone does something about it.
    embedding_failed: u64,
}

/// Count the sources in each processing state
#[utoipa::path(
    get, path = "/api/v1/sources/counts", tag = "sources", operation_id = "count_sources",
    responses((status = 200, description = "The counts", body = SourceCounts)),
)]
pub(super) async fn count_sources(
    State(server): State<Server>,
    Caller(scope): Caller,
) -> ApiResult<axum::Json<SourceCounts>> {
    let mut counts = SourceCounts::default();
    for (status, embedding, count) in server.app.sources(&scope).count().await? {
        counts.total += count;
        match status {
            SourceStatus::Pending => counts.pending += count,
            SourceStatus::Indexed => counts.indexed += count,
            SourceStatus::Ready => counts.ready += count,
            SourceStatus::Failed => counts.failed += count,
        }
        match embedding {
            EmbeddingState::Pending => counts.embedding_pending += count,
            EmbeddingState::Failed => counts.embedding_failed += count,
            EmbeddingState::Absent | EmbeddingState::Ready => {}
        }
    }
    Ok(axum::Json(counts))
}

/// Get the details of a source by its id
#[utoipa::path(
    get, path = "/api/v1/sources/{id}", tag = "sources", operation_id = "get_source",
    params(("id" = String, Path, description = "Its id"), SourceViewQuery),
    responses(
        (status = 200, description = "The source", body = SourceView),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get_one(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(query): Query<SourceViewQuery>,
) -> ApiResult<axum::Json<SourceView>> {
    let view = parse_view(query.view.as_deref())?;
    Ok(axum::Json(view.build_view(server.app.sources(&scope).get(source_id(&id)?).await?)))
}

/// Change what is said of a source
///
/// Fields that are named here are not changed by later readings of the content.
#[utoipa::path(
    patch, path = "/api/v1/sources/{id}", tag = "sources", operation_id = "change_source",
    params(("id" = String, Path, description = "Its id")),
    request_body = SourcePatch,
    responses(
        (status = 200, description = "The source as it is now", body = Source),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "Something said of it is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn change(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    request: Request,
) -> ApiResult<axum::Json<Source>> {
    let id = source_id(&id)?;
    let body = json_body(&server, request).await?;
    Ok(axum::Json(server.app.sources(&scope).change(id, source_body::parse_change(&body)?).await?.into()))
}

/// Delete a source
///
/// With its versions and passages. Its bytes stay for the grace period of garbage collection. See `/impact` for what
/// would lose its support.
#[utoipa::path(
    delete, path = "/api/v1/sources/{id}", tag = "sources", operation_id = "delete_source",
    params(("id" = String, Path, description = "Its id")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn delete(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<StatusCode> {
    server.app.sources(&scope).delete(source_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ImpactQuery {
    /// An artifact that is to replace its content: only claims whose quote that no longer has are listed. Without it,
    /// what deleting the source would do.
    artifact_sha256: Option<String>,
}

/// Get the impact of deleting a source
///
/// Lists every claim of messages and documents that cites the source, each once, counts those that would lose their only
/// support, and lists the artifacts that would be deleted.
#[utoipa::path(
    get, path = "/api/v1/sources/{id}/impact", tag = "sources", operation_id = "get_source_impact",
    params(("id" = String, Path, description = "Its id"), ImpactQuery, Paging),
    responses(
        (status = 200, description = "What hangs on it", body = SourceImpact),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get_impact(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(query): Query<ImpactQuery>,
    Query(paging): Query<Paging>,
) -> ApiResult<axum::Json<SourceImpact>> {
    let id = source_id(&id)?;
    let replacement = query.artifact_sha256.as_deref();
    let replacement = replacement.map(|hash| hash_in_field(hash, "artifact_sha256")).transpose()?;
    let impact = server.app.sources(&scope).impact(id).await?;
    let losses = server
        .app
        .citations(&scope)
        .affected_claims(id, replacement, paging.limit()?, paging.cursor()?.as_ref())
        .await?;
    Ok(axum::Json(SourceImpact::new(impact, losses)))
}

/// The content to take in again.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RefreshBody {
    /// New bytes, which are kept already; if not given, the address is fetched again.
    artifact_sha256: Option<String>,
}

/// The work that was asked for.
#[derive(Serialize, ToSchema)]
pub(super) struct QueuedJob {
    /// Id of the job that does the work.
    job_id: Uuid,
}

/// Take the content of a source in again
///
/// Bytes that differ make a new revision; what was cited before keeps pointing to the old one.
#[utoipa::path(
    post, path = "/api/v1/sources/{id}/refresh", tag = "sources", operation_id = "refresh_source",
    params(("id" = String, Path, description = "Its id")),
    request_body(content = Option<RefreshBody>),
    responses(
        (status = 202, description = "Asked for", body = QueuedJob),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
        (status = 409, description = "It has no address", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn refresh(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    request: Request,
) -> ApiResult<(StatusCode, axum::Json<QueuedJob>)> {
    let id = source_id(&id)?;
    let body = read_body(request.into_body(), server.config.json_limit_bytes).await?;
    let new: RefreshBody =
        if body.is_empty() { RefreshBody::default() } else { crate::wire::parse::parse_json(&body)? };
    let content = new.artifact_sha256.map(|hash| hash_in_field(&hash, "artifact_sha256")).transpose()?;
    let job = server.app.sources(&scope).refresh(id, content).await?;
    Ok((StatusCode::ACCEPTED, axum::Json(QueuedJob { job_id: job.uuid() })))
}

/// The versions of a source's content, newest first
#[utoipa::path(
    get, path = "/api/v1/sources/{id}/revisions", tag = "sources", operation_id = "list_source_revisions",
    params(("id" = String, Path, description = "Its id"), Paging),
    responses(
        (status = 200, description = "One page", body = Page<Revision>),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn list_revisions(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(paging): Query<Paging>,
) -> ApiResult<axum::Json<Page<Revision>>> {
    let page =
        server.app.sources(&scope).revisions(source_id(&id)?, paging.limit()?, paging.cursor()?.as_ref()).await?;
    Ok(axum::Json(Page::from_page(page, Revision::from)))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct RevisionQuery {
    /// An earlier version, by its id; the one the source stands at if not given.
    revision: Option<String>,
}

impl RevisionQuery {
    fn revision_id(&self) -> Result<Option<RevisionId>, Problem> {
        let wrong = |text: &str| {
            let detail = format!("there is no revision '{}'; an id is a UUID", shorten_for_error(text));
            Problem::new(Code::RevisionNotFound, detail).with_field("revision")
        };
        self.revision.as_deref().map(|text| text.parse().map_err(|_| wrong(text))).transpose()
    }
}

/// The bytes of a source
///
/// As they came. Supports ranges and conditions as artifacts do.
#[utoipa::path(
    get, path = "/api/v1/sources/{id}/content", tag = "sources", operation_id = "get_source_content",
    params(("id" = String, Path, description = "Its id"), RevisionQuery, ContentQuery),
    responses(
        (status = 200, description = "All of it, as its own media type", content_type = "*/*", body = FileBytes),
        (status = 206, description = "The range asked for", content_type = "*/*", body = FileBytes),
        (status = 304, description = "Unchanged"),
        (status = 412, description = "The content is another one", body = WireProblem, content_type = "application/problem+json"),
        (status = 416, description = "The range lies outside", body = WireProblem, content_type = "application/problem+json"),
        (status = 404, description = "There is no such source, or it has no content", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn download_content(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(revision): Query<RevisionQuery>,
    Query(query): Query<ContentQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let revision = server.app.sources(&scope).revision(source_id(&id)?, revision.revision_id()?).await?;
    content::send_artifact(&server, &scope, revision.content, &query, &headers).await
}

/// A small picture of a source
#[utoipa::path(
    get, path = "/api/v1/sources/{id}/thumbnail", tag = "sources", operation_id = "get_source_thumbnail",
    params(("id" = String, Path, description = "Its id"), RevisionQuery),
    responses(
        (status = 200, description = "PNG or JPEG", content_type = "image/*", body = FileBytes),
        (status = 404, description = "There is no such source, or no picture of it", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn download_thumbnail(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(revision): Query<RevisionQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let revision = server.app.sources(&scope).revision(source_id(&id)?, revision.revision_id()?).await?;
    let Some(picture) = revision.thumbnail else {
        let detail = "there is no small picture of this source; images and PDF files have one";
        return Err(Problem::new(Code::SourceHasNoContent, detail).into());
    };
    content::send_artifact(&server, &scope, picture, &ContentQuery::inline(), &headers).await
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct TextQuery {
    /// The first character to show.
    start_char: Option<usize>,
    /// One past the last character to show.
    end_char: Option<usize>,
}

/// The text of a source
///
/// With the marks that say which page, section, sheet or part each place lies in. With `Accept: text/plain`, only the
/// text. Places count Unicode scalar values and never change for a revision.
#[utoipa::path(
    get, path = "/api/v1/sources/{id}/text", tag = "sources", operation_id = "get_source_text",
    params(("id" = String, Path, description = "Its id"), RevisionQuery, TextQuery),
    responses(
        (status = 200, description = "The text", body = SourceText),
        (status = 404, description = "There is no such source, or it has no text", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get_text(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(revision): Query<RevisionQuery>,
    Query(query): Query<TextQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let id = source_id(&id)?;
    let found = server.app.sources(&scope).text(id, revision.revision_id()?).await?;
    let index = CharIndex::new(&found.text);
    let end = query.end_char.unwrap_or(index.len()).min(index.len());
    let start = query.start_char.unwrap_or(0);
    if start > end {
        let detail = format!("start_char is {start}; the text ends at {end}");
        return Err(Problem::new(Code::InvalidQuery, detail).with_field("start_char").into());
    }
    let span = Span::new(start, end);
    let words = index.span_text(span).unwrap_or_default().to_owned();
    let plain = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if plain.starts_with("text/plain") {
        return Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], words).into_response());
    }
    let marks = found.marks.into_iter().filter(|mark| mark.span.overlaps(span)).map(Mark::from).collect();
    Ok(axum::Json(SourceText {
        source_id: id.uuid(),
        revision_id: found.revision.id.uuid(),
        text_sha256: found.revision.text,
        start_char: start,
        end_char: end,
        total_chars: index.len(),
        text: words,
        marks,
    })
    .into_response())
}

/// The passages of a source, in order
#[utoipa::path(
    get, path = "/api/v1/sources/{id}/chunks", tag = "sources", operation_id = "list_source_chunks",
    params(("id" = String, Path, description = "Its id"), RevisionQuery, Paging),
    responses(
        (status = 200, description = "One page", body = Page<Chunk>),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn list_chunks(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(revision): Query<RevisionQuery>,
    Query(paging): Query<Paging>,
) -> ApiResult<axum::Json<Page<Chunk>>> {
    let (limit, cursor) = (paging.limit()?, paging.cursor()?);
    let page =
        server.app.sources(&scope).chunks(source_id(&id)?, revision.revision_id()?, limit, cursor.as_ref()).await?;
    Ok(axum::Json(Page::from_page(page, Chunk::from)))
}

/// An HTML page to extract metadata and content from.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExtractPageBody {
    /// HTML of the page, with its head.
    html: String,
    /// Web address that the page was loaded from.
    url: Option<String>,
}

/// Read a page without keeping it
///
/// What would be stored if this HTML stood at that address. Nothing is fetched.
#[utoipa::path(
    post, path = "/api/v1/sources/extract", tag = "sources", operation_id = "extract_page",
    request_body = ExtractPageBody,
    responses(
        (status = 200, description = "What it tells of itself", body = ExtractedPage),
        (status = 422, description = "It cannot be read", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn extract_page(
    State(server): State<Server>,
    Json(page): Json<ExtractPageBody>,
) -> ApiResult<axum::Json<ExtractedPage>> {
    let about = ContentHints {
        media_type: Some("text/html; charset=utf-8".to_owned()),
        url: page.url.clone(),
        ..ContentHints::default()
    };
    let read = server.app.read_bytes(&about, page.html.into()).await?;
    let reading = read.map_err(|error| Problem::new(Code::InvalidField, error.to_string()).with_field("html"))?;
    let mut extracted = ExtractedPage::from(reading);
    extracted.title = extracted.title.or_else(|| page.url.clone());
    extracted.url = page.url;
    Ok(axum::Json(extracted))
}

fn parse_view(name: Option<&str>) -> Result<SourceViewKind, Problem> {
    match name.unwrap_or("source") {
        "" | "source" => Ok(SourceViewKind::Source),
        "entity" => Ok(SourceViewKind::Entity),
        "cited_file" => Ok(SourceViewKind::CitedFile),
        other => {
            let detail =
                format!("'{}' is not a view; it is one of source, entity, cited_file", shorten_for_error(other));
            Err(Problem::new(Code::InvalidQuery, detail).with_field("view"))
        }
    }
}

/// The id of a source. What is not an id names nothing, so it is not found.
pub(crate) fn source_id(text: &str) -> Result<SourceId, Problem> {
    text.parse().map_err(|_| {
        Problem::new(Code::SourceNotFound, format!("there is no source '{}'; an id is a UUID", shorten_for_error(text)))
    })
}

/// Reads the body of a JSON request, up to the size limit.
async fn json_body(server: &Server, request: Request) -> Result<bytes::Bytes, Problem> {
    super::extract::check_json_type(request.headers())?;
    read_body(request.into_body(), server.config.json_limit_bytes).await
}
