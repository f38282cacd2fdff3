//! OpenAI's chat completions, as OpenAI and all the servers that speak its protocol write them.

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{
    ChatError, ChatMessage, ChatRequest, Finish, ToolCall, Usage,
    deltas::{Calls, Deltas, PartialCall},
    dialect::{Dialect, Reader, broke_off, instructions, number, parse},
};

pub(super) struct OpenAi {
    pub model: String,
    /// Whether it is OpenAI itself, which has given the bound on the answer's length another name.
    pub itself: bool,
}

impl Dialect for OpenAi {
    fn body(&self, request: &ChatRequest) -> Json {
        let system = instructions(request).map(|text| json!({"role": "system", "content": text}));
        let messages: Vec<_> = system.into_iter().chain(request.messages.iter().map(message)).collect();
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
            body["temperature"] = number(temperature).into();
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

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Chunks::default())
    }
}

fn message(message: &ChatMessage) -> Json {
    match message {
        ChatMessage::User(text) => json!({"role": "user", "content": text}),
        ChatMessage::Assistant { text, tool_calls } if tool_calls.is_empty() => {
            json!({"role": "assistant", "content": text})
        }
        ChatMessage::Assistant { text, tool_calls } => {
            let call = |call: &ToolCall| {
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

/// What has been read of an answer.
#[derive(Default)]
struct Chunks {
    calls: Calls,
    usage: Option<Usage>,
    finish: Option<Finish>,
    refused: bool,
}

#[derive(Deserialize)]
struct Chunk {
    choices: Option<Vec<Choice>>,
    usage: Option<WireUsage>,
    error: Option<Json>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: u64,
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
    refusal: Option<String>,
    /// What servers with models that think aloud call their thoughts.
    #[serde(alias = "reasoning")]
    reasoning_content: Option<String>,
    tool_calls: Option<Vec<Fragment>>,
}

/// A part of a call.
#[derive(Deserialize)]
struct Fragment {
    index: Option<u64>,
    id: Option<String>,
    function: Option<Function>,
}

#[derive(Default, Deserialize)]
struct Function {
    name: Option<String>,
    arguments: Option<Json>,
}

#[derive(Deserialize)]
struct WireUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

impl Reader for Chunks {
    fn event(&mut self, data: &str, out: &mut Deltas) -> Result<(), ChatError> {
        if data.trim() == "[DONE]" {
            // Not every server says why it ended.
            return self.end(Finish::Stop, out);
        }
        let chunk: Chunk = parse(data)?;
        if let Some(error) = chunk.error {
            return Err(ChatError::told(&json!({"error": error})));
        }
        if let Some(WireUsage { prompt_tokens, completion_tokens }) = chunk.usage {
            let (input_tokens, output_tokens) = (prompt_tokens.unwrap_or(0), completion_tokens.unwrap_or(0));
            self.usage = Some(Usage { input_tokens, output_tokens });
        }
        // One answer was asked for.
        for choice in chunk.choices.into_iter().flatten().filter(|choice| choice.index == 0) {
            if let Some(delta) = choice.delta {
                self.delta(delta, out)?;
            }
            if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
                self.finish = Some(match reason.as_str() {
                    "stop" => Finish::Stop,
                    "length" => Finish::Length,
                    "tool_calls" | "function_call" => Finish::ToolCalls,
                    "content_filter" => Finish::Filtered,
                    _ => Finish::Other(reason),
                });
            }
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

impl Chunks {
    fn delta(&mut self, delta: Delta, out: &mut Deltas) -> Result<(), ChatError> {
        if delta.reasoning_content.is_some_and(|thought| !thought.is_empty()) {
            out.begin();
        }
        out.text(delta.content.unwrap_or_default())?;
        if let Some(refusal) = delta.refusal.filter(|refusal| !refusal.is_empty()) {
            self.refused = true;
            out.text(refusal)?;
        }
        delta.tool_calls.into_iter().flatten().try_for_each(|fragment| self.fragment(fragment, out))
    }

    /// A fragment belongs to the call of its index, unless it brings another id: some servers count all calls as the
    /// first, some count none. Names come whole, and with some servers again and again.
    fn fragment(&mut self, fragment: Fragment, out: &mut Deltas) -> Result<(), ChatError> {
        let id = fragment.id.unwrap_or_default();
        let Function { name, arguments } = fragment.function.unwrap_or_default();
        let name = name.unwrap_or_default();
        let arguments = match arguments {
            None | Some(Json::Null) => String::new(),
            Some(Json::String(text)) => text,
            Some(whole) => whole.to_string(),
        };
        match self.calls.latest(fragment.index) {
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
                self.calls.begin(call, out)
            }
        }
    }

    fn end(&mut self, otherwise: Finish, out: &mut Deltas) -> Result<(), ChatError> {
        let told = self.finish.take().unwrap_or(otherwise);
        let finish = if self.refused && told == Finish::Stop { Finish::Filtered } else { told };
        out.end(std::mem::take(&mut self.calls), self.usage, finish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openai_itself_has_another_name_for_the_bound_on_an_answer() {
        let request = ChatRequest { max_output_tokens: Some(9), ..ChatRequest::default() };
        for (itself, name) in [(true, "max_completion_tokens"), (false, "max_tokens")] {
            let body = OpenAi { model: "m".to_owned(), itself }.body(&request);
            assert_eq!((body[name].as_u64(), body.as_object().unwrap().len()), (Some(9), 5));
        }
    }
}
