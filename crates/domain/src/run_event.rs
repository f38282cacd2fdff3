//! Events of a run: what happened, in order, each with its own data.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    CitationId, ConversationId, PointerId, Problem, RevisionId, RunId, RunMode, RunStatus, Sha256, SourceId,
    SourceType, Timestamp, Usage, Verdict,
    citation::{CitedFile, ClaimDifference},
    code::Code,
    conversation::RewrittenClaim,
    source::named,
};

named! {
    /// A part of the work of a run.
    RunPhase, "a phase of a run", "phase",
    /// Deciding what to search for.
    Planning = "planning";
    /// Searching the library, and the web if that is asked for.
    Research = "research";
    /// Writing the answer.
    Synthesis = "synthesis";
    /// Checking the claims of the answer.
    Verification = "verification";
}

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunEvent {
    /// Its number in the run, from 1 without gaps.
    pub seq: u64,
    pub data: RunEventData,
    pub at: Timestamp,
}

/// Declares the events and the names of their kinds in one place.
macro_rules! run_events {
    ($($(#[$doc:meta])* $variant:ident($data:ty) = $name:literal;)*) => {
        named! {
            /// Names of all that can happen in a run, without the facts.
            RunEventKind, "a type of event", "type",
            $($(#[$doc])* $variant = $name;)*
        }

        /// What happened, with the facts that belong to it. On the wire `type` names the variant and `data` has the
        /// facts.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "type", content = "data")]
        pub enum RunEventData {
            $($(#[$doc])* #[serde(rename = $name)] $variant($data),)*
        }

        impl RunEventData {
            /// Kind of the event.
            pub const fn kind(&self) -> RunEventKind {
                match self { $(Self::$variant(_) => RunEventKind::$variant,)* }
            }

            /// The facts of the event as JSON, without its kind.
            pub fn to_json(&self) -> Value {
                match self { $(Self::$variant(data) => json!(data),)* }
            }
        }
    };
}

run_events! {
    /// The run began.
    RunStarted(RunStarted) = "run_started";
    /// It is known what is to be searched for.
    PlanCreated(PlanCreated) = "plan_created";
    /// A part of the work began.
    PhaseStarted(PhaseChange) = "phase_started";
    /// A part of the work is done.
    PhaseCompleted(PhaseChange) = "phase_completed";
    /// A tool was called.
    ToolCalled(ToolCalled) = "tool_called";
    /// A tool returned its result.
    ToolResult(ToolResult) = "tool_result";
    /// There are sources that the run did not have before.
    ReferencesFound(ReferencesFound) = "references_found";
    /// An agent under this one began.
    SubagentSpawned(SubagentSpawned) = "subagent_spawned";
    /// An agent under this one is done.
    SubagentResult(SubagentReported) = "subagent_result";
    /// An agent under this one gave up.
    SubagentFailed(SubagentFailed) = "subagent_failed";
    /// More words of the answer, with no half of a marker at their end.
    ContentDelta(ContentDelta) = "content_delta";
    /// A claim of the answer was checked against what it cites.
    ClaimChecked(ClaimChecked) = "claim_checked";
    /// Sentences of the answer were rewritten after the check; what was shown of it no longer counts.
    AnswerRevised(AnswerRevised) = "answer_revised";
    /// The citations of the answer are stored.
    CitationsCreated(CitationsCreated) = "citations_created";
    /// Sources of the answer have summaries.
    EntityCreated(SummariesCreated) = "entity_created";
    /// A file of a deliverable was stored.
    ArtifactCreated(ArtifactCreated) = "artifact_created";
    /// The files of a deliverable were stored together.
    ManifestCreated(ManifestCreated) = "manifest_created";
    /// The run asks something before it goes on.
    ClarificationNeeded(ClarificationNeeded) = "clarification_needed";
    /// That was answered.
    ClarificationReceived(ClarificationReceived) = "clarification_received";
    /// Tokens and cost of the run.
    Usage(Usage) = "usage";
    /// The run ended with an answer.
    RunCompleted(RunCompleted) = "run_completed";
    /// The run ended without a whole answer; what there was of one is stored.
    RunFailed(RunFailed) = "run_failed";
}

impl RunEventKind {
    /// True if the answer has no more text after this event.
    pub const fn ends_run(self) -> bool {
        matches!(self, Self::RunCompleted | Self::RunFailed)
    }
}

impl RunEventData {
    /// Reads what [`Self::to_json`] wrote.
    pub fn from_json(kind: RunEventKind, data: Value) -> Result<Self, Problem> {
        serde_json::from_value(json!({ "type": kind, "data": data })).map_err(|error| {
            Problem::new(Code::Internal, format!("the data of an event {} cannot be read: {error}", kind.as_str()))
        })
    }

    /// More words of an answer.
    pub fn content(text: impl Into<String>, markers: Vec<MarkerPlace>) -> Self {
        Self::ContentDelta(ContentDelta { text: text.into(), markers })
    }
}

/// Data of the event that begins a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunStarted {
    pub run_id: RunId,
    pub conversation_id: ConversationId,
    /// Message with the question; `None` if there is none.
    pub question_id: Option<String>,
    /// Message that the answer is written into.
    pub message_id: String,
    pub mode: RunMode,
}

/// Searches that a run plans.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanCreated {
    pub plan_id: String,
    /// Phase that carries out the plan.
    pub phase: RunPhase,
    pub task_count: usize,
    /// Searches of the plan, in words.
    pub task_descriptions: Vec<String>,
}

/// Beginning or end of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseChange {
    pub phase: RunPhase,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCalled {
    pub tool_name: String,
    /// Id of the call, the same in its result.
    pub request_id: String,
    /// Arguments of the call, as the tool takes them.
    pub parameters: Value,
}

/// Output of a tool in short, or the number of its results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    pub tool_name: String,
    /// Id of the call.
    pub request_id: String,
    /// Number of results, if the server called the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// Beginning of the result, if an agent reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Numbers that the results have in the run, if an agent reported them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<Vec<u32>>,
    /// Reason why there is nothing to cite, where there could have been.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// Sources that a run did not have before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReferencesFound {
    /// The sources in their wire form, each with its number in the run.
    pub references: Vec<Value>,
}

/// An agent that works for a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubagentSpawned {
    pub subagent_id: String,
    /// Position of its task in the plan, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_index: Option<usize>,
    pub task_description: Option<String>,
    /// Tools that it may call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_ids: Option<Vec<String>>,
}

/// What an agent brought that works for a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SubagentReported {
    pub subagent_id: String,
    /// Sources that it found in the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity_ids: Option<Vec<SourceId>>,
    /// Number of passages that it found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passages: Option<usize>,
    /// Its text, with the numbers of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Numbers of its sources in the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<Vec<u32>>,
    /// Numbers of its text that named nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dangling: Option<Vec<u32>>,
}

/// Why an agent that works for a run gave up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubagentFailed {
    pub subagent_id: String,
    pub error: String,
}

