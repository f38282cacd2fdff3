//! Runs: one execution of an agent, and the ordered record of what it did.

use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    /// Whether nothing more will happen.
    pub const fn has_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

named! {
    /// What happened in a run.
    RunEventKind, "a type of event", "type",
    /// It began.
    RunStarted = "run_started";
    /// It is known what is to be looked for.
    PlanCreated = "plan_created";
    /// A part of the work began.
    PhaseStarted = "phase_started";
    /// A part of the work is done.
    PhaseCompleted = "phase_completed";
    /// A tool was asked.
    ToolCalled = "tool_called";
    /// A tool answered.
    ToolResult = "tool_result";
    /// There are sources that had not been there.
    ReferencesFound = "references_found";
    /// An agent under this one began.
    SubagentSpawned = "subagent_spawned";
    /// An agent under this one is done.
    SubagentResult = "subagent_result";
    /// An agent under this one gave up.
    SubagentFailed = "subagent_failed";
    /// More words of the answer, with no half of a marker at their end.
    ContentDelta = "content_delta";
    /// The citations of the answer are kept.
    CitationsCreated = "citations_created";
    /// Something more is known of a source.
    EntityCreated = "entity_created";
    /// Bytes were kept.
    ArtifactCreated = "artifact_created";
    /// A tree of files was kept.
    ManifestCreated = "manifest_created";
    /// It asks something before it goes on.
    ClarificationNeeded = "clarification_needed";
    /// That was answered.
    ClarificationReceived = "clarification_received";
    /// What it took.
    Usage = "usage";
    /// It ended well.
    RunCompleted = "run_completed";
    /// It ended otherwise; what there was of an answer is kept.
    RunFailed = "run_failed";
}

impl RunEventKind {
    /// Whether nothing of the answer comes after it.
    pub const fn ends(self) -> bool {
        matches!(self, Self::RunCompleted | Self::RunFailed)
    }
}

/// What language models took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens they read.
    pub input_tokens: u64,
    /// Tokens they wrote.
    pub output_tokens: u64,
    /// What that costs, in US dollars, if the prices are known.
    pub cost: Option<f64>,
}

impl Usage {
    /// Both together.
    pub fn and(self, other: Self) -> Self {
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

/// One execution of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// Where it answers.
    pub conversation: ConversationId,
    /// What it answers.
    pub question: Option<MessageId>,
    /// Its answer.
    pub message: MessageId,
    /// Who answers, and how.
    pub mode: RunMode,
    /// Where it stands.
    pub status: RunStatus,
    /// Why it failed.
    pub error: Option<String>,
    /// What it took.
    pub usage: Usage,
    /// The number of its last event.
    pub last_seq: u64,
    /// Whether it was asked to stop.
    pub is_cancelled: bool,
    /// When it began.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
}

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunEvent {
    /// Its number in the run, from 1 without gaps.
    pub seq: u64,
    /// What happened.
    pub kind: RunEventKind,
    /// What there is to say of it.
    pub data: Value,
    /// When it happened.
    pub at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_models_took_is_added_up() {
        let one = Usage { input_tokens: 3, output_tokens: 1, cost: Some(0.5) };
        let free = Usage { input_tokens: 2, output_tokens: 2, cost: None };
        assert_eq!(one.and(free), Usage { input_tokens: 5, output_tokens: 3, cost: Some(0.5) });
        assert_eq!(one.and(one).cost, Some(1.0));
    }
}
