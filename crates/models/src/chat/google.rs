//! Google's Gemini API.

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{
    ChatError, ChatMessage, ChatRequest, ChatUsage, FinishReason,
    deltas::{DeltaQueue, PartialCall, PartialCalls},
    dialect::{
        AnswerReader, ChatDialect, TurnRole, alternate_turns, broke_off, exact_temperature, parse_event, system_prompt,
    },
};

/// The model stands in the address.
pub(super) struct GoogleChat;

impl ChatDialect for GoogleChat {
    fn request_body(&self, request: &ChatRequest) -> Json {
        let turn = |(role, parts)| match role {
            TurnRole::User => json!({"role": "user", "parts": Json::Array(parts)}),
            TurnRole::Model => json!({"role": "model", "parts": Json::Array(parts)}),
        };
        let mut body = json!({"contents": alternate_turns(&request.messages, message_parts).into_iter().map(turn).collect::<Vec<_>>()});
        if let Some(system) = system_prompt(request) {
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
            generation.insert("temperature".to_owned(), exact_temperature(temperature).into());
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

    fn answer_reader(&self) -> Box<dyn AnswerReader> {
        Box::new(GoogleReader::default())
    }
}

/// A message in parts. Results are matched with calls by name and order.
fn message_parts(message: &ChatMessage) -> Vec<Json> {
    let said = |text: &str| (!text.is_empty()).then(|| json!({"text": text}));
    match message {
        ChatMessage::User(text) => said(text).into_iter().collect(),
        ChatMessage::Assistant { text, tool_calls } => {
            let call = |call: &super::ModelToolCall| {
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

/// State of a Google answer while its events are read.
#[derive(Default)]
struct GoogleReader {
    calls: PartialCalls,
    usage: Option<ChatUsage>,
    finish: Option<FinishReason>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GoogleResponse {
    #[serde(default)]
    candidates: Vec<GoogleCandidate>,
    prompt_feedback: Option<GooglePromptFeedback>,
    usage_metadata: Option<GoogleUsage>,
    error: Option<Json>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GoogleCandidate {
    content: Option<GoogleContent>,
    finish_reason: Option<String>,
    #[serde(default)]
    index: u64,
}

#[derive(Deserialize)]
struct GoogleContent {
    #[serde(default)]
    parts: Vec<GooglePart>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GooglePart {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
    function_call: Option<GoogleFunctionCall>,
    thought_signature: Option<String>,
}

#[derive(Deserialize)]
struct GoogleFunctionCall {
    #[serde(default)]
    id: String,
    name: String,
    args: Option<Json>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GooglePromptFeedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GoogleUsage {
    #[serde(default)]
    prompt_token_count: u64,
    #[serde(default)]
    candidates_token_count: u64,
    #[serde(default)]
    thoughts_token_count: u64,
}

impl AnswerReader for GoogleReader {
    fn read_event(&mut self, data: &str, out: &mut DeltaQueue) -> Result<(), ChatError> {
        let response: GoogleResponse = parse_event(data)?;
        if let Some(error) = response.error {
            return Err(ChatError::from_event(&json!({"error": error})));
        }
        if let Some(used) = response.usage_metadata {
            let output_tokens = used.candidates_token_count.saturating_add(used.thoughts_token_count);
            self.usage = Some(ChatUsage { input_tokens: used.prompt_token_count, output_tokens });
        }
        // A question that is not answered at all has no candidates.
        if response.prompt_feedback.is_some_and(|feedback| feedback.block_reason.is_some()) {
            self.finish = Some(FinishReason::Filtered);
        }
        // One answer was asked for.
        for candidate in response.candidates.into_iter().filter(|candidate| candidate.index == 0) {
            for part in candidate.content.into_iter().flat_map(|content| content.parts) {
                self.read_part(part, out)?;
            }
            if let Some(reason) = candidate.finish_reason {
                self.finish = Some(match reason.as_str() {
                    "STOP" => FinishReason::Stop,
                    "MAX_TOKENS" => FinishReason::Length,
                    "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => FinishReason::Filtered,
                    _ => FinishReason::Other(reason),
                });
            }
        }
        Ok(())
    }

    /// Some models give a reason to end with every piece, so only the end of the body is the end.
    fn finish_body(&mut self, out: &mut DeltaQueue) -> Result<(), ChatError> {
        let finish = self.finish.take().ok_or_else(broke_off)?;
        out.push_end(std::mem::take(&mut self.calls), self.usage, finish)
    }
}

impl GoogleReader {
    fn read_part(&mut self, part: GooglePart, out: &mut DeltaQueue) -> Result<(), ChatError> {
        if let Some(GoogleFunctionCall { id, name, args }) = part.function_call {
            let arguments = args.filter(|args| !args.is_null()).map(|args| args.to_string()).unwrap_or_default();
            let call = PartialCall { index: None, id, name, arguments, signature: part.thought_signature };
            return self.calls.begin_call(call, out);
        }
        if part.thought {
            out.mark_begun();
            return Ok(());
        }
        out.push_text(part.text.unwrap_or_default())
    }
}
