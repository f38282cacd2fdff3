//! Reading an upload as it comes, raw or as multipart, without ever holding much of it.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Body, BodyDataStream},
    http::{HeaderMap, header},
};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use ibid_app::{App, PendingUpload, UploadDetails, too_large};
use ibid_domain::{
    Code, Problem,
    artifact::{Filename, MediaType},
    problem::shorten_for_error,
};

use super::problem::ApiError;
use crate::wire::parse::{check_facts, parse_json};

/// Limits of an upload: its size, and the pauses within it.
#[derive(Clone, Copy)]
pub(super) struct UploadLimits {
    /// Maximum size of the upload, in bytes.
    pub(super) limit: u64,
    /// The longest it may stand still.
    pub(super) idle: Duration,
}

/// The largest field of a form that is not the file.
const MAX_FIELD: usize = 128 * 1024;

/// After an error this much of the rest is read and thrown away, so that the client gets to see the error instead of
/// a connection that broke while it was still sending.
const DRAIN: u64 = 8 * 1024 * 1024;

/// Receives the bytes and what is said of them.
pub(super) async fn receive_upload(
    app: &App,
    headers: &HeaderMap,
    body: Body,
    bounds: UploadLimits,
    mut details: UploadDetails,
) -> Result<(PendingUpload, UploadDetails), ApiError> {
    let stream = SharedBody(Arc::new(Mutex::new(body.into_data_stream())));
    let received = async {
        let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        // A form is a little larger than the file in it.
        if announced.is_some_and(|length| length > bounds.limit.saturating_add(MAX_FIELD as u64)) {
            return Err(ApiError(too_large(bounds.limit)));
        }
        let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if kind.trim_start().to_ascii_lowercase().starts_with("multipart/") {
            return receive_form(app, kind, stream.clone(), bounds, details).await;
        }
        if details.media_type.is_none() && !kind.is_empty() && !kind.starts_with("application/x-www-form-urlencoded") {
            details.media_type = Some(MediaType::new(kind)?);
        }
        let mut receiving = app.start_upload(bounds.limit).await?;
        let mut pieces = stream.clone();
        while let Some(piece) = in_time(bounds.idle, pieces.next()).await? {
            let piece = piece.map_err(|error| {
                Problem::new(Code::InvalidBody, format!("the upload broke off before its end: {error}"))
            })?;
            receiving.write(piece).await?;
        }
        Ok((receiving, details))
    };
    let received = received.await;
    if received.is_err() {
        drain_body(stream).await;
    }
    received
}

async fn receive_form(
    app: &App,
    kind: &str,
    body: SharedBody,
    bounds: UploadLimits,
    mut details: UploadDetails,
) -> Result<(PendingUpload, UploadDetails), ApiError> {
    let boundary = multer::parse_boundary(kind).map_err(invalid_multipart)?;
    let mut form = multer::Multipart::new(body, boundary);
    let mut file = None;
    while let Some(mut field) = in_time(bounds.idle, form.next_field()).await?.map_err(invalid_multipart)? {
        match field.name().unwrap_or_default() {
            "file" => {
                if file.is_some() {
                    let detail = "the form has two fields 'file'; upload one file at a time";
                    return Err(Problem::new(Code::InvalidMultipart, detail).with_field("file").into());
                }
                if let Some(name) = filename_of(&field)? {
                    details.filename = Some(name);
                }
                if let Some(kind) = field.headers().get(header::CONTENT_TYPE) {
                    details.media_type = Some(MediaType::new(kind.to_str().unwrap_or_default())?);
                }
                let mut receiving = app.start_upload(bounds.limit).await?;
                while let Some(piece) = in_time(bounds.idle, field.chunk()).await?.map_err(invalid_multipart)? {
                    receiving.write(piece).await?;
                }
                file = Some(receiving);
            }
            "entity_type" => {
                let text = text_of(field, bounds.idle).await?;
                if !text.is_empty() {
                    details.entity_type = Some(text.parse()?);
                }
            }
            "entity_metadata" => {
                let text = text_of(field, bounds.idle).await?;
                if !text.is_empty() {
                    details.entity_metadata = Some(parse_metadata(&text)?);
                }
            }
            "filename" => details.filename = Some(Filename::new(text_of(field, bounds.idle).await?)?),
            "sha256" => {
                let text = text_of(field, bounds.idle).await?;
                details.sha256 = Some(text.parse().map_err(|problem: Problem| problem.with_field("sha256"))?);
            }
            other => {
                let detail = format!(
                    "the form has a field '{}'; it takes file, filename, sha256, entity_type and entity_metadata",
                    shorten_for_error(other)
                );
                return Err(Problem::new(Code::InvalidField, detail).with_field(shorten_for_error(other)).into());
            }
        }
    }
    match file {
        Some(receiving) => Ok((receiving, details)),
        None => Err(Problem::new(Code::MissingFile, "the form has no field 'file'").with_field("file").into()),
    }
}

/// A part of a form with several files.
pub(super) enum FormPart {
    /// Name of a form field and its text.
    Text(String, String),
    /// A file that was received, and what the form says of it.
    File(PendingUpload, UploadDetails),
}

/// A form that is received part by part; a part with a file name is a file, whatever the field is called.
pub(super) struct MultipartForm {
    form: multer::Multipart<'static>,
    body: SharedBody,
    bounds: UploadLimits,
}

