//! `/v1/chat/completions`

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
use ibid_app::{MessageWithCitations, Scope};
use ibid_domain::{Code, Problem, Run, RunEventData};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    ChatTurn, annotations_json, build_ask, data_event, error_body, error_response, model_name, read_request, start_run,
    unix_seconds, wait_for_answer,
};
use crate::http::{
    Server,
    extract::Caller,
    runs::{ask::answer_of, events::watch_run},
};

#[derive(Deserialize)]
struct ChatCompletionRequest {
    model: Option<String>,
    messages: Vec<ChatTurn>,
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    n: Option<u32>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StreamOptions {
    include_usage: Option<bool>,
}

/// Answers `POST /v1/chat/completions` from the library.
pub(in super::super) async fn create_completion(
    State(server): State<Server>,
    Caller(scope): Caller,
    request: Request,
) -> Response {
    answer_request(server, scope, request).await.unwrap_or_else(|problem| error_response(&problem))
}

async fn answer_request(server: Server, scope: Scope, request: Request) -> Result<Response, Problem> {
    let body: ChatCompletionRequest = read_request(&server, request).await?;
    if body.n.is_some_and(|n| n != 1) {
        return Err(Problem::new(Code::InvalidField, "there is one answer to a question; n is 1").with_field("n"));
    }
    let model = model_name(body.model);
    let ask = build_ask(&model, &body.messages, "messages")?;
    let run = start_run(&server, &scope, ask).await?;
    if body.stream.unwrap_or(false) {
        let include_usage = body.stream_options.is_some_and(|options| options.include_usage.unwrap_or(false));
        let events = stream_chunks(server, scope, run, model, include_usage);
        return Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response());
    }
    let (run, message) = wait_for_answer(&server, scope, &run).await?;
    let content = &message.message.content;
    Ok(Json(json!({
        "id": completion_id(&run),
        "object": "chat.completion",
        "created": unix_seconds(run.created_at),
        "model": model,
        "choices": [{
            "index": 0,
            "message": {
                "role": "assistant", "content": content, "refusal": null, "annotations": nested_annotations(&server, &message),
            },
            "finish_reason": "stop",
            "logprobs": null,
        }],
        "usage": usage_json(&run),
    }))
    .into_response())
}

fn stream_chunks(
    server: Server,
    scope: Scope,
    run: Run,
    model: String,
    include_usage: bool,
) -> impl Stream<Item = Result<Event, Infallible>> {
    async_stream::stream! {
        let chunk = |delta: Value, finish: Value| {
            json!({
                "id": completion_id(&run),
                "object": "chat.completion.chunk",
                "created": unix_seconds(run.created_at),
                "model": model,
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": null}],
            })
        };
        yield Ok(data_event(&chunk(json!({"role": "assistant", "content": ""}), Value::Null)));
        let mut events = std::pin::pin!(watch_run(server.clone(), scope, run.id, 0));
        while let Some(event) = events.next().await {
            match event.data {
                RunEventData::ContentDelta(delta) => {
                    yield Ok(data_event(&chunk(json!({"content": delta.text}), Value::Null)));
                }
                RunEventData::RunFailed(failed) => {
                    let why = failed.error;
                    yield Ok(data_event(&error_body(&Problem::new(Code::RunFailed, why))));
                    return;
                }
                RunEventData::RunCompleted(_) => {
                    if let Ok((_, message)) = answer_of(&server, &scope, &run).await {
                        yield Ok(data_event(&chunk(json!({"annotations": nested_annotations(&server, &message)}), Value::Null)));
                    }
                    yield Ok(data_event(&chunk(json!({}), json!("stop"))));
                    if include_usage {
                        let run = server.app.runs(&scope).get(run.id).await.unwrap_or_else(|_| run.clone());
                        let mut last = chunk(json!({}), Value::Null);
                        last["choices"] = json!([]);
                        last["usage"] = usage_json(&run);
                        yield Ok(data_event(&last));
                    }
                    yield Ok(Event::default().data("[DONE]"));
                    return;
                }
                _ => {}
            }
        }
    }
}

/// Annotations as this address writes them: what they say stands under their type.
fn nested_annotations(server: &Server, message: &MessageWithCitations) -> Vec<Value> {
    let nested = |mut annotation: Value| {
        let kind = annotation["type"].take();
        let mut inner = annotation;
        if let Some(fields) = inner.as_object_mut() {
            fields.remove("type");
        }
        json!({"type": kind, "url_citation": inner})
    };
    annotations_json(server, message).into_iter().map(nested).collect()
}

fn completion_id(run: &Run) -> String {
    format!("chatcmpl-{}", run.id)
}

fn usage_json(run: &Run) -> Value {
    let (input, output) = (run.usage.input_tokens, run.usage.output_tokens);
    json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output})
}
