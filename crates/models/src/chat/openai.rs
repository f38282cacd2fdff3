//! OpenAI's chat completions, as OpenAI and all the servers that speak its protocol write them.

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{
    ChatError, ChatMessage, ChatRequest, ChatUsage, FinishReason, ModelToolCall,
    deltas::{DeltaQueue, PartialCall, PartialCalls},
    dialect::{AnswerReader, ChatDialect, broke_off, exact_temperature, parse_event, system_prompt},
};

pub(super) struct OpenAiChat {
    pub model: String,
    /// True for OpenAI itself, which has another name for the limit on output tokens than compatible servers.
    pub itself: bool,
}

impl ChatDialect for OpenAiChat {
    fn request_body(&self, request: &ChatRequest) -> Json {
        let system = system_prompt(request).map(|text| json!({"role": "system", "content": text}));
        let messages: Vec<_> = system.into_iter().chain(request.messages.iter().map(message_json)).collect();
        let mut body = json!({
            "model": self.model,
            "messages": messages,
            "stream": true,
            "stream_options": {"include_usage": true},
        });
        if !request.tools.is_empty() {
            let tool = |tool: &super::ToolSpec| {
                json!({"type": "function", "function": {
                    "name": tool.name, "description": tool.description, "parameters": tool.parameters,
                }})
            };
            body["tools"] = request.tools.iter().map(tool).collect();
        }
        if let Some(limit) = request.max_output_tokens {
            body[if self.itself { "max_completion_tokens" } else { "max_tokens" }] = limit.into();
        }
        if let Some(temperature) = request.temperature {
            body["temperature"] = exact_temperature(temperature).into();
        }
        match &request.response_schema {
            Some(schema) => {
                let schema = json!({"name": "answer", "strict": true, "schema": schema});
                body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
            }
            None if request.response_json => body["response_format"] = json!({"type": "json_object"}),
            None => {}
        }
        body
    }

    fn answer_reader(&self) -> Box<dyn AnswerReader> {
        Box::new(OpenAiReader::default())
    }
}

fn message_json(message: &ChatMessage) -> Json {
    match message {
        ChatMessage::User(text) => json!({"role": "user", "content": text}),
        ChatMessage::Assistant { text, tool_calls } if tool_calls.is_empty() => {
            json!({"role": "assistant", "content": text})
        }
        ChatMessage::Assistant { text, tool_calls } => {
            let call = |call: &ModelToolCall| {
                json!({"id": call.id, "type": "function", "function": {
                    "name": call.name, "arguments": call.arguments.to_string(),
                }})
            };
            let content = Some(text).filter(|text| !text.is_empty());
            json!({"role": "assistant", "content": content, "tool_calls": tool_calls.iter().map(call).collect::<Vec<_>>()})
        }
        ChatMessage::ToolResult { call_id, content, .. } => {
            json!({"role": "tool", "tool_call_id": call_id, "content": content})
        }
    }
}

/// State of an OpenAI answer while its chunks are read.
#[derive(Default)]
struct OpenAiReader {
    calls: PartialCalls,
    usage: Option<ChatUsage>,
    finish: Option<FinishReason>,
    refused: bool,
}

#[derive(Deserialize)]
struct OpenAiChunk {
    choices: Option<Vec<OpenAiChoice>>,
    usage: Option<OpenAiUsage>,
    error: Option<Json>,
}

