//! What documents are made into.

use std::time::Instant;

use axum::{
    extract::State,
    http::{HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
};
use ibid_app::{App, BibliographyGrouping, DraftRequest, PreviewRequest, RenderFormat, Scope};
use ibid_bibliography::ReferenceFormat;
use ibid_domain::{Code, DocumentId, MissingDetails, Problem, problem::shorten_for_error};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::document_id;
use crate::{
    http::{
        Server,
        extract::{Caller, Json, Path, Query},
        problem::ApiResult,
    },
    wire::{
        FileBytes, Job, Problem as WireProblem,
        documents::{BibliographyAnswer, BibliographyLine, DocumentSettingsBody, PreviewAnswer, SupportAnswer},
        values,
    },
};

/// Says how many pages a document has.
static PAGES: HeaderName = HeaderName::from_static("ibid-pages");

/// A file as an answer. What is shown in place runs nothing.
pub(super) fn file_response(media_type: &str, name: &str, bytes: Vec<u8>, in_place: bool) -> Response {
    let plain: String = name
        .chars()
        .map(|char| if char.is_ascii_alphanumeric() || "-_. ".contains(char) { char } else { '_' })
        .collect();
    let kind = if in_place { "inline" } else { "attachment" };
    let headers = [
        (header::CONTENT_TYPE, media_type.to_owned()),
        (header::CONTENT_DISPOSITION, format!("{kind}; filename=\"{plain}\"")),
        (
            header::CONTENT_SECURITY_POLICY,
            "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:".to_owned(),
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (headers, bytes).into_response()
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct RenderQuery {
    /// Format of the file; default pdf.
    #[param(value_type = Option<values::RenderFormat>, inline)]
    format: Option<String>,
    /// Number of the page, for svg and png; default 1.
    page: Option<usize>,
    /// Number of the version to render; default: the newest.
    version: Option<u64>,
}

/// Render a document
///
/// Its pages as PDF, one page as SVG or PNG, its words as HTML or Markdown, or the whole in Typst. `Ibid-Pages` says how
/// many pages there are. A text that cannot be set is answered with where and why (422, `faults`).
#[utoipa::path(
    get, path = "/api/v1/documents/{id}/render", tag = "documents", operation_id = "render_document",
    params(("id" = String, Path, description = "The document"), RenderQuery),
    responses(
        (status = 200, description = "The file", content_type = "*/*", body = FileBytes),
        (status = 404, description = "There is no such document, version or page", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "The text cannot be set, or takes too much", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn render(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(query): Query<RenderQuery>,
) -> ApiResult<Response> {
    let id = document_id(&id)?;
    let format: RenderFormat = query.format.as_deref().unwrap_or("pdf").parse()?;
    let made = server.app.documents(&scope).render(id, format, query.page.unwrap_or(1), query.version).await?;
    let title = server.app.documents(&scope).get(id, None).await?.document.settings.title;
    let short: String = title.chars().take(80).collect();
    let mut response =
        file_response(format.media_type(), &format!("{}.{}", short.trim(), format.extension()), made.bytes, true);
    if let Some(pages) = made.pages {
        response.headers_mut().insert(PAGES.clone(), pages.into());
    }
    Ok(response)
}

/// Unsaved text and settings to render as a preview.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub(in crate::http) struct PreviewBody {
    /// The text, instead of the document's.
    text: Option<String>,
    #[serde(flatten)]
    #[schema(inline)]
    settings: DocumentSettingsBody,
    /// Hashes of pages that need not be sent again.
    known: Vec<String>,
    /// The first page; 1 if nothing is said.
    from: Option<usize>,
    /// The last one; seven pages more if nothing is said.
    to: Option<usize>,
}

/// Look at a document before it is saved
///
/// Nothing is saved. Pages that settings as before are told by their hash alone. A text that cannot be set gives its faults.
#[utoipa::path(
    post, path = "/api/v1/documents/{id}/preview", tag = "documents", operation_id = "preview_document",
    params(("id" = String, Path, description = "The document")),
    request_body = PreviewBody,
    responses(
        (status = 200, description = "Pages, or why there are none", body = PreviewAnswer),
        (status = 404, description = "There is no such document", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "It takes too much to set", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn preview(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Json(body): Json<PreviewBody>,
) -> ApiResult<axum::Json<PreviewAnswer>> {
    let began = Instant::now();
    let from = body.from.unwrap_or(1).max(1);
    let request = PreviewRequest {
        text: body.text,
        settings: body.settings.into_patch()?,
        known: body.known,
        from,
        to: body.to.unwrap_or(from.saturating_add(7)),
    };
    let preview = server.app.documents(&scope).preview(document_id(&id)?, request).await?;
    Ok(axum::Json(PreviewAnswer::new(preview, (began.elapsed().as_secs_f64() * 1e6).round() / 1e3)))
}

/// Check the sentences of a document against its sources
///
/// Returns each sentence with a citation and the best verdict of its citations, and the sentences that should cite
/// something and do not.
#[utoipa::path(
    get, path = "/api/v1/documents/{id}/support", tag = "documents", operation_id = "check_document",
    params(("id" = String, Path, description = "The document")),
    responses(
        (status = 200, description = "The sentences", body = SupportAnswer),
        (status = 404, description = "There is no such document", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn check_support(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<SupportAnswer>> {
    Ok(axum::Json(server.app.documents(&scope).check_support(document_id(&id)?).await?.into()))
}

/// Options for the bibliography of a document.
#[derive(Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct BibliographyBody {
    /// The style; the document's own if none is named.
    #[serde(alias = "format")]
    style: Option<String>,
    /// Default: one entry for each source.
    #[schema(value_type = Option<values::BibliographyEntries>)]
    entries: Option<String>,
    /// What stands for details that are not known; default: as the document says.
    #[schema(value_type = Option<values::MissingDetails>)]
    missing: Option<String>,
    /// True if the bibliography is inserted into the text; it replaces one that is there already.
    insert: bool,
}

/// Builds the bibliography of a document.
pub(crate) async fn bibliography_of(
    app: &App,
    scope: &Scope,
    id: DocumentId,
    body: BibliographyBody,
) -> ibid_app::Result<BibliographyAnswer> {
    let entries = match body.entries.as_deref() {
        None | Some("per_source") => BibliographyGrouping::PerSource,
        Some("per_citation") => BibliographyGrouping::PerCitation,
        Some(other) => {
            let detail = format!("entries is '{}'; it is per_source or per_citation", shorten_for_error(other));
            return Err(Problem::new(Code::InvalidField, detail).with_field("entries").into());
        }
    };
    let missing = body.missing.as_deref().map(str::parse::<MissingDetails>).transpose()?;
    // `APA` and `Chicago`, as people write them.
    let style = body.style.map(|style| if style.len() <= 40 { style.to_lowercase() } else { style });
    let made = app.documents(scope).bibliography(id, style.as_deref(), entries, missing, body.insert).await?;
    let style = match style {
        Some(style) => style,
        None => app.documents(scope).get(id, None).await?.document.settings.style,
    };
    Ok(BibliographyAnswer {
        bibliography: made.text,
        entries: made.entries.into_iter().map(BibliographyLine::from).collect(),
        citation_count: made.citation_count,
        style,
    })
}

/// The bibliography of a document
///
/// Only what its text cites, one entry for each source, in the style's order. Without citations it is empty.
#[utoipa::path(
    post, path = "/api/v1/documents/{id}/bibliography", tag = "documents", operation_id = "update_bibliography",
    params(("id" = String, Path, description = "The document")),
    request_body = BibliographyBody,
    responses(
        (status = 200, description = "The bibliography", body = BibliographyAnswer),
        (status = 404, description = "There is no such document", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "There is no such style", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn make_bibliography(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Json(body): Json<BibliographyBody>,
) -> ApiResult<axum::Json<BibliographyAnswer>> {
    Ok(axum::Json(bibliography_of(&server.app, &scope, document_id(&id)?, body).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct ReferencesQuery {
    /// Format of the references; default bibtex.
    #[param(value_type = Option<values::ReferenceFormat>, inline)]
    format: Option<String>,
}

fn reference_format(text: Option<&str>) -> Result<ReferenceFormat, Problem> {
    text.unwrap_or("bibtex").parse()
}

/// Export the references of a document
#[utoipa::path(
    get, path = "/api/v1/documents/{id}/references", tag = "documents", operation_id = "export_document_references",
    params(("id" = String, Path, description = "The document"), ReferencesQuery),
    responses(
        (status = 200, description = "The file", content_type = "*/*", body = FileBytes),
        (status = 404, description = "There is no such document", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn document_references(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(query): Query<ReferencesQuery>,
) -> ApiResult<Response> {
    let format = reference_format(query.format.as_deref())?;
    let text = server.app.documents(&scope).references(document_id(&id)?, format).await?;
    Ok(file_response(format.media_type(), &format!("references.{}", format.extension()), text.into_bytes(), false))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct LibraryReferencesQuery {
    /// Format of the references; default bibtex.
    #[param(value_type = Option<values::ReferenceFormat>, inline)]
    format: Option<String>,
    /// Ids of sources with commas between them; all sources if none is named.
    source_ids: Option<String>,
}

/// Sources as references, for other programs
#[utoipa::path(
    get, path = "/api/v1/references", tag = "sources", operation_id = "export_references",
    params(LibraryReferencesQuery),
    responses(
        (status = 200, description = "The file", content_type = "*/*", body = FileBytes),
        (status = 404, description = "There is no such source", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn library_references(
    State(server): State<Server>,
    Caller(scope): Caller,
    Query(query): Query<LibraryReferencesQuery>,
) -> ApiResult<Response> {
    let format = reference_format(query.format.as_deref())?;
    let ids = query.source_ids.iter().flat_map(|ids| ids.split(',')).map(str::trim).filter(|id| !id.is_empty());
    let ids: Vec<_> = ids.map(crate::http::sources::source_id).collect::<Result<_, _>>()?;
    let text = server.app.documents(&scope).export_references(&ids, format).await?;
    Ok(file_response(format.media_type(), &format!("references.{}", format.extension()), text.into_bytes(), false))
}

/// Topic and outline of a draft to generate.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(in crate::http) struct DraftBody {
    /// A question that the whole answers.
    question: Option<String>,
    /// Headings of the draft's sections, in order.
    outline: Vec<String>,
    /// True if the draft replaces the text; false appends it.
    replace: bool,
}

/// Draft a document from its sources
///
/// By a job: each heading of the outline is answered from the document's own sources, in their own words or by the
/// language model if there is one, with citations. The job's result says which version has the draft.
#[utoipa::path(
    post, path = "/api/v1/documents/{id}/draft", tag = "documents", operation_id = "draft_document",
    params(("id" = String, Path, description = "The document")),
    request_body = DraftBody,
    responses(
        (status = 202, description = "The job that drafts", body = Job),
        (status = 404, description = "There is no such document", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "There is nothing to draft from", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn start_draft(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Json(body): Json<DraftBody>,
) -> ApiResult<(StatusCode, axum::Json<Job>)> {
    let request = DraftRequest { question: body.question, outline: body.outline, replace: body.replace };
    let job = server.app.documents(&scope).request_draft(document_id(&id)?, request).await?;
    Ok((StatusCode::ACCEPTED, axum::Json(job.into())))
}
