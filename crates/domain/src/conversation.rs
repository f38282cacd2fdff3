//! Conversations and their messages: a tree in which every answer knows the run that made it.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    Code, ConversationId, JobId, Problem, RunId, Timestamp, UserId, Verdict, problem::shorten_for_error, run::Usage,
    source::named,
};

/// The id of a message: what a provider calls it (`msg_01…`), or a UUID of ours.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(String);

impl MessageId {
    /// The most characters of one.
    pub const LONGEST: usize = 255;

    /// Creates a new UUID (version 7) as the id.
    #[expect(clippy::new_without_default, reason = "a new id is an effect, not a default")]
    pub fn new() -> Self {
        Self(uuid::Uuid::now_v7().to_string())
    }

    /// Returns the id as it is written on the wire.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for MessageId {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let is_legal =
            !text.is_empty() && text.chars().count() <= Self::LONGEST && !text.chars().any(|char| char.is_control());
        if is_legal {
            return Ok(Self(text.to_owned()));
        }
        let detail = format!(
            "'{}' is not the id of a message: 1 to {} characters, none of them a control character",
            shorten_for_error(text),
            Self::LONGEST
        );
        Err(Problem::new(Code::InvalidField, detail).with_field("message_id"))
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A chat: the root of a tree of messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    pub id: ConversationId,
    /// Title, set by a user or taken from the first question.
    pub title: Option<String>,
    /// User who started it; `None` for the system.
    pub created_by: Option<UserId>,
    pub created_at: Timestamp,
    /// Time of the last message or rename.
    pub updated_at: Timestamp,
}

impl Conversation {
    /// The longest title, in characters.
    pub const LONGEST_TITLE: usize = 500;

    /// Trims a title and checks that it has 1 to 500 characters.
    pub fn checked_title(title: &str) -> Result<String, Problem> {
        let title = title.trim();
        if title.is_empty() || title.chars().count() > Self::LONGEST_TITLE {
            let detail = format!("a title has 1 to {} characters", Self::LONGEST_TITLE);
            return Err(Problem::new(Code::InvalidField, detail).with_field("title"));
        }
        Ok(title.to_owned())
    }
}

named! {
    /// Who says a message.
    MessageRole, "a role", "role",
    /// A person.
    User = "user";
    /// What answers.
    Assistant = "assistant";
}

named! {
    /// Whether a message is whole.
    MessageStatus, "a status of a message", "status",
    /// It is being written.
    Streaming = "streaming";
    /// It is.
    Complete = "complete";
    /// Writing it failed; what there was is kept.
    Failed = "failed";
    /// It was stopped; what there was is kept.
    Cancelled = "cancelled";
}

/// A node in the tree of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Its id, which is one of a kind in its library.
    pub id: MessageId,
    /// Conversation that the message belongs to.
    pub conversation: ConversationId,
    /// Previous message; two messages with the same parent are branches.
    pub parent: Option<MessageId>,
    /// Author: the user or the assistant.
    pub role: MessageRole,
    /// Text of the message, with citation markers.
    pub content: String,
    /// Tells if the text is still being written, complete, or was broken off.
    pub status: MessageStatus,
    /// Run that wrote the message; `None` for a user's message.
    pub run: Option<RunId>,
    /// Author of an answer: the name of a model, or `extractive`.
    pub model: Option<String>,
    /// Tokens and cost of the language models that wrote it.
    pub usage: Usage,
    /// Cited ids that match none of the sources that the run was given.
    pub dangling: Vec<String>,
    /// Claims that were rewritten after they were checked, in the order of the text.
    pub rewritten: Vec<RewrittenClaim>,
    /// Job that works on the sources after the message is complete.
    pub async_job: Option<JobId>,
    /// True while that job is neither done nor dead.
    pub has_async_sources: bool,
    pub created_at: Timestamp,
    /// Time of the last change of text or status.
    pub updated_at: Timestamp,
}

/// A claim of an answer that was rewritten from its sources, because they did not support what stood there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RewrittenClaim {
    /// Offset of the new claim's first character in the answer.
    pub start_index: usize,
    /// Offset after the new claim's last character in the answer.
    pub end_index: usize,
    /// Words that stood there before, without their markers.
    pub before: String,
    /// The verdict on what stood there before.
    pub verdict: Verdict,
}

impl Message {
    /// The longest message, in bytes.
    pub const LARGEST: usize = 4 * 1024 * 1024;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_what_providers_call_messages() {
        assert!("msg_01XFDUDYJgAACzvnptvVoYEL".parse::<MessageId>().is_ok());
        assert!("é".repeat(255).parse::<MessageId>().is_ok());
        for wrong in [String::new(), "a".repeat(256), "a\nb".to_owned()] {
            assert_eq!(wrong.parse::<MessageId>().unwrap_err().code, Code::InvalidField);
        }
    }
}