/// More words of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentDelta {
    pub text: String,
    /// Citation markers in these words that name sources of the run, in order.
    #[serde(default)]
    pub markers: Vec<MarkerPlace>,
}

/// Place of a citation marker in an answer, with the numbers that it names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkerPlace {
    /// Offset of the marker's first character in the whole answer.
    pub start_index: usize,
    /// Offset after the marker's last character in the whole answer.
    pub end_index: usize,
    /// Numbers of the sources, in the order in which they are written.
    pub numbers: Vec<u32>,
}

/// Result of checking a claim, told after its words. It takes the place of earlier results that its span overlaps.
///
/// Of several citations, the one that supports the claim best decides; if none does, one that contradicts it counts more
/// than one that says nothing of the matter. Verdict, quote and differences are of that one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimChecked {
    /// Offset of the claim's first character in the whole answer.
    pub start_index: usize,
    /// Offset after the claim's last character in the whole answer, its markers included.
    pub end_index: usize,
    /// Numbers of the sources that the claim cites, in the order in which they are written.
    pub numbers: Vec<u32>,
    pub verdict: Verdict,
    /// Confidence of the verdict, from 0 to 1.
    pub score: f64,
    /// Number of the source that decides.
    pub number: u32,
    /// That source, if it is one of the library.
    pub source_id: Option<SourceId>,
    /// The revision that was read, if it is one of the library.
    pub revision_id: Option<RevisionId>,
    /// Words of the source that come closest to the claim.
    pub quote: Option<String>,
    /// Offset of the quote's first character in the text of the source.
    pub start_char: Option<usize>,
    /// Offset after the quote's last character in the text of the source.
    pub end_char: Option<usize>,
    /// The details in which claim and source differ.
    pub why: Vec<ClaimDifference>,
}

