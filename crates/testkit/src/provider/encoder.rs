//! How each protocol writes the steps of a script.

use serde_json::{Value as Json, json};

use super::ProviderDialect;

/// Arguments are sent in fragments of so many characters.
const FRAGMENT: usize = 5;

/// An answer as a protocol writes it.
pub(super) struct WireEncoder {
    dialect: ProviderDialect,
    usage: Option<(u64, u64)>,
    begun: bool,
    /// Number of tool calls so far; the next call takes it as its index.
    calls: usize,
    /// Number of Anthropic content blocks started; `open` tells if the last one is still open.
    blocks: usize,
    open: bool,
}

impl WireEncoder {
    pub fn new(dialect: ProviderDialect, usage: Option<(u64, u64)>) -> Self {
        Self { dialect, usage, begun: false, calls: 0, blocks: 0, open: false }
    }

    pub fn encode_text(&mut self, text: &str) -> String {
        let begin = self.begin_message();
        match self.dialect {
            ProviderDialect::OpenAi => begin + &openai_chunk(json!({"content": text}), None),
            ProviderDialect::Anthropic => {
                let open = if self.open { String::new() } else { self.open_block(json!({"type": "text", "text": ""})) };
                self.open = true;
                begin + &open + &self.block_delta(json!({"type": "text_delta", "text": text}))
            }
            ProviderDialect::Google => begin + &google_candidate(json!([{"text": text}]), None, None),
        }
    }

    pub fn encode_tool_call(&mut self, name: &str, arguments: &Json) -> String {
        let mut events = self.begin_message();
        let index = self.calls;
        self.calls += 1;
        let id = format!("call_{}_{name}", self.calls);
        let text: Vec<char> = arguments.to_string().chars().collect();
        let fragments = text.chunks(FRAGMENT).map(|fragment| fragment.iter().collect::<String>());
        match self.dialect {
            ProviderDialect::OpenAi => {
                let function = json!({"name": name, "arguments": ""});
                let begin = json!({"index": index, "id": id, "type": "function", "function": function});
                events += &openai_chunk(json!({"tool_calls": [begin]}), None);
                for fragment in fragments {
                    let more = json!({"index": index, "function": {"arguments": fragment}});
                    events += &openai_chunk(json!({"tool_calls": [more]}), None);
                }
            }
            ProviderDialect::Anthropic => {
                events += &self.close_block();
                events += &self.open_block(json!({"type": "tool_use", "id": id, "name": name, "input": {}}));
                for fragment in fragments {
                    events += &self.block_delta(json!({"type": "input_json_delta", "partial_json": fragment}));
                }
                self.open = true;
                events += &self.close_block();
            }
            ProviderDialect::Google => {
                let call = json!({"functionCall": {"name": name, "args": arguments}, "thoughtSignature": id});
                events += &google_candidate(json!([call]), None, None);
            }
        }
        events
    }

    pub fn encode_error(&mut self, message: &str) -> String {
        match self.dialect {
            ProviderDialect::OpenAi => {
                sse_data(&json!({"error": {"message": message, "type": "server_error", "code": null}}))
            }
            ProviderDialect::Anthropic => {
                sse_event(&json!({"type": "error", "error": {"type": "overloaded_error", "message": message}}))
            }
            ProviderDialect::Google => {
                sse_data(&json!({"error": {"code": 503, "message": message, "status": "UNAVAILABLE"}}))
            }
        }
    }

    pub fn encode_end(&mut self, reason: Option<&str>) -> String {
        let mut events = self.begin_message();
        let calls = self.calls > 0;
        match self.dialect {
            ProviderDialect::OpenAi => {
                events += &openai_chunk(json!({}), Some(reason.unwrap_or(if calls { "tool_calls" } else { "stop" })));
                if let Some((input, output)) = self.usage {
                    let usage = json!({"prompt_tokens": input, "completion_tokens": output});
                    events += &sse_data(&json!({"object": "chat.completion.chunk", "choices": [], "usage": usage}));
                }
                events += "data: [DONE]\n\n";
            }
            ProviderDialect::Anthropic => {
                events += &self.close_block();
                let reason = reason.unwrap_or(if calls { "tool_use" } else { "end_turn" });
                let mut ending = json!({"type": "message_delta", "delta": {"stop_reason": reason}});
                if let Some((_, output)) = self.usage {
                    ending["usage"] = json!({"output_tokens": output});
                }
                events += &sse_event(&ending);
                events += &sse_event(&json!({"type": "message_stop"}));
            }
            ProviderDialect::Google => {
                events += &google_candidate(json!([]), Some(reason.unwrap_or("STOP")), self.usage);
            }
        }
        events
    }

    /// Returns the events that open a response; empty after the first call.
    fn begin_message(&mut self) -> String {
        if std::mem::replace(&mut self.begun, true) {
            return String::new();
        }
        match self.dialect {
            ProviderDialect::OpenAi => openai_chunk(json!({"role": "assistant", "content": ""}), None),
            ProviderDialect::Anthropic => {
                let mut message = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": []});
                if let Some((input, _)) = self.usage {
                    message["usage"] = json!({"input_tokens": input, "output_tokens": 1});
                }
                sse_event(&json!({"type": "message_start", "message": message})) + &sse_event(&json!({"type": "ping"}))
            }
            ProviderDialect::Google => String::new(),
        }
    }

    fn open_block(&mut self, block: Json) -> String {
        self.blocks += 1;
        sse_event(&json!({"type": "content_block_start", "index": self.blocks - 1, "content_block": block}))
    }

    fn block_delta(&self, delta: Json) -> String {
        sse_event(&json!({"type": "content_block_delta", "index": self.blocks - 1, "delta": delta}))
    }

    fn close_block(&mut self) -> String {
        if !std::mem::replace(&mut self.open, false) {
            return String::new();
        }
        sse_event(&json!({"type": "content_block_stop", "index": self.blocks - 1}))
    }
}

fn sse_data(json: &Json) -> String {
    format!("data: {json}\n\n")
}

/// Anthropic names its events.
fn sse_event(json: &Json) -> String {
    format!("event: {}\n{}", json["type"].as_str().unwrap_or_default(), sse_data(json))
}

/// OpenAI's piece of an answer.
fn openai_chunk(delta: Json, finish: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish});
    sse_data(&json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "scripted",
        "choices": [choice], "usage": null,
    }))
}

/// Google's piece of an answer.
fn google_candidate(parts: Json, finish: Option<&str>, usage: Option<(u64, u64)>) -> String {
    let mut candidate = json!({"content": {"parts": parts, "role": "model"}, "index": 0});
    if let Some(finish) = finish {
        candidate["finishReason"] = finish.into();
    }
    let mut response = json!({"candidates": [candidate], "modelVersion": "scripted"});
    if let Some((input, output)) = usage {
        response["usageMetadata"] = json!({
            "promptTokenCount": input, "candidatesTokenCount": output, "totalTokenCount": input + output,
        });
    }
    sse_data(&response)
}
