//! What a document cites, and its sources.

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use ibid_app::{App, CitationDraft, CitationEdit, CitedSourcePolicy, FormattedCitation, Scope};
use ibid_domain::{Code, DocumentId, JsonObject, Problem, problem::shorten_for_error};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::document_id;
use crate::{
    http::{
        Server,
        extract::{Caller, Json, Path, Query, check_json_type, read_body},
        problem::ApiResult,
        sources::source_id,
    },
    wire::{
        Problem as WireProblem,
        documents::{CitationAnswer, CitationsAnswer, DocumentCitation, DocumentSource, DocumentSources, NumberAnswer},
        parse::{deserialize_present, parse_json},
        source_body, values,
    },
};

/// The next number of a citation.
pub(crate) async fn next_number(app: &App, scope: &Scope, id: DocumentId) -> ibid_app::Result<NumberAnswer> {
    let citation_number = app.documents(scope).next_citation_number(id).await?;
    Ok(NumberAnswer { citation_number, message: format!("Next citation number is {citation_number}") })
}

/// Get the next number for a citation
///
/// However many ask at once, each number is given out once and none is left out.
#[utoipa::path(
    post, path = "/api/v1/documents/{id}/citation-number", tag = "documents", operation_id = "get_next_citation_number",
    params(("id" = String, Path, description = "The document")),
    responses(
        (status = 200, description = "The number", body = NumberAnswer),
        (status = 404, description = "There is no such document", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn issue_number(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<NumberAnswer>> {
    Ok(axum::Json(next_number(&server.app, &scope, document_id(&id)?).await?))
}

/// Request to add a citation to a document.
#[derive(Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewCitation {
    /// Id of the source that is cited.
    #[schema(required)]
    source_id: String,
    /// Its number; the next one if none is given.
    citation_number: Option<u32>,
    /// Offset of the citation in the text, in characters; default: the end. If the text has the citation's marker, the
    /// marker's position is used instead.
    position: Option<usize>,
    /// Place in the source: `p. 12`, `12-15`, `chap. 3`.
    locator: Option<String>,
    /// Text before the citation, such as `see`.
    prefix: Option<String>,
    /// Text after the citation in the footnote.
    suffix: Option<String>,
    /// The words of the source that it stands for.
    quote: Option<String>,
    /// True if the marker is inserted into the text at the position, as a new version.
    insert: bool,
}

/// Adds a citation to a document.
pub(crate) async fn add_citation(
    app: &App,
    scope: &Scope,
    id: DocumentId,
    new: NewCitation,
) -> ibid_app::Result<CitationAnswer> {
    let source = new.source_id.parse().map_err(|_| {
        let detail = format!("'{}' is not the id of a source", shorten_for_error(&new.source_id));
        Problem::new(Code::SourceNotFound, detail).with_field("source_id")
    })?;
    let draft = CitationDraft {
        source: Some(source),
        number: new.citation_number,
        position: new.position,
        locator: new.locator,
        prefix: new.prefix,
        suffix: new.suffix,
        quote: new.quote,
        insert: new.insert,
    };
    let (citation, version) = app.documents(scope).cite(id, draft).await?;
    let message = format!("Citation {} added at position {}", citation.number, citation.position);
    let number = citation.number;
    let cited = find_citation(app, scope, id, number)
        .await?
        .unwrap_or(FormattedCitation { citation, formatted: String::new() });
    Ok(CitationAnswer { success: true, citation: cited.into(), message, version })
}

async fn find_citation(
    app: &App,
    scope: &Scope,
    id: DocumentId,
    number: u32,
) -> ibid_app::Result<Option<FormattedCitation>> {
    let (cited, _) = app.documents(scope).formatted_citations(id).await?;
    Ok(cited.into_iter().find(|one| one.citation.number == number))
}

/// Cite a source in a document
///
/// The same again changes nothing; a number that cites another source is refused.
#[utoipa::path(
    post, path = "/api/v1/documents/{id}/citations", tag = "documents", operation_id = "add_citation",
    params(("id" = String, Path, description = "The document")),
    request_body = NewCitation,
    responses(
        (status = 201, description = "The citation", body = CitationAnswer),
        (status = 404, description = "There is no such document or source", body = WireProblem, content_type = "application/problem+json"),
        (status = 409, description = "The number cites another source", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "Something asked for is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn create(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Json(body): Json<NewCitation>,
) -> ApiResult<(StatusCode, axum::Json<CitationAnswer>)> {
    let made = add_citation(&server.app, &scope, document_id(&id)?, body).await?;
    Ok((StatusCode::CREATED, axum::Json(made)))
}

/// List the citations of a document
///
/// In the order of the text, each with its footnote in the document's style.
#[utoipa::path(
    get, path = "/api/v1/documents/{id}/citations", tag = "documents", operation_id = "list_document_citations",
    params(("id" = String, Path, description = "The document")),
    responses(
        (status = 200, description = "The citations", body = CitationsAnswer),
        (status = 404, description = "There is no such document", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn list(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<CitationsAnswer>> {
    let (cited, dangling) = server.app.documents(&scope).formatted_citations(document_id(&id)?).await?;
    Ok(axum::Json(CitationsAnswer { items: cited.into_iter().map(DocumentCitation::from).collect(), dangling }))
}

/// Changes to a citation; null removes a field.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(in crate::http) struct CitationPatch {
    /// Id of the source to cite instead.
    source_id: Option<String>,
    /// Place in the source, such as `p. 12`.
    #[schema(value_type = Option<String>)]
    #[serde(deserialize_with = "deserialize_present")]
    locator: Option<Option<String>>,
    /// Text before the citation, such as `see`.
    #[schema(value_type = Option<String>)]
    #[serde(deserialize_with = "deserialize_present")]
    prefix: Option<Option<String>>,
    /// Text after the citation in the footnote.
    #[schema(value_type = Option<String>)]
    #[serde(deserialize_with = "deserialize_present")]
    suffix: Option<Option<String>>,
}

fn citation_number(text: &str) -> Result<u32, Problem> {
    text.parse().map_err(|_| {
        Problem::new(
            Code::DocumentCitationNotFound,
            format!("'{}' is not the number of a citation", shorten_for_error(text)),
        )
    })
}

/// Change a citation of a document
#[utoipa::path(
    patch, path = "/api/v1/documents/{id}/citations/{number}", tag = "documents", operation_id = "change_citation",
    params(("id" = String, Path, description = "The document"), ("number" = String, Path, description = "Its number")),
    request_body = CitationPatch,
    responses(
        (status = 200, description = "The citation as it is now", body = DocumentCitation),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn change(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path((id, number)): Path<(String, String)>,
    Json(body): Json<CitationPatch>,
) -> ApiResult<axum::Json<DocumentCitation>> {
    let (id, number) = (document_id(&id)?, citation_number(&number)?);
    let edit = CitationEdit {
        source: body.source_id.as_deref().map(source_id).transpose()?,
        locator: body.locator,
        prefix: body.prefix,
        suffix: body.suffix,
    };
    let citation = server.app.documents(&scope).change_citation(id, number, edit).await?;
    let cited = find_citation(&server.app, &scope, id, number).await?;
    Ok(axum::Json(cited.unwrap_or(FormattedCitation { citation, formatted: String::new() }).into()))
}

/// Confirmation that a citation was removed.
#[derive(Serialize, ToSchema)]
pub(crate) struct RemovedCitation {
    /// Always true; a missing citation is an error.
    pub(crate) removed: bool,
    /// The version that the document is at.
    pub(crate) version: u64,
}

/// Remove a citation
///
/// Its marker goes from the text as well, as a new version.
#[utoipa::path(
    delete, path = "/api/v1/documents/{id}/citations/{number}", tag = "documents", operation_id = "remove_citation",
    params(("id" = String, Path, description = "The document"), ("number" = String, Path, description = "Its number")),
    responses(
        (status = 200, description = "It is gone", body = RemovedCitation),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn remove(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path((id, number)): Path<(String, String)>,
) -> ApiResult<axum::Json<RemovedCitation>> {
    let version = server.app.documents(&scope).remove_citation(document_id(&id)?, citation_number(&number)?).await?;
    Ok(axum::Json(RemovedCitation { removed: true, version }))
}

/// The sources of a document
///
/// Those that were added to it, and those that it cites.
#[utoipa::path(
    get, path = "/api/v1/documents/{id}/sources", tag = "documents", operation_id = "list_document_sources",
    params(("id" = String, Path, description = "The document")),
    responses(
        (status = 200, description = "The sources", body = DocumentSources),
        (status = 404, description = "There is no such document", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn list_sources(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<DocumentSources>> {
    let sources = server.app.documents(&scope).sources(document_id(&id)?).await?;
    Ok(axum::Json(DocumentSources { items: sources.into_iter().map(DocumentSource::from).collect() }))
}

/// A source to add to a document: one of the library by its id, or a new one as for POST /api/v1/sources.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes fields that are read by name")]
pub(in crate::http) struct NewDocumentSource {
    /// Id of a source that is in the library already.
    source_id: Option<String>,
    /// An address that is fetched.
    url: Option<String>,
    /// Bibliographic details of a source without an address.
    #[schema(inline)]
    reference: Option<source_body::ReferenceFields>,
}

/// Add a source to a document
///
/// One of the library by `source_id`; or a new one by `url`, or by what a bibliography needs to know of it, which is
/// added to the library first.
#[utoipa::path(
    post, path = "/api/v1/documents/{id}/sources", tag = "documents", operation_id = "add_document_source",
    params(("id" = String, Path, description = "The document")),
    request_body = NewDocumentSource,
    responses(
        (status = 201, description = "The source", body = DocumentSource),
        (status = 404, description = "There is no such document or source", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "Something asked for is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn add_source(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<(StatusCode, axum::Json<DocumentSource>)> {
    check_json_type(&headers)?;
    let bytes = read_body(body, server.config.json_limit_bytes).await?;
    let id = document_id(&id)?;
    let mut object: JsonObject = parse_json(&bytes)?;
    if let Some(serde_json::Value::Object(reference)) = object.remove("reference") {
        object.extend(reference);
    }
    server.app.documents(&scope).get(id, None).await?;
    let source = match object.get("source_id").map(|value| value.as_str().unwrap_or_default()) {
        Some(known) => source_id(known)?,
        None => {
            let draft = source_body::parse_draft(serde_json::Value::Object(object).to_string().as_bytes())?;
            server.app.sources(&scope).create(draft).await?.0.source.id
        }
    };
    let added = server.app.documents(&scope).add_source(id, source).await?;
    Ok((StatusCode::CREATED, axum::Json(added.into())))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct RemoveSourceQuery {
    /// Treatment of citations of this source. Without it, a cited source is not removed.
    #[param(value_type = Option<values::RemovedCitations>, inline)]
    citations: Option<String>,
}

/// Take a source away from a document
///
/// It stays in the library.
#[utoipa::path(
    delete, path = "/api/v1/documents/{id}/sources/{source_id}", tag = "documents", operation_id = "remove_document_source",
    params(("id" = String, Path, description = "The document"), ("source_id" = String, Path, description = "The source"), RemoveSourceQuery),
    responses(
        (status = 204, description = "It is no source of the document's any more"),
        (status = 404, description = "It is none", body = WireProblem, content_type = "application/problem+json"),
        (status = 409, description = "The document cites it", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn remove_source(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path((id, source)): Path<(String, String)>,
    Query(query): Query<RemoveSourceQuery>,
) -> ApiResult<StatusCode> {
    let citations = match query.citations.as_deref() {
        None => CitedSourcePolicy::Ask,
        Some("keep") => CitedSourcePolicy::Keep,
        Some("remove") => CitedSourcePolicy::Remove,
        Some(other) => {
            let detail = format!("citations is '{}'; it is keep or remove", shorten_for_error(other));
            return Err(Problem::new(Code::InvalidQuery, detail).with_field("citations").into());
        }
    };
    server.app.documents(&scope).remove_source(document_id(&id)?, source_id(&source)?, citations).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Search within the sources of a document.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct DocumentSearchBody {
    /// Question or words to search for.
    query: String,
    /// At most so many passages, 1 to 50. By default 5.
    top_k: Option<usize>,
}

/// A passage of a document's source.
#[derive(Serialize, ToSchema)]
pub(in crate::http) struct DocumentPassage {
    /// Id of the source that has the passage.
    source_id: uuid::Uuid,
    /// Title of the source that has the passage.
    title: String,
    /// The words of it that answer best.
    text: String,
    /// Similarity of meaning to the query, from 0 to 1; 0 if the passage has no vector.
    similarity_score: f64,
    /// The first character of the words in the source's text.
    start_char: usize,
    /// Offset after the passage's last character.
    end_char: usize,
    /// Page that the passage begins on, from 1; null if the source has no pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
}

/// Passages found in the sources of a document.
#[derive(Serialize, ToSchema)]
pub(in crate::http) struct DocumentSearchAnswer {
    /// The passages, the best first.
    results: Vec<DocumentPassage>,
    /// Summary of the result in one sentence.
    message: String,
}

/// Search the sources of a document
///
/// Passages with the exact words to cite.
#[utoipa::path(
    post, path = "/api/v1/documents/{id}/search", tag = "documents", operation_id = "search_document_sources",
    params(("id" = String, Path, description = "The document")),
    request_body = DocumentSearchBody,
    responses(
        (status = 200, description = "What was found", body = DocumentSearchAnswer),
        (status = 404, description = "There is no such document", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "Something asked for is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn search_sources(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Json(body): Json<DocumentSearchBody>,
) -> ApiResult<axum::Json<DocumentSearchAnswer>> {
    let count = body.top_k.unwrap_or(5);
    if !(1..=50).contains(&count) {
        return Err(Problem::new(Code::InvalidField, format!("top_k is {count}; it is 1 to 50"))
            .with_field("top_k")
            .into());
    }
    let found = server.app.documents(&scope).search(document_id(&id)?, &body.query, count).await?;
    let results: Vec<DocumentPassage> = found
        .results
        .into_iter()
        .map(|one| {
            let best = one.evidence.first();
            let span = best.map_or(one.chunk.span, |best| best.span);
            DocumentPassage {
                source_id: one.source.id.uuid(),
                title: one.source.display_title().to_owned(),
                text: best.map_or_else(|| one.chunk.content.clone(), |best| best.quote.clone()),
                similarity_score: f64::from(one.similarity.unwrap_or(0.0)),
                start_char: span.start,
                end_char: span.end,
                page: best.and_then(|best| best.page).or(one.chunk.place.page),
            }
        })
        .collect();
    let message = match (results.len(), found.notes.first()) {
        (0, Some(note)) => note.clone(),
        (0, None) => "nothing in the document's sources says that".to_owned(),
        (count, _) => format!("{count} passages of the document's sources"),
    };
    Ok(axum::Json(DocumentSearchAnswer { results, message }))
}