#[derive(Deserialize)]
struct OpenAiChoice {
    #[serde(default)]
    index: u64,
    delta: Option<OpenAiDelta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct OpenAiDelta {
    content: Option<String>,
    refusal: Option<String>,
    /// Hidden reasoning, as servers with reasoning models send it.
    #[serde(alias = "reasoning")]
    reasoning_content: Option<String>,
    tool_calls: Option<Vec<ToolCallFragment>>,
}

/// Fragment of a tool call; its arguments arrive in several of them.
#[derive(Deserialize)]
struct ToolCallFragment {
    index: Option<u64>,
    id: Option<String>,
    function: Option<OpenAiFunction>,
}

#[derive(Default, Deserialize)]
struct OpenAiFunction {
    name: Option<String>,
    arguments: Option<Json>,
}

#[derive(Deserialize)]
struct OpenAiUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

impl AnswerReader for OpenAiReader {
    fn read_event(&mut self, data: &str, out: &mut DeltaQueue) -> Result<(), ChatError> {
        if data.trim() == "[DONE]" {
            // Not every server says why it ended.
            return self.end_answer(FinishReason::Stop, out);
        }
        let chunk: OpenAiChunk = parse_event(data)?;
        if let Some(error) = chunk.error {
            return Err(ChatError::from_event(&json!({"error": error})));
        }
        if let Some(OpenAiUsage { prompt_tokens, completion_tokens }) = chunk.usage {
            let (input_tokens, output_tokens) = (prompt_tokens.unwrap_or(0), completion_tokens.unwrap_or(0));
            self.usage = Some(ChatUsage { input_tokens, output_tokens });
        }
        // One answer was asked for.
        for choice in chunk.choices.into_iter().flatten().filter(|choice| choice.index == 0) {
            if let Some(delta) = choice.delta {
                self.read_delta(delta, out)?;
            }
            if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
                self.finish = Some(match reason.as_str() {
                    "stop" => FinishReason::Stop,
                    "length" => FinishReason::Length,
                    "tool_calls" | "function_call" => FinishReason::ToolCalls,
                    "content_filter" => FinishReason::Filtered,
                    _ => FinishReason::Other(reason),
                });
            }
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

impl OpenAiReader {
    fn read_delta(&mut self, delta: OpenAiDelta, out: &mut DeltaQueue) -> Result<(), ChatError> {
        if delta.reasoning_content.is_some_and(|thought| !thought.is_empty()) {
            out.mark_begun();
        }
        out.push_text(delta.content.unwrap_or_default())?;
        if let Some(refusal) = delta.refusal.filter(|refusal| !refusal.is_empty()) {
            self.refused = true;
            out.push_text(refusal)?;
        }
        delta.tool_calls.into_iter().flatten().try_for_each(|fragment| self.read_fragment(fragment, out))
    }

    /// A fragment belongs to the call of its index, unless it brings another id: some servers count all calls as the
    /// first, some count none. Names come whole, and with some servers again and again.
    fn read_fragment(&mut self, fragment: ToolCallFragment, out: &mut DeltaQueue) -> Result<(), ChatError> {
        let id = fragment.id.unwrap_or_default();
        let OpenAiFunction { name, arguments } = fragment.function.unwrap_or_default();
        let name = name.unwrap_or_default();
        let arguments = match arguments {
            None | Some(Json::Null) => String::new(),
            Some(Json::String(text)) => text,
            Some(whole) => whole.to_string(),
        };
        match self.calls.latest_call(fragment.index) {
            Some(call) if id.is_empty() || call.id.is_empty() || call.id == id => {
                if call.id.is_empty() {
                    call.id = id;
                }
                if call.name.is_empty() {
                    call.name = name;
                }
                call.extend(&arguments, out)
            }
            _ => {
                let call = PartialCall { index: fragment.index, id, name, arguments, signature: None };
                self.calls.begin_call(call, out)
            }
        }
    }

    fn end_answer(&mut self, otherwise: FinishReason, out: &mut DeltaQueue) -> Result<(), ChatError> {
        let told = self.finish.take().unwrap_or(otherwise);
        let finish = if self.refused && told == FinishReason::Stop { FinishReason::Filtered } else { told };
        out.push_end(std::mem::take(&mut self.calls), self.usage, finish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openai_itself_has_another_name_for_the_bound_on_an_answer() {
        let request = ChatRequest { max_output_tokens: Some(9), ..ChatRequest::default() };
        for (itself, name) in [(true, "max_completion_tokens"), (false, "max_tokens")] {
            let body = OpenAiChat { model: "m".to_owned(), itself }.request_body(&request);
            assert_eq!((body[name].as_u64(), body.as_object().unwrap().len()), (Some(9), 5));
        }
    }
}
