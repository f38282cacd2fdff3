//! `/v1/chat/completions`, `/v1/responses` and `/v1/models`: the library for clients that speak OpenAI's protocol.
//!
//! The last message of the user is the question; the ones before it are kept in front of it. The answer is kept as every
//! other is, and its annotations lead to the exact words in the library.

mod chat;
mod responses;

pub(super) use chat::create_completion;
pub(super) use responses::create_response as responses;

use axum::{
    Json,
    extract::{Path, Request},
    http::StatusCode,
    response::{IntoResponse, Response, sse::Event},
};
use ibid_app::{AskRequest, MessageWithCitations, Scope};
use ibid_domain::{Citation, Code, MessageRole, Problem, Run, RunMode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Server,
    extract::{check_json_type, read_body},
    runs::ask::{answer_of, wait_for_end},
};
use crate::wire::parse::parse_json;

/// The models that there are: ways to answer.
const MODELS: [(&str, Option<RunMode>); 4] = [
    ("ibid", None),
    ("ibid-extractive", Some(RunMode::Extractive)),
    ("ibid-generated", Some(RunMode::Generated)),
    ("ibid-research", Some(RunMode::Research)),
];

/// The models, as OpenAI lists them.
pub(super) async fn list_models() -> Json<Value> {
    let data: Vec<_> = MODELS.iter().map(|(id, _)| model_json(id)).collect();
    Json(json!({"object": "list", "data": data}))
}

fn model_json(id: &str) -> Value {
    json!({"id": id, "object": "model", "created": 0, "owned_by": "ibid"})
}

/// Returns one model, in OpenAI's format.
pub(super) async fn get_model(Path(id): Path<String>) -> Response {
    match MODELS.iter().find(|(name, _)| *name == id) {
        Some((name, _)) => Json(model_json(name)).into_response(),
        None => not_found().await,
    }
}

/// Responds with 404 in OpenAI's format to endpoints that Ibid does not have.
pub(super) async fn not_found() -> Response {
    let body = json!({"error": {
        "message": "there is nothing at this address; Ibid answers at /v1/chat/completions, /v1/responses and /v1/models",
        "type": "invalid_request_error", "param": null, "code": "not_found",
    }});
    (StatusCode::NOT_FOUND, Json(body)).into_response()
}

/// A message of a conversation as clients send it: a text, or parts of one.
#[derive(Deserialize)]
struct ChatTurn {
    #[serde(default)]
    role: String,
    #[serde(default)]
    content: Value,
}

impl ChatTurn {
    /// Its words; parts that are not text are left out.
    fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.clone(),
            Value::Array(parts) => {
                let text = |part: &Value| part["text"].as_str().map(str::to_owned);
                parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
            }
            _ => String::new(),
        }
    }
}

/// A conversation as a question to the library.
fn build_ask(model: &str, turns: &[ChatTurn], field: &'static str) -> Result<AskRequest, Problem> {
    let Some((last, before)) = turns.split_last().filter(|(last, _)| last.role == "user" || last.role.is_empty())
    else {
        let detail = "the last message must be the user's question";
        return Err(Problem::new(Code::InvalidField, detail).with_field(field));
    };
    let earlier = |turn: &ChatTurn| {
        let role = match turn.role.as_str() {
            "user" => MessageRole::User,
            "assistant" => MessageRole::Assistant,
            // What a client tells its model to be is nothing to cite from.
            _ => return None,
        };
        Some((role, turn.text())).filter(|(_, text)| !text.trim().is_empty())
    };
    let mode = MODELS.iter().find(|(name, _)| *name == model).and_then(|(_, mode)| *mode);
    let history = before.iter().filter_map(earlier).collect();
    // These clients cannot take back words that they have.
    Ok(AskRequest { mode, history, revise: Some(false), ..AskRequest::new(last.text()) })
}

/// The address that opens the library at the cited words, or that of the page.
fn citation_url(server: &Server, citation: &Citation) -> String {
    let anchor = citation.anchor.as_ref();
    match (citation.source, anchor) {
        (Some(source), anchor) => {
            let revision = anchor.and_then(|anchor| anchor.revision).map(|id| format!("?revision={id}"));
            let span = anchor.and_then(|anchor| anchor.span).map(|span| format!("#c={}-{}", span.start, span.end));
            format!(
                "{}/sources/{source}{}{}",
                server.public_url,
                revision.unwrap_or_default(),
                span.unwrap_or_default()
            )
        }
        (None, anchor) => citation.snapshot.url.clone().unwrap_or_else(|| match anchor {
            Some(anchor) => format!("{}/api/v1/artifacts/{}/content", server.public_url, anchor.text),
            None => format!("{}/", server.public_url),
        }),
    }
}

/// A citation as OpenAI writes one. Files of the library have an address, too: it opens them at the words.
fn annotation_json(server: &Server, citation: &Citation) -> Value {
    json!({
        "type": "url_citation",
        "start_index": citation.marker.start,
        "end_index": citation.marker.end,
        "url": citation_url(server, citation),
        "title": citation.snapshot.title,
    })
}

fn annotations_json(server: &Server, message: &MessageWithCitations) -> Vec<Value> {
    message.citations.iter().map(|citation| annotation_json(server, citation)).collect()
}

/// Reads a request, or says what is wrong with it as OpenAI does.
async fn read_request<T: serde::de::DeserializeOwned>(server: &Server, request: Request) -> Result<T, Problem> {
    check_json_type(request.headers())?;
    parse_json(&read_body(request.into_body(), server.config.json_limit_bytes).await?)
}

/// Starts a run that answers the question.
async fn start_run(server: &Server, scope: &Scope, ask: AskRequest) -> Result<Run, Problem> {
    server.app.runs(scope).ask(ask).await.map_err(|error| {
        if !error.is_problem() {
            tracing::error!(%error, "a request failed inside the server");
        }
        error.to_problem()
    })
}

/// Waits for the run to end and returns its answer, for requests without streaming.
async fn wait_for_answer(server: &Server, scope: Scope, run: &Run) -> Result<(Run, MessageWithCitations), Problem> {
    if !wait_for_end(server, scope, run.id).await {
        return Err(Problem::new(Code::Timeout, "the answer takes longer than a request may; ask for a stream"));
    }
    answer_of(server, &scope, run).await.map_err(|error| error.to_problem())
}

/// Returns the model name that the client sent, or the default model.
fn model_name(model: Option<String>) -> String {
    model.filter(|model| !model.is_empty()).unwrap_or_else(|| MODELS[0].0.to_owned())
}

/// An error as OpenAI writes one.
fn error_response(problem: &Problem) -> Response {
    let status = StatusCode::from_u16(problem.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    // Clients know 400 where we say 422.
    let status = if status.as_u16() == 422 { StatusCode::BAD_REQUEST } else { status };
    (status, Json(error_body(problem))).into_response()
}

fn error_body(problem: &Problem) -> Value {
    let kind = if problem.code.status() < 500 { "invalid_request_error" } else { "server_error" };
    json!({"error": {
        "message": problem.detail, "type": kind, "param": problem.field, "code": problem.code.as_str(),
    }})
}

/// Returns a server-sent event with a JSON body.
fn data_event(value: &Value) -> Event {
    Event::default().data(value.to_string())
}

fn unix_seconds(time: ibid_domain::Timestamp) -> i64 {
    time.as_micros() / 1_000_000
}
