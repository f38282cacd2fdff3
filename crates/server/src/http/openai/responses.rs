//! `/v1/responses`

use std::convert::Infallible;

use axum::{
    Json,
    extract::{Request, State},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures::{Stream, StreamExt};
use ibid_app::{ParentMessage, Scope};
use ibid_domain::{Code, Problem, Run, RunEventData, problem::shorten_for_error};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    ChatTurn, annotations_json, build_ask, error_response, model_name, read_request, start_run, unix_seconds,
    wait_for_answer,
};
use crate::http::{
    Server,
    extract::Caller,
    runs::{ask::answer_of, events::watch_run},
};

#[derive(Deserialize)]
struct ResponsesRequest {
    model: Option<String>,
    input: Value,
    stream: Option<bool>,
    previous_response_id: Option<String>,
}

/// Answers `POST /v1/responses` from the library.
pub(in super::super) async fn create_response(
    State(server): State<Server>,
    Caller(scope): Caller,
    request: Request,
) -> Response {
    answer_request(server, scope, request).await.unwrap_or_else(|problem| error_response(&problem))
}

async fn answer_request(server: Server, scope: Scope, request: Request) -> Result<Response, Problem> {
    let body: ResponsesRequest = read_request(&server, request).await?;
    let turns = match body.input {
        Value::String(text) => vec![ChatTurn { role: "user".to_owned(), content: text.into() }],
        Value::Array(turns) => turns
            .into_iter()
            .filter_map(|turn| serde_json::from_value::<ChatTurn>(turn).ok())
            .filter(|turn| !turn.role.is_empty())
            .collect(),
        _ => {
            let detail = "input is a text, or a list of messages";
            return Err(Problem::new(Code::InvalidField, detail).with_field("input"));
        }
    };
    let model = model_name(body.model);
    let mut ask = build_ask(&model, &turns, "input")?;
    if let Some(previous) = &body.previous_response_id {
        // The run is in the id: what follows it goes on in its conversation.
        let unknown = || {
            let detail = format!("there is no response '{}'", shorten_for_error(previous));
            Problem::new(Code::RunNotFound, detail).with_field("previous_response_id")
        };
        let id = previous.strip_prefix("resp_").and_then(|id| id.parse().ok()).ok_or_else(unknown)?;
        let before = server.app.runs(&scope).get(id).await.map_err(|_| unknown())?;
        ask.conversation = Some(before.conversation);
        ask.parent = ParentMessage::Message(before.message);
    }
    let run = start_run(&server, &scope, ask).await?;
    if body.stream.unwrap_or(false) {
        let events = stream_events(server, scope, run, model);
        return Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response());
    }
    let (run, message) = wait_for_answer(&server, scope, &run).await?;
    let part = text_part(&message.message.content, annotations_json(&server, &message));
    Ok(Json(response_json(&run, &model, "completed", vec![message_item(&run, "completed", vec![part])]))
        .into_response())
}

fn stream_events(
    server: Server,
    scope: Scope,
    run: Run,
    model: String,
) -> impl Stream<Item = Result<Event, Infallible>> {
    async_stream::stream! {
        let mut number = 0;
        let mut event = |kind: &str, mut body: Value| {
            body["type"] = json!(kind);
            body["sequence_number"] = json!(number);
            number += 1;
            Ok(Event::default().event(kind).data(body.to_string()))
        };
        let at = || json!({"item_id": item_id(&run), "output_index": 0, "content_index": 0});
        let with = |name: &str, value: Value| {
            let mut body = at();
            body[name] = value;
            body
        };
        yield event("response.created", json!({"response": response_json(&run, &model, "in_progress", vec![])}));
        yield event("response.in_progress", json!({"response": response_json(&run, &model, "in_progress", vec![])}));
        yield event(
            "response.output_item.added",
            json!({"output_index": 0, "item": message_item(&run, "in_progress", vec![])}),
        );
        yield event("response.content_part.added", with("part", text_part("", vec![])));
        let mut events = std::pin::pin!(watch_run(server.clone(), scope, run.id, 0));
        while let Some(happened) = events.next().await {
            match happened.data {
                RunEventData::ContentDelta(delta) => {
                    let mut body = with("delta", json!(delta.text));
                    body["logprobs"] = json!([]);
                    yield event("response.output_text.delta", body);
                }
                RunEventData::RunFailed(failed) => {
                    let why = failed.error;
                    let mut failed = response_json(&run, &model, "failed", vec![]);
                    failed["error"] = json!({"code": "server_error", "message": why});
                    yield event("response.failed", json!({"response": failed}));
                    return;
                }
                RunEventData::RunCompleted(_) => {
                    let Ok((ended, message)) = answer_of(&server, &scope, &run).await else { return };
                    let text = message.message.content.clone();
                    let annotations = annotations_json(&server, &message);
                    for (index, annotation) in annotations.iter().enumerate() {
                        let mut body = with("annotation", annotation.clone());
                        body["annotation_index"] = json!(index);
                        yield event("response.output_text.annotation.added", body);
                    }
                    let mut body = with("text", json!(text));
                    body["logprobs"] = json!([]);
                    yield event("response.output_text.done", body);
                    let part = text_part(&text, annotations);
                    yield event("response.content_part.done", with("part", part.clone()));
                    let item = message_item(&ended, "completed", vec![part]);
                    yield event("response.output_item.done", json!({"output_index": 0, "item": item}));
                    let whole = response_json(&ended, &model, "completed", vec![item]);
                    yield event("response.completed", json!({"response": whole}));
                    return;
                }
                _ => {}
            }
        }
    }
}

fn item_id(run: &Run) -> String {
    format!("msg_{}", run.id)
}

fn text_part(text: &str, annotations: Vec<Value>) -> Value {
    json!({"type": "output_text", "text": text, "annotations": annotations, "logprobs": []})
}

fn message_item(run: &Run, status: &str, content: Vec<Value>) -> Value {
    json!({"id": item_id(run), "type": "message", "role": "assistant", "status": status, "content": content})
}

fn response_json(run: &Run, model: &str, status: &str, output: Vec<Value>) -> Value {
    let (input, written) = (run.usage.input_tokens, run.usage.output_tokens);
    json!({
        "id": format!("resp_{}", run.id),
        "object": "response",
        "created_at": unix_seconds(run.created_at),
        "status": status,
        "model": model,
        "output": output,
        "error": null,
        "incomplete_details": null,
        "instructions": null,
        "metadata": {},
        "parallel_tool_calls": false,
        "temperature": null,
        "tool_choice": "auto",
        "tools": [],
        "top_p": null,
        "usage": {
            "input_tokens": input, "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0}, "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": input + written,
        },
    })
}
