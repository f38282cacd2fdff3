//! How each protocol writes the steps of a script.

use serde_json::{Value as Json, json};

use super::Dialect;

/// Arguments are sent in fragments of so many characters.
const FRAGMENT: usize = 5;

/// An answer as a protocol writes it.
pub(super) struct Wire {
    dialect: Dialect,
    usage: Option<(u64, u64)>,
    begun: bool,
    /// How many calls there were.
    calls: usize,
    /// How many blocks of Anthropic's were begun, and whether the last is one of text that is still open.
    blocks: usize,
    open: bool,
}

impl Wire {
    pub fn new(dialect: Dialect, usage: Option<(u64, u64)>) -> Self {
        Self { dialect, usage, begun: false, calls: 0, blocks: 0, open: false }
    }

    pub fn text(&mut self, text: &str) -> String {
        let begin = self.begin();
        match self.dialect {
            Dialect::OpenAi => begin + &chunk(json!({"content": text}), None),
            Dialect::Anthropic => {
                let open = if self.open { String::new() } else { self.block(json!({"type": "text", "text": ""})) };
                self.open = true;
                begin + &open + &self.delta(json!({"type": "text_delta", "text": text}))
            }
            Dialect::Google => begin + &candidate(json!([{"text": text}]), None, None),
        }
    }

    pub fn call(&mut self, name: &str, arguments: &Json) -> String {
        let mut events = self.begin();
        let index = self.calls;
        self.calls += 1;
        let id = format!("call_{}_{name}", self.calls);
        let text: Vec<char> = arguments.to_string().chars().collect();
        let fragments = text.chunks(FRAGMENT).map(|fragment| fragment.iter().collect::<String>());
        match self.dialect {
            Dialect::OpenAi => {
                let function = json!({"name": name, "arguments": ""});
                let begin = json!({"index": index, "id": id, "type": "function", "function": function});
                events += &chunk(json!({"tool_calls": [begin]}), None);
                for fragment in fragments {
                    let more = json!({"index": index, "function": {"arguments": fragment}});
                    events += &chunk(json!({"tool_calls": [more]}), None);
                }
            }
            Dialect::Anthropic => {
                events += &self.close();
                events += &self.block(json!({"type": "tool_use", "id": id, "name": name, "input": {}}));
                for fragment in fragments {
                    events += &self.delta(json!({"type": "input_json_delta", "partial_json": fragment}));
                }
                self.open = true;
                events += &self.close();
            }
            Dialect::Google => {
                let call = json!({"functionCall": {"name": name, "args": arguments}, "thoughtSignature": id});
                events += &candidate(json!([call]), None, None);
            }
        }
        events
    }

    pub fn error(&mut self, message: &str) -> String {
        match self.dialect {
            Dialect::OpenAi => data(&json!({"error": {"message": message, "type": "server_error", "code": null}})),
            Dialect::Anthropic => {
                event(&json!({"type": "error", "error": {"type": "overloaded_error", "message": message}}))
            }
            Dialect::Google => data(&json!({"error": {"code": 503, "message": message, "status": "UNAVAILABLE"}})),
        }
    }

    pub fn end(&mut self, reason: Option<&str>) -> String {
        let mut events = self.begin();
        let calls = self.calls > 0;
        match self.dialect {
            Dialect::OpenAi => {
                events += &chunk(json!({}), Some(reason.unwrap_or(if calls { "tool_calls" } else { "stop" })));
                if let Some((input, output)) = self.usage {
                    let usage = json!({"prompt_tokens": input, "completion_tokens": output});
                    events += &data(&json!({"object": "chat.completion.chunk", "choices": [], "usage": usage}));
                }
                events += "data: [DONE]\n\n";
            }
            Dialect::Anthropic => {
                events += &self.close();
                let reason = reason.unwrap_or(if calls { "tool_use" } else { "end_turn" });
                let mut ending = json!({"type": "message_delta", "delta": {"stop_reason": reason}});
                if let Some((_, output)) = self.usage {
                    ending["usage"] = json!({"output_tokens": output});
                }
                events += &event(&ending);
                events += &event(&json!({"type": "message_stop"}));
            }
            Dialect::Google => {
                events += &candidate(json!([]), Some(reason.unwrap_or("STOP")), self.usage);
            }
        }
        events
    }

    /// What comes before everything else.
    fn begin(&mut self) -> String {
        if std::mem::replace(&mut self.begun, true) {
            return String::new();
        }
        match self.dialect {
            Dialect::OpenAi => chunk(json!({"role": "assistant", "content": ""}), None),
            Dialect::Anthropic => {
                let mut message = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": []});
                if let Some((input, _)) = self.usage {
                    message["usage"] = json!({"input_tokens": input, "output_tokens": 1});
                }
                event(&json!({"type": "message_start", "message": message})) + &event(&json!({"type": "ping"}))
            }
            Dialect::Google => String::new(),
        }
    }

    fn block(&mut self, block: Json) -> String {
        self.blocks += 1;
        event(&json!({"type": "content_block_start", "index": self.blocks - 1, "content_block": block}))
    }

    fn delta(&self, delta: Json) -> String {
        event(&json!({"type": "content_block_delta", "index": self.blocks - 1, "delta": delta}))
    }

    fn close(&mut self) -> String {
        if !std::mem::replace(&mut self.open, false) {
            return String::new();
        }
        event(&json!({"type": "content_block_stop", "index": self.blocks - 1}))
    }
}

fn data(json: &Json) -> String {
    format!("data: {json}\n\n")
}

/// Anthropic names its events.
fn event(json: &Json) -> String {
    format!("event: {}\n{}", json["type"].as_str().unwrap_or_default(), data(json))
}

/// OpenAI's piece of an answer.
fn chunk(delta: Json, finish: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish});
    data(&json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "scripted",
        "choices": [choice], "usage": null,
    }))
}

/// Google's piece of an answer.
fn candidate(parts: Json, finish: Option<&str>, usage: Option<(u64, u64)>) -> String {
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
    data(&response)
}