/// An answer after sentences of it were rewritten. The results of checking its claims are told anew after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerRevised {
    /// The whole answer, which takes the place of all text before.
    pub text: String,
    /// Citation markers of the answer that name sources of the run, in order.
    pub markers: Vec<MarkerPlace>,
    /// What was rewritten, in the order of the text.
    pub rewritten: Vec<RewrittenClaim>,
}

/// Citations that were stored for an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CitationsCreated {
    pub message_id: String,
    pub count: usize,
    pub citations: Vec<CitationSummary>,
    /// Markers that name no source of the run.
    pub dangling: Vec<String>,
}

/// A citation in a few words, for those who watch a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CitationSummary {
    pub id: CitationId,
    /// Number of the source in the message.
    pub number: u32,
    /// Offset of the marker's first character in the message.
    pub start_index: usize,
    /// Offset after the marker's last character in the message.
    pub end_index: usize,
    pub source_id: Option<SourceId>,
    pub title: String,
    pub quote: Option<String>,
    pub verdict: Option<Verdict>,
    pub score: Option<f64>,
}

/// Summaries of the sources of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SummariesCreated {
    pub message_id: String,
    pub entity_count: usize,
    pub entities: Vec<SourceSummaryNote>,
}

/// Summary of one source of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSummaryNote {
    pub id: SourceId,
    pub title: String,
    pub summary: String,
}

/// A file of a deliverable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArtifactCreated {
    pub sha256: Sha256,
    /// Path of the file in the deliverable.
    pub path: String,
    pub media_type: String,
    pub size_bytes: u64,
    pub entity_type: SourceType,
}

/// The files of a deliverable, together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifestCreated {
    pub manifest_sha256: Sha256,
    /// Pointer that names the newest version of the deliverable.
    pub pointer_id: PointerId,
    /// Kind of the deliverable, such as `report`.
    pub kind: String,
}

/// A question of the run to the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClarificationNeeded {
    pub question: String,
}

/// The user's answer to a question of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClarificationReceived {
    pub text: String,
}

/// End of a run that has answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunCompleted {
    pub run_id: RunId,
    pub message_id: String,
    pub conversation_id: ConversationId,
    pub cited_files: Vec<CitedFile>,
    /// True while jobs still work on the sources of the answer.
    pub has_async_entities_in_progress: bool,
}

/// End of a run that has no whole answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFailed {
    pub run_id: RunId,
    pub message_id: String,
    pub conversation_id: ConversationId,
    /// Reason, for people.
    pub error: String,
    /// Failed, or cancelled if a user stopped it.
    pub status: RunStatus,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_read_as_it_was_written() {
        let marker = MarkerPlace { start_index: 3, end_index: 6, numbers: vec![1] };
        let data = RunEventData::content("So [1].", vec![marker]);
        assert_eq!(
            data.to_json(),
            json!({ "text": "So [1].", "markers": [{ "start_index": 3, "end_index": 6, "numbers": [1] }] })
        );
        assert_eq!(RunEventData::from_json(data.kind(), data.to_json()), Ok(data.clone()));
        assert_eq!(serde_json::to_value(&data).unwrap(), json!({ "type": "content_delta", "data": data.to_json() }));
    }

    #[test]
    fn events_of_the_first_version_are_read() {
        let delta = RunEventData::from_json(RunEventKind::ContentDelta, json!({ "text": "So." }));
        assert_eq!(delta, Ok(RunEventData::content("So.", vec![])));
        let result = json!({ "tool_name": "a", "request_id": "1", "output": null, "numbers": [2], "warning": null });
        let result = RunEventData::from_json(RunEventKind::ToolResult, result);
        assert!(matches!(result, Ok(RunEventData::ToolResult(ToolResult { numbers: Some(_), output: None, .. }))));
    }

    #[test]
    fn data_that_is_not_of_its_kind_is_named() {
        let problem = RunEventData::from_json(RunEventKind::RunFailed, json!({ "text": "So." })).unwrap_err();
        assert!(problem.detail.contains("run_failed"), "{problem}");
    }
}
