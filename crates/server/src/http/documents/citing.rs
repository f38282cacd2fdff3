//! What a document cites, and its sources.

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use ibid_app::{App, CitationDraft, CitationEdit, CitationsOfSource, Cited, Scope};
use ibid_domain::{Code, DocumentId, JsonObject, Problem, problem::shown};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    document_id,
    wire::{CitationAnswer, CitationsAnswer, DocumentCitation, DocumentSource, DocumentSources, NumberAnswer},
};
use crate::http::{
    Server,
    extract::{Caller, Json, Path, Query, check_json_type, parse_json, read_body},
    problem::ApiResult,
    sources::{
        body::{self, said},
        source_id,
    },
    wire::Problem as WireProblem,
};

/// The next number of a citation.
pub(crate) async fn next_number(app: &App, scope: &Scope, id: DocumentId) -> ibid_app::Result<NumberAnswer> {
    let citation_number = app.next_citation_number(scope, id).await?;
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
pub(in crate::http) async fn number(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<NumberAnswer>> {
    Ok(axum::Json(next_number(&server.app, &scope, document_id(&id)?).await?))
}

/// A citation to be made.
#[derive(Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewCitation {
    /// What is cited.
    #[schema(required)]
    source_id: String,
    /// Its number; the next one if none is given.
    citation_number: Option<u32>,
    /// Where it stands in the text, in characters; the end if nothing is said. If its marker stands in the text, that
    /// is where it is.
    position: Option<usize>,
    /// Where in the source: `p. 12`, `12-15`, `chap. 3`.
    locator: Option<String>,
    /// What is said before it: `see`.
    prefix: Option<String>,
    /// What is said after it.
    suffix: Option<String>,
    /// The words of the source that it stands for.
    quote: Option<String>,
    /// Whether its marker is put into the text at the position, as a new version.
    insert: bool,
}

/// Makes a citation.
pub(crate) async fn add_citation(
    app: &App,
    scope: &Scope,
    id: DocumentId,
    new: NewCitation,
) -> ibid_app::Result<CitationAnswer> {
    let source = new.source_id.parse().map_err(|_| {
        let detail = format!("'{}' is not the id of a source", shown(&new.source_id));
        Problem::new(Code::SourceNotFound, detail).field("source_id")
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
    let (citation, version) = app.cite(scope, id, draft).await?;
    let message = format!("Citation {} added at position {}", citation.number, citation.position);
    let number = citation.number;
    let cited = one(app, scope, id, number).await?.unwrap_or(Cited { citation, formatted: String::new() });
    Ok(CitationAnswer { success: true, citation: cited.into(), message, version })
}

async fn one(app: &App, scope: &Scope, id: DocumentId, number: u32) -> ibid_app::Result<Option<Cited>> {
    let (cited, _) = app.cited(scope, id).await?;
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

/// What a document cites
///
/// In the order of its text, with what each footnote says in the document's style.
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
    let (cited, dangling) = server.app.cited(&scope, document_id(&id)?).await?;
    Ok(axum::Json(CitationsAnswer { items: cited.into_iter().map(DocumentCitation::from).collect(), dangling }))
}

/// What is to be changed of a citation; null takes a field away.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(in crate::http) struct ChangeCitation {
    /// What is cited.
    source_id: Option<String>,
    /// Where in the source.
    #[schema(value_type = Option<String>)]
    #[serde(deserialize_with = "said")]
    locator: Option<Option<String>>,
    /// What is said before it.
    #[schema(value_type = Option<String>)]
    #[serde(deserialize_with = "said")]
    prefix: Option<Option<String>>,
    /// What is said after it.
    #[schema(value_type = Option<String>)]
    #[serde(deserialize_with = "said")]
    suffix: Option<Option<String>>,
}

fn citation_number(text: &str) -> Result<u32, Problem> {
    text.parse().map_err(|_| {
        Problem::new(Code::DocumentCitationNotFound, format!("'{}' is not the number of a citation", shown(text)))
    })
}

/// Change a citation
#[utoipa::path(
    patch, path = "/api/v1/documents/{id}/citations/{number}", tag = "documents", operation_id = "change_citation",
    params(("id" = String, Path, description = "The document"), ("number" = String, Path, description = "Its number")),
    request_body = ChangeCitation,
    responses(
        (status = 200, description = "The citation as it is now", body = DocumentCitation),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn change(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path((id, number)): Path<(String, String)>,
    Json(body): Json<ChangeCitation>,
) -> ApiResult<axum::Json<DocumentCitation>> {
    let (id, number) = (document_id(&id)?, citation_number(&number)?);
    let edit = CitationEdit {
        source: body.source_id.as_deref().map(source_id).transpose()?,
        locator: body.locator,
        prefix: body.prefix,
        suffix: body.suffix,
    };
    let citation = server.app.change_citation(&scope, id, number, edit).await?;
    let cited = one(&server.app, &scope, id, number).await?;
    Ok(axum::Json(cited.unwrap_or(Cited { citation, formatted: String::new() }).into()))
}

/// That a citation is gone.
#[derive(Serialize, ToSchema)]
pub(crate) struct RemovedCitation {
    /// That it is.
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
    let version = server.app.remove_citation(&scope, document_id(&id)?, citation_number(&number)?).await?;
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
pub(in crate::http) async fn sources(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<DocumentSources>> {
    let sources = server.app.document_sources(&scope, document_id(&id)?).await?;
    Ok(axum::Json(DocumentSources { items: sources.into_iter().map(DocumentSource::from).collect() }))
}

/// Which source is to be one of a document's: one of the library, or a new one as for POST /api/v1/sources.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes fields that are read by name")]
pub(in crate::http) struct NewDocumentSource {
    /// One of the library.
    source_id: Option<String>,
    /// An address that is fetched.
    url: Option<String>,
    /// What a bibliography needs to know of one that has no address.
    #[schema(inline)]
    reference: Option<body::ReferenceFields>,
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
    server.app.document(&scope, id, None).await?;
    let source = match object.get("source_id").map(|value| value.as_str().unwrap_or_default()) {
        Some(known) => source_id(known)?,
        None => {
            let draft = body::draft(serde_json::Value::Object(object).to_string().as_bytes())?;
            server.app.create_source(&scope, draft).await?.0.source.id
        }
    };
    let added = server.app.add_document_source(&scope, id, source).await?;
    Ok((StatusCode::CREATED, axum::Json(added.into())))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct RemoveQuery {
    /// What becomes of the citations of it: `keep` or `remove`. Without it, a source that is cited is not taken away.
    citations: Option<String>,
}

/// Take a source away from a document
///
/// It stays in the library.
#[utoipa::path(
    delete, path = "/api/v1/documents/{id}/sources/{source_id}", tag = "documents", operation_id = "remove_document_source",
    params(("id" = String, Path, description = "The document"), ("source_id" = String, Path, description = "The source"), RemoveQuery),
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
    Query(query): Query<RemoveQuery>,
) -> ApiResult<StatusCode> {
    let citations = match query.citations.as_deref() {
        None => CitationsOfSource::Ask,
        Some("keep") => CitationsOfSource::Keep,
        Some("remove") => CitationsOfSource::Remove,
        Some(other) => {
            let detail = format!("citations is '{}'; it is keep or remove", shown(other));
            return Err(Problem::new(Code::InvalidQuery, detail).field("citations").into());
        }
    };
    server.app.remove_document_source(&scope, document_id(&id)?, source_id(&source)?, citations).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What is looked for in a document's sources.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct DocumentSearch {
    /// A question, or words.
    query: String,
    /// At most so many passages, 1 to 50. By default 5.
    top_k: Option<usize>,
}

/// A passage of a document's source.
#[derive(Serialize, ToSchema)]
pub(in crate::http) struct DocumentPassage {
    /// The source.
    source_id: uuid::Uuid,
    /// What that is called.
    title: String,
    /// The words of it that answer best.
    text: String,
    /// How near it is in meaning, 0 to 1, where that is known.
    similarity_score: f64,
    /// The first character of the words in the source's text.
    start_char: usize,
    /// One past the last.
    end_char: usize,
    /// The page they stand on.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
}

/// What was found in a document's sources.
#[derive(Serialize, ToSchema)]
pub(in crate::http) struct DocumentSearchAnswer {
    /// The passages, the best first.
    results: Vec<DocumentPassage>,
    /// How it went, in words.
    message: String,
}

/// Search the sources of a document
///
/// Passages with the exact words to cite.
#[utoipa::path(
    post, path = "/api/v1/documents/{id}/search", tag = "documents", operation_id = "search_document_sources",
    params(("id" = String, Path, description = "The document")),
    request_body = DocumentSearch,
    responses(
        (status = 200, description = "What was found", body = DocumentSearchAnswer),
        (status = 404, description = "There is no such document", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "Something asked for is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn search(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Json(body): Json<DocumentSearch>,
) -> ApiResult<axum::Json<DocumentSearchAnswer>> {
    let count = body.top_k.unwrap_or(5);
    if !(1..=50).contains(&count) {
        return Err(Problem::new(Code::InvalidField, format!("top_k is {count}; it is 1 to 50")).field("top_k").into());
    }
    let found = server.app.search_document(&scope, document_id(&id)?, &body.query, count).await?;
    let results: Vec<DocumentPassage> = found
        .results
        .into_iter()
        .map(|one| {
            let best = one.evidence.first();
            let span = best.map_or(one.chunk.span, |best| best.span);
            DocumentPassage {
                source_id: one.source.id.uuid(),
                title: one.source.title().to_owned(),
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
