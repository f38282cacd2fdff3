//! `/api/v1/evidence`

use axum::{extract::State, response::Response};
use ibid_domain::{Code, Problem, problem::shorten_for_error};

use super::{
    Server,
    documents::document_id,
    extract::{Caller, Path},
    manifests::as_zip,
    problem::ApiResult,
    runs::conversations::message_id,
};
use crate::wire::{FileBytes, Problem as WireProblem};

/// The evidence of a message or a document
///
/// A zip of the text, its citations as JSON, as W3C annotations and as PROV, and every byte that it cites, with a
/// manifest of hashes. `ibid verify` checks it anywhere, without the library.
#[utoipa::path(
    get, path = "/api/v1/evidence/{kind}/{id}", tag = "citations", operation_id = "get_evidence",
    params(
        ("kind" = String, Path, description = "`message` or `document`"),
        ("id" = String, Path, description = "Its id"),
    ),
    responses(
        (status = 200, description = "The bundle", content_type = "application/zip", body = FileBytes),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn download_bundle(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path((kind, id)): Path<(String, String)>,
) -> ApiResult<Response> {
    let archive = match kind.as_str() {
        "message" => server.app.evidence(&scope).message_bundle(&message_id(&id)?).await?,
        "document" => server.app.evidence(&scope).document_bundle(document_id(&id)?).await?,
        _ => {
            let detail = format!(
                "there is no evidence of a '{}'; there is that of a message or a document",
                shorten_for_error(&kind)
            );
            return Err(Problem::new(Code::MessageNotFound, detail).into());
        }
    };
    Ok(as_zip(archive, "evidence"))
}
