//! Anthropic's messages.

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{
    ChatError, ChatMessage, ChatRequest, ChatUsage, FinishReason,
    deltas::{DeltaQueue, PartialCall, PartialCalls},
    dialect::{
        AnswerReader, ChatDialect, TurnRole, alternate_turns, broke_off, exact_temperature, parse_event, system_prompt,
    },
};

/// The version of the protocol.
pub(super) const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");
/// Anthropic has to be told how long an answer may become. Every one of its models can write so much.
const MAX_OUTPUT_TOKENS: u32 = 4096;

pub(super) struct AnthropicChat {
    pub model: String,
}

impl ChatDialect for AnthropicChat {
    fn request_body(&self, request: &ChatRequest) -> Json {
        let turn = |(role, content)| match role {
            TurnRole::User => json!({"role": "user", "content": Json::Array(content)}),
            TurnRole::Model => json!({"role": "assistant", "content": Json::Array(content)}),
        };
        let mut body = json!({
            "model": self.model,
            "max_tokens": request.max_output_tokens.unwrap_or(MAX_OUTPUT_TOKENS),
            "messages": alternate_turns(&request.messages, message_blocks).into_iter().map(turn).collect::<Vec<_>>(),
            "stream": true,
        });
        if let Some(system) = system_prompt(request) {
            body["system"] = system.into();
        }
        if !request.tools.is_empty() {
            let tool = |tool: &super::ToolSpec| json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters});
            body["tools"] = request.tools.iter().map(tool).collect();
        }
        if let Some(temperature) = request.temperature {
            body["temperature"] = exact_temperature(temperature).into();
        }
        body
    }

    fn answer_reader(&self) -> Box<dyn AnswerReader> {
        Box::new(AnthropicReader::default())
    }
}

/// A message in blocks. Empty ones are refused.
fn message_blocks(message: &ChatMessage) -> Vec<Json> {
    let said = |text: &str| (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
    match message {
        ChatMessage::User(text) => said(text).into_iter().collect(),
        ChatMessage::Assistant { text, tool_calls } => {
            let call = |call: &super::ModelToolCall| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments});
            said(text).into_iter().chain(tool_calls.iter().map(call)).collect()
        }
        ChatMessage::ToolResult { call_id, content, .. } => {
            vec![json!({"type": "tool_result", "tool_use_id": call_id, "content": content})]
        }
    }
}

/// State of an Anthropic answer while its events are read.
#[derive(Default)]
struct AnthropicReader {
    calls: PartialCalls,
    usage: Option<ChatUsage>,
    finish: Option<FinishReason>,
}

/// An event. Others may be added to the protocol, and are passed over.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum AnthropicEvent {
    MessageStart {
        message: AnthropicMessageStart,
    },
    ContentBlockStart {
        index: u64,
        content_block: AnthropicBlock,
    },
    ContentBlockDelta {
        index: u64,
        delta: AnthropicDelta,
    },
    MessageDelta {
        delta: AnthropicMessageEnd,
        usage: Option<AnthropicUsage>,
    },
    MessageStop,
    Error {
        error: Json,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct AnthropicMessageStart {
    usage: Option<AnthropicUsage>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum AnthropicBlock {
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
enum AnthropicDelta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "input_json_delta")]
    Json { partial_json: String },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct AnthropicMessageEnd {
    stop_reason: Option<String>,
}

/// Every number is a sum so far, and may be left out where it has not changed.
#[derive(Deserialize)]
struct AnthropicUsage {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl AnswerReader for AnthropicReader {
    fn read_event(&mut self, data: &str, out: &mut DeltaQueue) -> Result<(), ChatError> {
        match parse_event(data)? {
            AnthropicEvent::MessageStart { message } => self.update_usage(message.usage),
            AnthropicEvent::ContentBlockStart { index, content_block } => match content_block {
                AnthropicBlock::Text { text } => out.push_text(text)?,
                AnthropicBlock::ToolUse { id, name, input } => {
                    // Usually an empty object that fragments follow.
                    let whole = input.filter(|input| input.as_object().is_some_and(|input| !input.is_empty()));
                    let arguments = whole.map(|input| input.to_string()).unwrap_or_default();
                    let call = PartialCall { index: Some(index), id, name, arguments, signature: None };
                    self.calls.begin_call(call, out)?;
                }
                AnthropicBlock::Other => out.mark_begun(),
            },
            AnthropicEvent::ContentBlockDelta { index, delta } => match delta {
                AnthropicDelta::Text { text } => out.push_text(text)?,
                AnthropicDelta::Json { partial_json } => {
                    // Calls of the provider's own tools have fragments too, and are not ours to make.
                    if let Some(call) = self.calls.latest_call(Some(index)) {
                        call.extend(&partial_json, out)?;
                    }
                }
                AnthropicDelta::Other => out.mark_begun(),
            },
            AnthropicEvent::MessageDelta { delta, usage } => {
                self.update_usage(usage);
                self.finish = delta.stop_reason.map(parse_stop_reason).or(self.finish.take());
            }
            AnthropicEvent::MessageStop => return self.end_answer(FinishReason::Stop, out),
            AnthropicEvent::Error { error } => return Err(ChatError::from_event(&json!({"error": error}))),
            AnthropicEvent::Other => {}
        }
        Ok(())
    }

    fn finish_body(&mut self, out: &mut DeltaQueue) -> Result<(), ChatError> {
        match self.finish.clone() {
            Some(finish) => self.end_answer(finish, out),
            None => Err(broke_off()),
        }
    }
}

fn parse_stop_reason(reason: String) -> FinishReason {
    match reason.as_str() {
        "end_turn" | "stop_sequence" => FinishReason::Stop,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "tool_use" => FinishReason::ToolCalls,
        "refusal" => FinishReason::Filtered,
        _ => FinishReason::Other(reason),
    }
}

impl AnthropicReader {
    fn update_usage(&mut self, told: Option<AnthropicUsage>) {
        let Some(told) = told else { return };
        let usage = self.usage.get_or_insert_default();
        if let Some(input) = told.input_tokens {
            let cached = [told.cache_creation_input_tokens, told.cache_read_input_tokens];
            usage.input_tokens = cached.into_iter().flatten().fold(input, u64::saturating_add);
        }
        usage.output_tokens = told.output_tokens.unwrap_or(usage.output_tokens);
    }

    fn end_answer(&mut self, otherwise: FinishReason, out: &mut DeltaQueue) -> Result<(), ChatError> {
        let finish = self.finish.take().unwrap_or(otherwise);
        out.push_end(std::mem::take(&mut self.calls), self.usage, finish)
    }
}
