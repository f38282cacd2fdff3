//! Runs: one execution of an agent, and the ordered record of what it did.

use serde::{Deserialize, Serialize};

use crate::{ConversationId, RunId, Timestamp, conversation::MessageId, source::named};

named! {
    /// Who answers, and how.
    RunMode, "a mode", "mode",
    /// An agent elsewhere, which tells this library what it does.
    External = "external";
    /// The library's own words, quoted.
    Extractive = "extractive";
    /// A language model, from what the library says.
    Generated = "generated";
    /// A plan, several searches, and an answer from what they found.
    Research = "research";
}

named! {
    /// Where a run stands.
    RunStatus, "a status of a run", "status",
    /// It goes on.
    Running = "running";
    /// It has answered.
    Completed = "completed";
    /// It could not.
    Failed = "failed";
    /// It was stopped.
    Cancelled = "cancelled";
}

impl RunStatus {
    /// True if the run is completed, failed or cancelled, so that no more events come.
    pub const fn has_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// Tokens and cost of calls to language models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompts sent to the models.
    pub input_tokens: u64,
    /// Tokens of the models' replies.
    pub output_tokens: u64,
    /// Cost in US dollars; `None` if the prices are not known.
    pub cost: Option<f64>,
}

impl Usage {
    /// Adds up two usages; an unknown cost counts as zero if the other is known.
    pub fn combine_with(self, other: Self) -> Self {
        let cost = match (self.cost, other.cost) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cost,
        }
    }
}

/// One execution of an agent, which writes one answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub id: RunId,
    /// Conversation in which it answers.
    pub conversation: ConversationId,
    /// Message of the user that it answers.
    pub question: Option<MessageId>,
    /// Message that it writes the answer into.
    pub message: MessageId,
    /// Way of answering, such as extractive or by a language model.
    pub mode: RunMode,
    pub status: RunStatus,
    /// Reason of the failure, for people; `None` unless it failed.
    pub error: Option<String>,
    /// Tokens and cost of the language models so far.
    pub usage: Usage,
    /// The number of its last event.
    pub last_seq: u64,
    /// True if a user asked it to stop; it may still be running.
    pub is_cancelled: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Time at which it ended; `None` while it runs.
    pub finished_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_models_took_is_added_up() {
        let one = Usage { input_tokens: 3, output_tokens: 1, cost: Some(0.5) };
        let free = Usage { input_tokens: 2, output_tokens: 2, cost: None };
        assert_eq!(one.combine_with(free), Usage { input_tokens: 5, output_tokens: 3, cost: Some(0.5) });
        assert_eq!(one.combine_with(one).cost, Some(1.0));
    }
}
