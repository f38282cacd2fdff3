//! Anthropic's messages.

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{
    ChatError, ChatMessage, ChatRequest, Finish, Usage,
    deltas::{Calls, Deltas, PartialCall},
    dialect::{Dialect, Reader, Role, broke_off, instructions, number, parse, turns},
};

/// The version of the protocol.
pub(super) const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");
/// Anthropic has to be told how long an answer may become. Every one of its models can write so much.
const MAX_OUTPUT_TOKENS: u32 = 4096;

pub(super) struct Anthropic {
    pub model: String,
}

impl Dialect for Anthropic {
    fn body(&self, request: &ChatRequest) -> Json {
        let turn = |(role, content)| match role {
            Role::User => json!({"role": "user", "content": Json::Array(content)}),
            Role::Model => json!({"role": "assistant", "content": Json::Array(content)}),
        };
        let mut body = json!({
            "model": self.model,
            "max_tokens": request.max_output_tokens.unwrap_or(MAX_OUTPUT_TOKENS),
            "messages": turns(&request.messages, blocks).into_iter().map(turn).collect::<Vec<_>>(),
            "stream": true,
        });
        if let Some(system) = instructions(request) {
            body["system"] = system.into();
        }
        if !request.tools.is_empty() {
            let tool = |tool: &super::ToolSpec| json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters});
            body["tools"] = request.tools.iter().map(tool).collect();
        }
        if let Some(temperature) = request.temperature {
            body["temperature"] = number(temperature).into();
        }
        body
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Message::default())
    }
}

/// A message in blocks. Empty ones are refused.
fn blocks(message: &ChatMessage) -> Vec<Json> {
    let said = |text: &str| (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
    match message {
        ChatMessage::User(text) => said(text).into_iter().collect(),
        ChatMessage::Assistant { text, tool_calls } => {
            let call = |call: &super::ToolCall| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments});
            said(text).into_iter().chain(tool_calls.iter().map(call)).collect()
        }
        ChatMessage::ToolResult { call_id, content, .. } => {
            vec![json!({"type": "tool_result", "tool_use_id": call_id, "content": content})]
        }
    }
}

/// What has been read of an answer.
#[derive(Default)]
struct Message {
    calls: Calls,
    usage: Option<Usage>,
    finish: Option<Finish>,
}

/// An event. Others may be added to the protocol, and are passed over.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Start,
    },
    ContentBlockStart {
        index: u64,
        content_block: Block,
    },
    ContentBlockDelta {
        index: u64,
        delta: Delta,
    },
    MessageDelta {
        delta: Ending,
        usage: Option<WireUsage>,
    },
    MessageStop,
    Error {
        error: Json,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Start {
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        #[serde(default)]
        text: String,
    },
    ToolUse {
        id: String,
        name: String,
        input: Option<Json>,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "input_json_delta")]
    Json { partial_json: String },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Ending {
    stop_reason: Option<String>,
}

/// Every number is a sum so far, and may be left out where it has not changed.
#[derive(Deserialize)]
struct WireUsage {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl Reader for Message {
    fn event(&mut self, data: &str, out: &mut Deltas) -> Result<(), ChatError> {
        match parse(data)? {
            Event::MessageStart { message } => self.used(message.usage),
            Event::ContentBlockStart { index, content_block } => match content_block {
                Block::Text { text } => out.text(text)?,
                Block::ToolUse { id, name, input } => {
                    // Usually an empty object that fragments follow.
                    let whole = input.filter(|input| input.as_object().is_some_and(|input| !input.is_empty()));
                    let arguments = whole.map(|input| input.to_string()).unwrap_or_default();
                    let call = PartialCall { index: Some(index), id, name, arguments, signature: None };
                    self.calls.begin(call, out)?;
                }
                Block::Other => out.begin(),
            },
            Event::ContentBlockDelta { index, delta } => match delta {
                Delta::Text { text } => out.text(text)?,
                Delta::Json { partial_json } => {
                    // Calls of the provider's own tools have fragments too, and are not ours to make.
                    if let Some(call) = self.calls.latest(Some(index)) {
                        call.extend(&partial_json, out)?;
                    }
                }
                Delta::Other => out.begin(),
            },
            Event::MessageDelta { delta, usage } => {
                self.used(usage);
                self.finish = delta.stop_reason.map(finish).or(self.finish.take());
            }
            Event::MessageStop => return self.end(Finish::Stop, out),
            Event::Error { error } => return Err(ChatError::told(&json!({"error": error}))),
            Event::Other => {}
        }
        Ok(())
    }

    fn close(&mut self, out: &mut Deltas) -> Result<(), ChatError> {
        match self.finish.clone() {
            Some(finish) => self.end(finish, out),
            None => Err(broke_off()),
        }
    }
}

fn finish(reason: String) -> Finish {
    match reason.as_str() {
        "end_turn" | "stop_sequence" => Finish::Stop,
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "tool_use" => Finish::ToolCalls,
        "refusal" => Finish::Filtered,
        _ => Finish::Other(reason),
    }
}

impl Message {
    fn used(&mut self, told: Option<WireUsage>) {
        let Some(told) = told else { return };
        let usage = self.usage.get_or_insert_default();
        if let Some(input) = told.input_tokens {
            let cached = [told.cache_creation_input_tokens, told.cache_read_input_tokens];
            usage.input_tokens = cached.into_iter().flatten().fold(input, u64::saturating_add);
        }
        usage.output_tokens = told.output_tokens.unwrap_or(usage.output_tokens);
    }

    fn end(&mut self, otherwise: Finish, out: &mut Deltas) -> Result<(), ChatError> {
        let finish = self.finish.take().unwrap_or(otherwise);
        out.end(std::mem::take(&mut self.calls), self.usage, finish)
    }
}