impl MultipartForm {
    /// A form in the body of a request.
    pub(super) fn open(headers: &HeaderMap, body: Body, bounds: UploadLimits) -> Result<Self, Problem> {
        let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let boundary = multer::parse_boundary(kind).map_err(|_| {
            let detail =
                format!("the content type is '{}'; this address takes multipart/form-data", shorten_for_error(kind));
            Problem::new(Code::UnsupportedMediaType, detail)
        })?;
        let body = SharedBody(Arc::new(Mutex::new(body.into_data_stream())));
        Ok(Self { form: multer::Multipart::new(body.clone(), boundary), body, bounds })
    }

    /// Receives the next part of the form; returns `None` after the last.
    pub(super) async fn next(&mut self, app: &App) -> Result<Option<FormPart>, ApiError> {
        let received = self.receive_part(app).await;
        if received.is_err() {
            drain_body(self.body.clone()).await;
        }
        received
    }

    async fn receive_part(&mut self, app: &App) -> Result<Option<FormPart>, ApiError> {
        let bounds = self.bounds;
        let field = in_time(bounds.idle, self.form.next_field()).await?.map_err(invalid_multipart)?;
        let Some(mut field) = field else { return Ok(None) };
        let name = field.name().unwrap_or_default().to_owned();
        let filename = filename_of(&field)?;
        if filename.is_none() && !matches!(name.as_str(), "file" | "files") {
            return Ok(Some(FormPart::Text(name, text_of(field, bounds.idle).await?)));
        }
        let kind = field.headers().get(header::CONTENT_TYPE);
        let media_type = kind.map(|kind| MediaType::new(kind.to_str().unwrap_or_default())).transpose()?;
        let mut receiving = app.start_upload(bounds.limit).await?;
        while let Some(piece) = in_time(bounds.idle, field.chunk()).await?.map_err(invalid_multipart)? {
            receiving.write(piece).await?;
        }
        let details = UploadDetails { filename, media_type, ..UploadDetails::default() };
        Ok(Some(FormPart::File(receiving, details)))
    }

    /// Reads on for a while after a part was refused, so that the client gets to see why.
    pub(super) async fn reject_with(self, problem: Problem) -> ApiError {
        drain_body(self.body).await;
        problem.into()
    }
}

/// The file's name in a form. Browsers send the last part of a path only; others may not, and get the same.
fn filename_of(field: &multer::Field<'_>) -> Result<Option<Filename>, Problem> {
    // A name that is not UTF-8 never reaches `file_name`, so it is looked for in the header itself.
    let raw = field.headers().get(header::CONTENT_DISPOSITION).map(|value| value.as_bytes()).unwrap_or_default();
    if std::str::from_utf8(raw).is_err() {
        return Err(Problem::new(Code::FilenameInvalid, "the file name is not UTF-8").with_field("filename"));
    }
    match field.file_name() {
        None | Some("") => Ok(None),
        Some(name) => Filename::new(name).map(Some),
    }
}

async fn text_of(mut field: multer::Field<'_>, idle: Duration) -> Result<String, ApiError> {
    let name = field.name().unwrap_or_default().to_owned();
    let mut bytes = Vec::new();
    while let Some(piece) = in_time(idle, field.chunk()).await?.map_err(invalid_multipart)? {
        if bytes.len() + piece.len() > MAX_FIELD {
            return Err(Problem::new(Code::InvalidField, format!("{name} is larger than {MAX_FIELD} bytes"))
                .with_field(name)
                .into());
        }
        bytes.extend_from_slice(&piece);
    }
    String::from_utf8(bytes)
        .map_err(|_| Problem::new(Code::InvalidField, format!("{name} is not UTF-8")).with_field(name).into())
}

/// `entity_metadata` as it comes in a form or a query: JSON as text.
pub(super) fn parse_metadata(text: &str) -> Result<ibid_domain::JsonObject, Problem> {
    let object: ibid_domain::JsonObject = parse_json(text.as_bytes()).map_err(|problem| {
        let detail = format!("entity_metadata takes a JSON object: {}", problem.detail);
        Problem::new(Code::InvalidField, detail).with_field("entity_metadata")
    })?;
    check_facts("entity_metadata", &object)?;
    Ok(object)
}

fn invalid_multipart(error: multer::Error) -> Problem {
    Problem::new(Code::InvalidMultipart, format!("the multipart body is broken: {error}"))
}

async fn in_time<T>(idle: Duration, work: impl Future<Output = T>) -> Result<T, Problem> {
    tokio::time::timeout(idle, work)
        .await
        .map_err(|_| Problem::new(Code::Timeout, format!("no byte of the upload came for {} seconds", idle.as_secs())))
}

async fn drain_body(mut body: SharedBody) {
    let reading = async {
        let mut left = DRAIN;
        while let Some(Ok(piece)) = body.next().await {
            left = left.saturating_sub(piece.len() as u64);
            if left == 0 {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(Duration::from_secs(2), reading).await;
}

/// The body of a request that can be given to a parser and still be read on when the parser has given up.
#[derive(Clone)]
struct SharedBody(Arc<Mutex<BodyDataStream>>);

impl Stream for SharedBody {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut body = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        body.poll_next_unpin(context)
    }
}
