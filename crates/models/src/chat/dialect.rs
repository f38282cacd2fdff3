//! What the three protocols have in common, and what each must say for itself.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::{ChatError, ChatMessage, ChatRequest, deltas::DeltaQueue};

/// Asked of every model that is to answer in JSON: not every provider can be told in another way, and some want to be
/// told in both.
const ONLY_JSON: &str = "Answer with one JSON object and nothing else: no words around it, no code fence.";

/// Request and response format of a chat provider.
pub(super) trait ChatDialect: Send + Sync {
    /// The request as the provider wants it.
    fn request_body(&self, request: &ChatRequest) -> Json;

    /// Creates the reader for the response to one request.
    fn answer_reader(&self) -> Box<dyn AnswerReader>;
}

/// Reads one answer, event by event.
pub(super) trait AnswerReader: Send {
    /// Takes the data of an event.
    fn read_event(&mut self, data: &str, out: &mut DeltaQueue) -> Result<(), ChatError>;

    /// Takes the end of the body: an error if the answer has not ended.
    fn finish_body(&mut self, out: &mut DeltaQueue) -> Result<(), ChatError>;
}

/// The body ended, and the answer had not.
pub(super) fn broke_off() -> ChatError {
    ChatError::Interrupted("the provider closed the stream before the answer had ended".to_owned())
}

/// Reads the data of an event as JSON.
pub(super) fn parse_event<T: DeserializeOwned>(data: &str) -> Result<T, ChatError> {
    serde_json::from_str(data).map_err(|error| {
        let start: String = data.chars().take(80).collect();
        ChatError::Malformed(format!("{error}, in an event that begins with {start}"))
    })
}

/// Returns the system prompt of a request; `None` if it is empty.
pub(super) fn system_prompt(request: &ChatRequest) -> Option<Cow<'_, str>> {
    match (request.system.trim(), request.response_json) {
        ("", false) => None,
        ("", true) => Some(Cow::Borrowed(ONLY_JSON)),
        (system, false) => Some(Cow::Borrowed(system)),
        (system, true) => Some(Cow::Owned(format!("{system}\n\n{ONLY_JSON}"))),
    }
}

/// A temperature as it was written, not as its 32 bits spell it.
pub(super) fn exact_temperature(temperature: f32) -> f64 {
    (f64::from(temperature) * 1e4).round() / 1e4
}

/// Speaker of a turn in the conversation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnRole {
    User,
    Model,
}

/// The conversation in turns, for providers where the two speak alternately: what one says in a row becomes one turn,
/// and results of tools are said by the user. `parts` makes the parts of a message; a turn without any is left out.
pub(super) fn alternate_turns(
    messages: &[ChatMessage],
    parts: impl Fn(&ChatMessage) -> Vec<Json>,
) -> Vec<(TurnRole, Vec<Json>)> {
    let mut turns: Vec<(TurnRole, Vec<Json>)> = Vec::new();
    for message in messages {
        let role = if matches!(message, ChatMessage::Assistant { .. }) { TurnRole::Model } else { TurnRole::User };
        let parts = parts(message);
        match turns.last_mut() {
            _ if parts.is_empty() => {}
            Some((last, before)) if *last == role => before.extend(parts),
            _ => turns.push((role, parts)),
        }
    }
    turns
}
