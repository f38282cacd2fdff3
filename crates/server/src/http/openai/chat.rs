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
use ibid_domain::{Code, Problem, Run, RunEventKind};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Turn, annotations, begin, called, data, error_body, question, read, refused, seconds, whole};
use crate::http::{
    Server,
    extract::Caller,
    runs::{ask::answer_of, events::watch},
};

#[derive(Deserialize)]
struct Body {
    model: Option<String>,
    messages: Vec<Turn>,
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    n: Option<u32>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StreamOptions {
    include_usage: Option<bool>,
}

/// Answers from the library.
pub(in super::super) async fn completions(
    State(server): State<Server>,
    Caller(scope): Caller,
    request: Request,
) -> Response {
    answered(server, scope, request).await.unwrap_or_else(|problem| refused(&problem))
}

async fn answered(server: Server, scope: Scope, request: Request) -> Result<Response, Problem> {
    let body: Body = read(&server, request).await?;
    if body.n.is_some_and(|n| n != 1) {
        return Err(Problem::new(Code::InvalidField, "there is one answer to a question; n is 1").field("n"));
    }
    let model = called(body.model);
    let ask = question(&model, &body.messages, "messages")?;
    let run = begin(&server, &scope, ask).await?;
    if body.stream.unwrap_or(false) {
        let include_usage = body.stream_options.is_some_and(|options| options.include_usage.unwrap_or(false));
        let events = streamed(server, scope, run, model, include_usage);
        return Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response());
    }
    let (run, message) = whole(&server, scope, &run).await?;
    let content = &message.message.content;
    Ok(Json(json!({
        "id": id(&run),
        "object": "chat.completion",
        "created": seconds(run.created_at),
        "model": model,
        "choices": [{
            "index": 0,
            "message": {
                "role": "assistant", "content": content, "refusal": null, "annotations": nested(&server, &message),
            },
            "finish_reason": "stop",
            "logprobs": null,
        }],
        "usage": usage(&run),
    }))
    .into_response())
}

fn streamed(
    server: Server,
    scope: Scope,
    run: Run,
    model: String,
    include_usage: bool,
) -> impl Stream<Item = Result<Event, Infallible>> {
    async_stream::stream! {
        let chunk = |delta: Value, finish: Value| {
            json!({
                "id": id(&run),
                "object": "chat.completion.chunk",
                "created": seconds(run.created_at),
                "model": model,
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": null}],
            })
        };
        yield Ok(data(&chunk(json!({"role": "assistant", "content": ""}), Value::Null)));
        let mut events = std::pin::pin!(watch(server.clone(), scope, run.id, 0));
        while let Some(event) = events.next().await {
            match event.kind {
                RunEventKind::ContentDelta => {
                    yield Ok(data(&chunk(json!({"content": event.data["text"]}), Value::Null)));
                }
                RunEventKind::RunFailed => {
                    let why = event.data["error"].as_str().unwrap_or("the run failed").to_owned();
                    yield Ok(data(&error_body(&Problem::new(Code::RunFailed, why))));
                    return;
                }
                RunEventKind::RunCompleted => {
                    if let Ok((_, message)) = answer_of(&server, &scope, &run).await {
                        yield Ok(data(&chunk(json!({"annotations": nested(&server, &message)}), Value::Null)));
                    }
                    yield Ok(data(&chunk(json!({}), json!("stop"))));
                    if include_usage {
                        let run = server.app.run(&scope, run.id).await.unwrap_or_else(|_| run.clone());
                        let mut last = chunk(json!({}), Value::Null);
                        last["choices"] = json!([]);
                        last["usage"] = usage(&run);
                        yield Ok(data(&last));
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
fn nested(server: &Server, message: &MessageWithCitations) -> Vec<Value> {
    let nested = |mut annotation: Value| {
        let kind = annotation["type"].take();
        let mut inner = annotation;
        if let Some(fields) = inner.as_object_mut() {
            fields.remove("type");
        }
        json!({"type": kind, "url_citation": inner})
    };
    annotations(server, message).into_iter().map(nested).collect()
}

fn id(run: &Run) -> String {
    format!("chatcmpl-{}", run.id)
}

fn usage(run: &Run) -> Value {
    let (input, output) = (run.usage.input_tokens, run.usage.output_tokens);
    json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output})
}
