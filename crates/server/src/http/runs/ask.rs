//! `POST /api/v1/conversations/{id}/messages`: a question, and its answer on the way.

use std::time::Duration;

use axum::{
    extract::State,
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::StreamExt;
use ibid_app::{AskRequest, Scope};
use ibid_domain::{Code, Problem, Run, RunId, RunMode, SearchFilter};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    super::{
        Server,
        extract::{Caller, Json, Path},
        problem::ApiResult,
    },
    conversations::conversation_id,
    events::{WatchUntil, sse_response, watch_run},
    parse_message_id, parse_parent,
};
use crate::wire::{
    Problem as WireProblem,
    parse::deserialize_present,
    run_events::RunEvent,
    runs::{self, Message},
    search::SearchFilters,
    values,
};

/// Names the run whose events an answer streams.
pub(crate) const RUN_HEADER: HeaderName = HeaderName::from_static("ibid-run-id");

/// Time for an answer to be written once a request has waited as long as it may.
const MARGIN: Duration = Duration::from_secs(2);

/// A question to ask in a conversation.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMessage {
    /// Text of the question, in any language.
    content: String,
    /// Id of the message that the question follows; default: the last message; `null`: none. To edit a question, send
    /// the parent of the old one: that makes a branch.
    #[serde(default, deserialize_with = "deserialize_present")]
    #[schema(value_type = Option<String>)]
    parent_message_id: Option<Option<String>>,
    /// Id of the question's message, at most 255 characters; default: a generated id.
    message_id: Option<String>,
    /// Way of answering; default: by the configured model, or in the library's own words if there is none.
    #[schema(value_type = Option<values::RunMode>)]
    mode: Option<String>,
    /// Have the model rewrite once what its sources do not support; default: as configured. The answer says what was
    /// rewritten.
    revise: Option<bool>,
    /// Limits the passages that are searched.
    filters: Option<SearchFilters>,
}

/// Ask the library
///
/// Streams the events of the run that answers, as `GET /api/v1/runs/{id}/events` does; if the connection breaks, go on
/// there with `Last-Event-ID`. With `Accept: application/json` the answer comes whole, as a message with its citations.
#[utoipa::path(
    post, path = "/api/v1/conversations/{id}/messages", tag = "conversations", operation_id = "ask",
    params(("id" = String, Path, description = "The conversation")),
    request_body = NewMessage,
    responses(
        (status = 200, description = "The answer, or the events of the run", content((Message = "application/json"), (RunEvent<'static> = "text/event-stream"))),
        (status = 202, description = "It takes longer than a request may; the run goes on", body = runs::Run),
        (status = 404, description = "There is no such conversation", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "Something is not legal", body = WireProblem, content_type = "application/problem+json"),
        (status = 502, description = "The run failed; only with `Accept: application/json`", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn ask(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(body): Json<NewMessage>,
) -> ApiResult<Response> {
    let filter = body.filters.as_ref().map_or_else(|| Ok(SearchFilter::default()), SearchFilters::to_filter)?;
    let ask = AskRequest {
        conversation: Some(conversation_id(&id)?),
        question_id: parse_message_id(body.message_id.as_deref(), "message_id")?,
        parent: parse_parent(body.parent_message_id)?,
        mode: body.mode.as_deref().map(str::parse::<RunMode>).transpose()?,
        revise: body.revise,
        filter,
        ..AskRequest::new(body.content)
    };
    let run = server.app.runs(&scope).ask(ask).await?;
    let run_header = (RUN_HEADER, run.id.to_string());
    if !wants_json(&headers) {
        let id = run.id;
        return Ok(([run_header], sse_response(server, scope, id, 0, WatchUntil::Answer)).into_response());
    }
    if !wait_for_end(&server, scope, run.id).await {
        let run = runs::Run::from(server.app.runs(&scope).get(run.id).await?);
        return Ok((StatusCode::ACCEPTED, [run_header], axum::Json(run)).into_response());
    }
    let (_, message) = answer_of(&server, &scope, &run).await?;
    Ok(([run_header], axum::Json(Message::from(message))).into_response())
}

/// Waits for a run to end, for as long as a request may take; says whether it has.
pub(crate) async fn wait_for_end(server: &Server, scope: Scope, id: RunId) -> bool {
    let patience = server.config.request_timeout().saturating_sub(MARGIN);
    let last = async {
        let mut events = std::pin::pin!(watch_run(server.clone(), scope, id, 0));
        while let Some(event) = events.next().await {
            if event.data.kind().ends_run() {
                return true;
            }
        }
        false
    };
    tokio::time::timeout(patience, last).await.unwrap_or(false)
}

/// Returns the answer of a run that has ended, or the error that it failed with.
pub(crate) async fn answer_of(
    server: &Server,
    scope: &Scope,
    run: &Run,
) -> ibid_app::Result<(Run, ibid_app::MessageWithCitations)> {
    let run = server.app.runs(scope).get(run.id).await?;
    if let Some(error) = &run.error {
        // What there was of an answer is kept, and is not one.
        let problem = Problem::new(Code::RunFailed, error.clone()).with_fact("run_id", run.id.to_string());
        return Err(problem.with_fact("message_id", run.message.to_string()).into());
    }
    let message = server.app.conversations(scope).message(&run.message).await?;
    Ok((run, message))
}

/// Returns true if the `Accept` header asks for one JSON response instead of a stream.
fn wants_json(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let named = |kind: &str| accept.split(',').any(|one| one.split(';').next().unwrap_or_default().trim() == kind);
    named("application/json") && !named("text/event-stream")
}
