//! Google's Gemini API.

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{
    ChatError, ChatMessage, ChatRequest, Finish, Usage,
    deltas::{Calls, Deltas, PartialCall},
    dialect::{Dialect, Reader, Role, broke_off, instructions, number, parse, turns},
};

/// The model stands in the address.
pub(super) struct Google;

impl Dialect for Google {
    fn body(&self, request: &ChatRequest) -> Json {
        let turn = |(role, parts)| match role {
            Role::User => json!({"role": "user", "parts": Json::Array(parts)}),
            Role::Model => json!({"role": "model", "parts": Json::Array(parts)}),
        };
        let mut body = json!({"contents": turns(&request.messages, parts).into_iter().map(turn).collect::<Vec<_>>()});
        if let Some(system) = instructions(request) {
            body["systemInstruction"] = json!({"parts": [{"text": system}]});
        }
        if !request.tools.is_empty() {
            let tool = |tool: &super::ToolSpec| json!({"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters});
            body["tools"] = json!([{"functionDeclarations": request.tools.iter().map(tool).collect::<Vec<_>>()}]);
        }
        let mut generation = serde_json::Map::new();
        if let Some(limit) = request.max_output_tokens {
            generation.insert("maxOutputTokens".to_owned(), limit.into());
        }
        if let Some(temperature) = request.temperature {
            generation.insert("temperature".to_owned(), number(temperature).into());
        }
        // Google refuses to be held to JSON where it may call tools.
        if request.response_json && request.tools.is_empty() {
            generation.insert("responseMimeType".to_owned(), "application/json".into());
            if let Some(schema) = &request.response_schema {
                generation.insert("responseJsonSchema".to_owned(), schema.clone());
            }
        }
        if !generation.is_empty() {
            body["generationConfig"] = generation.into();
        }
        body
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Responses::default())
    }
}

/// A message in parts. Results are matched with calls by name and order.
fn parts(message: &ChatMessage) -> Vec<Json> {
    let said = |text: &str| (!text.is_empty()).then(|| json!({"text": text}));
    match message {
        ChatMessage::User(text) => said(text).into_iter().collect(),
        ChatMessage::Assistant { text, tool_calls } => {
            let call = |call: &super::ToolCall| {
                let mut part = json!({"functionCall": {"name": call.name, "args": call.arguments}});
                if let Some(signature) = &call.signature {
                    part["thoughtSignature"] = signature.as_str().into();
                }
                part
            };
            said(text).into_iter().chain(tool_calls.iter().map(call)).collect()
        }
        ChatMessage::ToolResult { name, content, .. } => {
            vec![json!({"functionResponse": {"name": name, "response": {"result": content}}})]
        }
    }
}

/// What has been read of an answer.
#[derive(Default)]
struct Responses {
    calls: Calls,
    usage: Option<Usage>,
    finish: Option<Finish>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    #[serde(default)]
    candidates: Vec<Candidate>,
    prompt_feedback: Option<Feedback>,
    usage_metadata: Option<WireUsage>,
    error: Option<Json>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    finish_reason: Option<String>,
    #[serde(default)]
    index: u64,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
    function_call: Option<Function>,
    thought_signature: Option<String>,
}

#[derive(Deserialize)]
struct Function {
    #[serde(default)]
    id: String,
    name: String,
    args: Option<Json>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireUsage {
    #[serde(default)]
    prompt_token_count: u64,
    #[serde(default)]
    candidates_token_count: u64,
    #[serde(default)]
    thoughts_token_count: u64,
}

impl Reader for Responses {
    fn event(&mut self, data: &str, out: &mut Deltas) -> Result<(), ChatError> {
        let response: Response = parse(data)?;
        if let Some(error) = response.error {
            return Err(ChatError::told(&json!({"error": error})));
        }
        if let Some(used) = response.usage_metadata {
            let output_tokens = used.candidates_token_count.saturating_add(used.thoughts_token_count);
            self.usage = Some(Usage { input_tokens: used.prompt_token_count, output_tokens });
        }
        // A question that is not answered at all has no candidates.
        if response.prompt_feedback.is_some_and(|feedback| feedback.block_reason.is_some()) {
            self.finish = Some(Finish::Filtered);
        }
        // One answer was asked for.
        for candidate in response.candidates.into_iter().filter(|candidate| candidate.index == 0) {
            for part in candidate.content.into_iter().flat_map(|content| content.parts) {
                self.part(part, out)?;
            }
            if let Some(reason) = candidate.finish_reason {
                self.finish = Some(match reason.as_str() {
                    "STOP" => Finish::Stop,
                    "MAX_TOKENS" => Finish::Length,
                    "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => Finish::Filtered,
                    _ => Finish::Other(reason),
                });
            }
        }
        Ok(())
    }

    /// Some models give a reason to end with every piece, so only the end of the body is the end.
    fn close(&mut self, out: &mut Deltas) -> Result<(), ChatError> {
        let finish = self.finish.take().ok_or_else(broke_off)?;
        out.end(std::mem::take(&mut self.calls), self.usage, finish)
    }
}

impl Responses {
    fn part(&mut self, part: Part, out: &mut Deltas) -> Result<(), ChatError> {
        if let Some(Function { id, name, args }) = part.function_call {
            let arguments = args.filter(|args| !args.is_null()).map(|args| args.to_string()).unwrap_or_default();
            let call = PartialCall { index: None, id, name, arguments, signature: part.thought_signature };
            return self.calls.begin(call, out);
        }
        if part.thought {
            out.begin();
            return Ok(());
        }
        out.text(part.text.unwrap_or_default())
    }
}
