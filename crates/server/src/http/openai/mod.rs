//! `/v1/chat/completions`, `/v1/responses` and `/v1/models`: the library for clients that speak OpenAI's protocol.
//!
//! The last message of the user is the question; the ones before it are kept in front of it. The answer is kept as every
//! other is, and its annotations lead to the exact words in the library.

mod chat;
mod responses;

pub(super) use chat::completions;
pub(super) use responses::create as responses;

use axum::{
    Json,
    extract::{Path, Request},
    http::StatusCode,
    response::{IntoResponse, Response, sse::Event},
};
use ibid_app::{Ask, MessageWithCitations, Scope};
use ibid_domain::{Citation, Code, MessageRole, Problem, Run, RunMode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Server,
    extract::{check_json_type, parse_json, read_body},
    runs::ask::{answer_of, ended},
};

/// The models that there are: ways to answer.
const MODELS: [(&str, Option<RunMode>); 4] = [
    ("ibid", None),
    ("ibid-extractive", Some(RunMode::Extractive)),
    ("ibid-generated", Some(RunMode::Generated)),
    ("ibid-research", Some(RunMode::Research)),
];

/// The models, as OpenAI lists them.
pub(super) async fn models() -> Json<Value> {
    let data: Vec<_> = MODELS.iter().map(|(id, _)| described(id)).collect();
    Json(json!({"object": "list", "data": data}))
}

fn described(id: &str) -> Value {
    json!({"id": id, "object": "model", "created": 0, "owned_by": "ibid"})
}

/// One of them.
pub(super) async fn model(Path(id): Path<String>) -> Response {
    match MODELS.iter().find(|(name, _)| *name == id) {
        Some((name, _)) => Json(described(name)).into_response(),
        None => not_found().await,
    }
}

/// What OpenAI has and Ibid has not.
pub(super) async fn not_found() -> Response {
    let body = json!({"error": {
        "message": "there is nothing at this address; Ibid answers at /v1/chat/completions, /v1/responses and /v1/models",
        "type": "invalid_request_error", "param": null, "code": "not_found",
    }});
    (StatusCode::NOT_FOUND, Json(body)).into_response()
}

/// A message of a conversation as clients send it: a text, or parts of one.
#[derive(Deserialize)]
struct Turn {
    #[serde(default)]
    role: String,
    #[serde(default)]
    content: Value,
}

impl Turn {
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
fn question(model: &str, turns: &[Turn], field: &'static str) -> Result<Ask, Problem> {
    let Some((last, before)) = turns.split_last().filter(|(last, _)| last.role == "user" || last.role.is_empty())
    else {
        let detail = "the last message must be the user's question";
        return Err(Problem::new(Code::InvalidField, detail).field(field));
    };
    let earlier = |turn: &Turn| {
        let role = match turn.role.as_str() {
            "user" => MessageRole::User,
            "assistant" => MessageRole::Assistant,
            // What a client tells its model to be is nothing to cite from.
            _ => return None,
        };
        Some((role, turn.text())).filter(|(_, text)| !text.trim().is_empty())
    };
    let mode = MODELS.iter().find(|(name, _)| *name == model).and_then(|(_, mode)| *mode);
    Ok(Ask { mode, history: before.iter().filter_map(earlier).collect(), ..Ask::new(last.text()) })
}

/// The address that opens the library at the cited words, or that of the page.
fn address(server: &Server, citation: &Citation) -> String {
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
fn annotation(server: &Server, citation: &Citation) -> Value {
    json!({
        "type": "url_citation",
        "start_index": citation.marker.start,
        "end_index": citation.marker.end,
        "url": address(server, citation),
        "title": citation.snapshot.title,
    })
}

fn annotations(server: &Server, message: &MessageWithCitations) -> Vec<Value> {
    message.citations.iter().map(|citation| annotation(server, citation)).collect()
}

/// Reads a request, or says what is wrong with it as OpenAI does.
async fn read<T: serde::de::DeserializeOwned>(server: &Server, request: Request) -> Result<T, Problem> {
    check_json_type(request.headers())?;
    parse_json(&read_body(request.into_body(), server.config.json_limit_bytes).await?)
}

/// Begins to answer.
async fn begin(server: &Server, scope: &Scope, ask: Ask) -> Result<Run, Problem> {
    server.app.ask(scope, ask).await.map_err(|error| {
        if !error.is_problem() {
            tracing::error!(%error, "a request failed inside the server");
        }
        error.problem()
    })
}

/// What was answered, for one who waits for all of it.
async fn whole(server: &Server, scope: Scope, run: &Run) -> Result<(Run, MessageWithCitations), Problem> {
    if !ended(server, scope, run.id).await {
        return Err(Problem::new(Code::Timeout, "the answer takes longer than a request may; ask for a stream"));
    }
    answer_of(server, &scope, run).await.map_err(|error| error.problem())
}

/// What the client calls the model.
fn called(model: Option<String>) -> String {
    model.filter(|model| !model.is_empty()).unwrap_or_else(|| MODELS[0].0.to_owned())
}

/// An error as OpenAI writes one.
fn refused(problem: &Problem) -> Response {
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

/// An event with a JSON body.
fn data(value: &Value) -> Event {
    Event::default().data(value.to_string())
}

fn seconds(time: ibid_domain::Timestamp) -> i64 {
    time.as_micros() / 1_000_000
}
