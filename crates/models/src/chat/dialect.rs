//! What the three protocols have in common, and what each must say for itself.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::{ChatError, ChatMessage, ChatRequest, deltas::Deltas};

/// Asked of every model that is to answer in JSON: not every provider can be told in another way, and some want to be
/// told in both.
const ONLY_JSON: &str = "Answer with one JSON object and nothing else: no words around it, no code fence.";

/// How a provider is asked.
pub(super) trait Dialect: Send + Sync {
    /// The request as the provider wants it.
    fn body(&self, request: &ChatRequest) -> Json;

    /// What reads the answer to it.
    fn reader(&self) -> Box<dyn Reader>;
}

/// Reads one answer, event by event.
pub(super) trait Reader: Send {
    /// Takes the data of an event.
    fn event(&mut self, data: &str, out: &mut Deltas) -> Result<(), ChatError>;

    /// Takes the end of the body: an error if the answer has not ended.
    fn close(&mut self, out: &mut Deltas) -> Result<(), ChatError>;
}

/// The body ended, and the answer had not.
pub(super) fn broke_off() -> ChatError {
    ChatError::Interrupted("the provider closed the stream before the answer had ended".to_owned())
}

/// Reads the data of an event as JSON.
pub(super) fn parse<T: DeserializeOwned>(data: &str) -> Result<T, ChatError> {
    serde_json::from_str(data).map_err(|error| {
        let start: String = data.chars().take(80).collect();
        ChatError::Malformed(format!("{error}, in an event that begins with {start}"))
    })
}

/// What holds for the whole conversation; none if nothing does.
pub(super) fn instructions(request: &ChatRequest) -> Option<Cow<'_, str>> {
    match (request.system.trim(), request.response_json) {
        ("", false) => None,
        ("", true) => Some(Cow::Borrowed(ONLY_JSON)),
        (system, false) => Some(Cow::Borrowed(system)),
        (system, true) => Some(Cow::Owned(format!("{system}\n\n{ONLY_JSON}"))),
    }
}

/// A temperature as it was written, not as its 32 bits spell it.
pub(super) fn number(temperature: f32) -> f64 {
    (f64::from(temperature) * 1e4).round() / 1e4
}

/// Who speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Model,
}

/// The conversation in turns, for providers where the two speak alternately: what one says in a row becomes one turn,
/// and results of tools are said by the user. `parts` makes the parts of a message; a turn without any is left out.
pub(super) fn turns(messages: &[ChatMessage], parts: impl Fn(&ChatMessage) -> Vec<Json>) -> Vec<(Role, Vec<Json>)> {
    let mut turns: Vec<(Role, Vec<Json>)> = Vec::new();
    for message in messages {
        let role = if matches!(message, ChatMessage::Assistant { .. }) { Role::Model } else { Role::User };
        let parts = parts(message);
        match turns.last_mut() {
            _ if parts.is_empty() => {}
            Some((last, before)) if *last == role => before.extend(parts),
            _ => turns.push((role, parts)),
        }
    }
    turns
}
