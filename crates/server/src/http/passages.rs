//! `/api/v1/import/passages`

use std::time::Instant;

use axum::extract::{Request, State};
use bytes::BytesMut;
use futures::StreamExt;
use ibid_domain::{Code, Problem};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Server, extract::Caller, problem::ApiResult};
use crate::wire::{FileBytes, Problem as WireProblem};

/// The longest line that is taken, in bytes.
const LONGEST: usize = 4 * 1024 * 1024;

/// One line: a passage of another store.
#[derive(Deserialize, ToSchema)]
#[expect(dead_code, reason = "describes a line, which the app reads as it streams")]
pub(crate) struct ImportedPassage {
    /// Id in the other store; the same id again updates the same passage. Search results return it as `external_id`.
    id: String,
    /// Title of the source that the passage is from.
    source_title: String,
    /// Text of the passage, stored as it is.
    text: String,
    /// Its vector, if this library's come from outside.
    vector: Option<Vec<f32>>,
    /// Further facts: `tags`, `authors`, `url`, `language`, `publication_date`, `type`, `document_id` and `project_id`
    /// set fields of the source; others are stored as they are.
    #[schema(value_type = Option<HashMap<String, serde_json::Value>>)]
    metadata: Option<ibid_domain::JsonObject>,
}

/// Result of an import of passages.
#[derive(Serialize, ToSchema)]
pub(crate) struct PassageImportResult {
    /// Number of lines in the request.
    received: u64,
    /// Number of passages that are new.
    imported: u64,
    /// Number of passages that existed with a different text.
    updated: u64,
    /// Number of passages that existed with the same text.
    unchanged: u64,
    /// Number of lines that were rejected.
    failed: u64,
    /// Why, for the first hundred of them.
    failures: Vec<RejectedLine>,
    /// Warnings about the import, for people.
    notes: Vec<String>,
    /// Duration of the import, in milliseconds.
    took_ms: f64,
}

/// A line of the import that was rejected.
#[derive(Serialize, ToSchema)]
pub(crate) struct RejectedLine {
    /// Number of the line in the request, from 1.
    line: u64,
    /// Reason for the rejection, as a sentence.
    reason: String,
}

/// Bring passages from another store
///
/// One JSON object a line, streamed. Each becomes a source of one passage. A line that cannot be taken does not lose
/// the others. The answer comes when everything is durable and can be found.
#[utoipa::path(
    post, path = "/api/v1/import/passages", tag = "sources", operation_id = "import_passages",
    request_body(content(
        (ImportedPassage = "application/x-ndjson"),
        (FileBytes = "application/octet-stream"),
    )),
    responses(
        (status = 200, description = "What came of it", body = PassageImportResult),
        (status = 422, description = "No line could be taken", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn import(
    State(server): State<Server>,
    Caller(scope): Caller,
    request: Request,
) -> ApiResult<axum::Json<PassageImportResult>> {
    let began = Instant::now();
    let idle = server.config.idle_timeout();
    let mut import = server.app.sources(&scope).import_passages().await?;
    let mut pieces = request.into_body().into_data_stream();
    let (mut rest, mut too_long) = (BytesMut::new(), false);
    loop {
        let piece = tokio::time::timeout(idle, pieces.next())
            .await
            .map_err(|_| Problem::new(Code::Timeout, format!("no byte came for {} seconds", idle.as_secs())))?;
        let Some(piece) = piece else { break };
        let piece = piece.map_err(|error| Problem::new(Code::InvalidBody, format!("the body was cut off: {error}")))?;
        let mut from = 0;
        while let Some(end) = piece[from..].iter().position(|byte| *byte == b'\n').map(|at| from + at) {
            if too_long {
                import.refuse_line(format!("the line is longer than {LONGEST} bytes"));
                too_long = false;
            } else if rest.is_empty() {
                import.add_line(&piece[from..end]).await?;
            } else {
                rest.extend_from_slice(&piece[from..end]);
                import.add_line(&rest).await?;
            }
            rest.clear();
            from = end + 1;
        }
        if rest.len() + piece.len() - from > LONGEST {
            too_long = true;
            rest.clear();
        } else if !too_long {
            rest.extend_from_slice(&piece[from..]);
        }
    }
    if too_long {
        import.refuse_line(format!("the line is longer than {LONGEST} bytes"));
    } else {
        import.add_line(&rest).await?;
    }
    let report = import.finish().await?;
    if report.received == 0 || report.failed == report.received {
        let reason = report.failures.first().map_or("no line came", |(_, reason)| reason.as_str());
        let detail = format!(
            "none of {} lines could be taken; send one object {{id, source_title, text, vector?, metadata?}} a line: {reason}",
            report.received
        );
        return Err(Problem::new(Code::ImportUnreadable, detail).into());
    }
    Ok(axum::Json(PassageImportResult {
        received: report.received,
        imported: report.imported,
        updated: report.updated,
        unchanged: report.unchanged,
        failed: report.failed,
        failures: report.failures.into_iter().map(|(line, reason)| RejectedLine { line, reason }).collect(),
        notes: report.notes,
        took_ms: (began.elapsed().as_secs_f64() * 1e6).round() / 1e3,
    }))
}
