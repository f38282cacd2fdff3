//! Many sources at once: files in a form, lists of references, zips.

use axum::{
    extract::{Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use ibid_app::{ImportReport, ImportRequest, SourceContent, SourceDraft};
use ibid_domain::{Code, JsonObject, Problem, Sha256, problem::shorten_for_error};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    http::{
        Server,
        extract::{Caller, check_json_type, read_body},
        problem::{ApiError, ApiResult},
        upload::{FormPart, MultipartForm, UploadLimits},
    },
    wire::{
        Job, Problem as WireProblem,
        parse::{check_facts, hash_in_field, parse_json},
        source_body,
        sources::{ImportFailure, ImportResult, Source},
        values,
    },
};

/// Multipart form that uploads files as sources.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the form, which is read as it streams")]
pub(crate) struct SourcesForm {
    /// The files: as many parts as there are, each with a file name.
    #[schema(value_type = Vec<String>, format = Binary)]
    file: Vec<String>,
    /// Type of the sources; default KNOWLEDGE_BASE.
    #[schema(rename = "type", value_type = Option<values::SourceType>)]
    kind: Option<String>,
    /// The document they are collected for.
    document_id: Option<Uuid>,
    /// The project they belong to.
    project_id: Option<Uuid>,
    /// Tags of all files: a JSON list, or words separated by commas.
    tags: Option<String>,
    /// Facts that are specific to the type of the sources: a JSON object.
    #[schema(value_type = Option<HashMap<String, serde_json::Value>>)]
    metadata: Option<String>,
}

/// Form fields that apply to all files of the upload.
#[derive(Default)]
struct SourceFormFields {
    kind: Option<ibid_domain::SourceType>,
    document_id: Option<Uuid>,
    project_id: Option<Uuid>,
    tags: Vec<String>,
    metadata: JsonObject,
}

impl SourceFormFields {
    fn set_field(&mut self, name: &str, text: &str) -> Result<(), Problem> {
        let id = |text: &str| {
            let wrong = || format!("{name} is '{}'; it takes a UUID", shorten_for_error(text));
            text.parse().map(Some).map_err(|_| Problem::new(Code::InvalidField, wrong()).with_field(name))
        };
        match name {
            _ if text.is_empty() => {}
            "type" => self.kind = Some(source_body::parse_source_type(text)?),
            "document_id" => self.document_id = id(text)?,
            "project_id" => self.project_id = id(text)?,
            "tags" if text.trim_start().starts_with('[') => {
                self.tags = parse_json(text.as_bytes()).map_err(|problem| problem.with_field("tags"))?;
            }
            "tags" => self.tags = text.split(',').map(|tag| tag.trim().to_owned()).collect(),
            "metadata" => {
                self.metadata = parse_json(text.as_bytes()).map_err(|problem| problem.with_field("metadata"))?;
                check_facts("metadata", &self.metadata)?;
            }
            other => {
                let detail = format!(
                    "the form has a field '{}'; it takes files, type, document_id, project_id, tags and metadata",
                    shorten_for_error(other)
                );
                return Err(Problem::new(Code::InvalidField, detail).with_field(shorten_for_error(other)));
            }
        }
        Ok(())
    }
}

/// Bring files
///
/// As many as the form has. Each becomes a source at once and is read by a job; a file whose bytes are here already is
/// given back as it is.
#[utoipa::path(
    post, path = "/api/v1/sources/upload", tag = "sources", operation_id = "upload_sources",
    request_body(content = SourcesForm, content_type = "multipart/form-data"),
    responses(
        (status = 201, description = "At least one is new", body = ImportResult),
        (status = 200, description = "All were here already", body = ImportResult),
        (status = 400, description = "The form is broken", body = WireProblem, content_type = "application/problem+json"),
        (status = 413, description = "Too large", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "Something said of them is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn upload(
    State(server): State<Server>,
    Caller(scope): Caller,
    request: Request,
) -> ApiResult<(StatusCode, axum::Json<ImportResult>)> {
    let bounds = UploadLimits { limit: server.config.upload_limit_bytes, idle: server.config.idle_timeout() };
    let (parts, body) = request.into_parts();
    let (mut said, mut kept, mut failed) = (SourceFormFields::default(), Vec::new(), Vec::new());
    let (app, owner) = (&server.app, &scope);
    let mut form = MultipartForm::open(&parts.headers, body, bounds)?;
    while let Some(part) = form.next(app).await? {
        match part {
            FormPart::Text(name, text) => {
                if let Err(problem) = said.set_field(&name, &text) {
                    return Err(form.reject_with(problem).await);
                }
            }
            FormPart::File(received, details) => {
                let filename = details.filename.as_ref().map(|name| name.as_str().to_owned());
                match app.artifacts(owner).store(received, details).await {
                    Ok((artifact, _)) => kept.push((artifact.sha256, filename)),
                    Err(ibid_app::Error::Problem(problem)) => failed.push(import_failure(filename, &problem)),
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }
    if kept.is_empty() && failed.is_empty() {
        let detail = "the form has no file; give each a part with a file name";
        return Err(Problem::new(Code::MissingFile, detail).with_field("file").into());
    }
    let mut brought = ImportResult { items: vec![], added: 0, unchanged: 0, failed };
    for (sha256, filename) in kept {
        let draft = SourceDraft {
            content: SourceContent::Artifact(sha256),
            kind: said.kind,
            document_id: said.document_id,
            project_id: said.project_id,
            tags: said.tags.clone(),
            metadata: said.metadata.clone(),
            filename,
            ..SourceDraft::default()
        };
        let (described, new) = app.sources(owner).create(draft).await?;
        brought.added += u64::from(new);
        brought.unchanged += u64::from(!new);
        brought.items.push(described.into());
    }
    Ok((if brought.added > 0 { StatusCode::CREATED } else { StatusCode::OK }, axum::Json(brought)))
}

fn import_failure(filename: Option<String>, problem: &Problem) -> ImportFailure {
    ImportFailure { entry: filename.unwrap_or_else(|| "a file".to_owned()), reason: problem.detail.clone() }
}

/// Many sources to be brought.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewImport {
    /// Format of the list; default: found out from the text.
    #[schema(value_type = Option<values::ImportFormat>)]
    format: Option<String>,
    /// References to import, as text in one of the formats.
    text: Option<String>,
    /// Or an artifact that holds it: a list, or a zip of files.
    artifact_sha256: Option<String>,
    /// Or where the list stands, as a sitemap does.
    url: Option<String>,
    /// The document they are collected for.
    document_id: Option<Uuid>,
    /// Tags for all imported sources.
    tags: Option<Vec<String>>,
}

/// Bring many sources
///
/// BibTeX, BibLaTeX, RIS or CSL-JSON; a list of addresses or a sitemap; a zip of files. As JSON, or as a form with a
/// field `file`. One bad entry never loses the others. A zip is unpacked by a job.
#[utoipa::path(
    post, path = "/api/v1/sources/import", tag = "sources", operation_id = "import_sources",
    request_body(content(
        (NewImport = "application/json"),
        (SourcesForm = "multipart/form-data"),
    )),
    responses(
        (status = 201, description = "At least one is new", body = ImportResult),
        (status = 200, description = "All were here already", body = ImportResult),
        (status = 202, description = "A job unpacks the zip", body = Job),
        (status = 422, description = "It cannot be read", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn import(
    State(server): State<Server>,
    Caller(scope): Caller,
    request: Request,
) -> ApiResult<Response> {
    let (parts, body) = request.into_parts();
    let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let import = if kind.trim_start().to_ascii_lowercase().starts_with("multipart/") {
        import_from_form(&server, &scope, &parts.headers, body).await?
    } else {
        check_json_type(&parts.headers)?;
        let bytes = read_body(body, server.config.json_limit_bytes).await?;
        import_from_json(parse_json(&bytes)?)?
    };
    let answer = match server.app.sources(&scope).import(import).await? {
        ImportReport::Done { sources, failed } => {
            let added = sources.iter().filter(|(_, new)| *new).count() as u64;
            let unchanged = sources.len() as u64 - added;
            let failed = failed.into_iter().map(|one| ImportFailure { entry: one.entry, reason: one.reason }).collect();
            let items = sources.into_iter().map(|(described, _)| Source::from(described)).collect();
            let status = if added > 0 { StatusCode::CREATED } else { StatusCode::OK };
            (status, axum::Json(ImportResult { items, added, unchanged, failed })).into_response()
        }
        ImportReport::Queued(job) => (StatusCode::ACCEPTED, axum::Json(Job::from(*job))).into_response(),
    };
    Ok(answer)
}

fn import_from_json(new: NewImport) -> Result<ImportRequest, Problem> {
    let artifact = new.artifact_sha256.map(|hash| hash_in_field(&hash, "artifact_sha256")).transpose()?;
    if [new.text.is_some(), artifact.is_some(), new.url.is_some()].iter().filter(|given| **given).count() != 1 {
        let detail = "give the list as text, or the artifact_sha256 of a list or zip, or the url of a list or sitemap";
        return Err(Problem::new(Code::InvalidField, detail).with_field("text"));
    }
    Ok(ImportRequest {
        text: new.text,
        artifact,
        url: new.url,
        format: new.format,
        document_id: new.document_id,
        tags: new.tags.unwrap_or_default(),
    })
}

async fn import_from_form(
    server: &Server,
    scope: &ibid_app::Scope,
    headers: &axum::http::HeaderMap,
    body: axum::body::Body,
) -> Result<ImportRequest, ApiError> {
    let bounds = UploadLimits { limit: server.config.upload_limit_bytes, idle: server.config.idle_timeout() };
    let (mut said, mut format, mut artifact) = (SourceFormFields::default(), None, None::<Sha256>);
    let mut form = MultipartForm::open(headers, body, bounds)?;
    while let Some(part) = form.next(&server.app).await? {
        match part {
            FormPart::Text(name, text) if name == "format" => format = Some(text).filter(|text| !text.is_empty()),
            FormPart::Text(name, text) => {
                if let Err(problem) = said.set_field(&name, &text) {
                    return Err(form.reject_with(problem).await);
                }
            }
            FormPart::File(received, details) => {
                artifact = Some(server.app.artifacts(scope).store(received, details).await?.0.sha256);
            }
        }
    }
    if artifact.is_none() {
        return Err(Problem::new(Code::MissingFile, "the form has no field 'file'").with_field("file").into());
    }
    Ok(ImportRequest { artifact, format, document_id: said.document_id, tags: said.tags, ..ImportRequest::default() })
}
