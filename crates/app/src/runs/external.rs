//! Runs of agents elsewhere: they report what their tools returned and what they answer, and get numbers, prompts and
//! kept citations back.

use ibid_citations::{CitationBuffer, CitationSource, CompletedToolCall, Ledger, cited_stream::ShownText, ledger};
use ibid_domain::{
    Code, MessageId, MessageStatus, Problem, Run, RunEventData, RunId, RunMode, Usage,
    run_event::{ReferencesFound, SubagentFailed, SubagentReported, SubagentSpawned, ToolCalled, ToolResult},
};
use serde_json::Value as Json;

use super::{
    AnsweredRun, add_message, add_sources, checked_text,
    completion::{NewAnswer, message_of},
    has_ended, keep_sources, ledger_of, no_run, replace_nul, without_nul,
};
use crate::{Result, services::RunService};

/// The longest result of a tool that is shown to those who watch, in characters.
const SHOWN: usize = 2000;

/// The sources that the run got from a tool result.
#[derive(Clone, Debug)]
pub struct ToolReport {
    /// The run's sources, numbered.
    pub ledger: Ledger,
    /// The numbers of what this result had, in its order.
    pub numbers: Vec<u32>,
    /// Why it had nothing, where it could have.
    pub warning: Option<String>,
}

/// The report of a subagent of an external run.
#[derive(Clone, Debug, Default)]
pub struct SubagentResult {
    /// Id of the subagent, 1 to 255 characters, chosen by the client.
    pub agent: String,
    /// Task given to the subagent.
    pub task: Option<String>,
    /// Text of the subagent, with its own citation numbers.
    pub text: String,
    /// Its sources, numbered as its text does.
    pub sources: Vec<CitationSource>,
    /// Reason if the subagent failed, else `None`.
    pub error: Option<String>,
}

/// The result of merging a subagent's sources into a run.
#[derive(Clone, Debug)]
pub struct SubagentReport {
    /// The run's sources, numbered.
    pub ledger: Ledger,
    /// Text of the subagent with the numbers of the run, and the number mapping.
    pub absorbed: ledger::MergedSubagent,
}

/// The final answer of an external agent.
#[derive(Clone, Debug, Default)]
pub struct ExternalResponse {
    /// All of it; none if it was streamed before.
    pub text: Option<String>,
    /// Id for the message of the answer; the run's own if `None`.
    pub message: Option<MessageId>,
    /// Name of the model that wrote the answer.
    pub model: Option<String>,
    /// Tokens and cost that the agent reports.
    pub usage: Usage,
}

impl RunService<'_> {
    /// Takes a tool's result: what it lets one cite gets numbers.
    pub async fn report_tool(self, id: RunId, call: &CompletedToolCall<'_>) -> Result<ToolReport> {
        let extracted = self.app.extractors().extract(call);
        let mut tx = self.app.store.write().await?;
        open_external(tx.runs(self.scope).get_for_update(id).await?, id)?;
        let mut ledger = ledger_of(&mut tx, self.scope, id).await?;
        let keys: Vec<_> = extracted.sources.iter().map(|source| source.id.clone()).collect();
        let new = add_sources(&mut tx, self.scope, id, &mut ledger, extracted.sources).await?;
        let numbers = numbers_of(&ledger, &keys);
        let mut parameters = call.parameters.clone();
        without_nul(&mut parameters);
        let name = replace_nul(call.tool_name);
        let request = replace_nul(call.request_id);
        let mut events = vec![
            RunEventData::ToolCalled(ToolCalled { tool_name: name.clone(), request_id: request.clone(), parameters }),
            RunEventData::ToolResult(ToolResult {
                tool_name: name,
                request_id: request,
                count: None,
                output: Some(shorten_output(call.output)),
                numbers: Some(numbers.clone()),
                warning: extracted.warning.clone(),
            }),
        ];
        events.extend(references_found(&ledger, &new));
        tx.runs(self.scope).record_events(id, events).await?;
        tx.commit().await?;
        Ok(ToolReport { ledger, numbers, warning: extracted.warning })
    }

    /// Takes what an agent under the run's own brought: its sources become the run's, its numbers are rewritten.
    pub async fn report_subagent(self, id: RunId, result: SubagentResult) -> Result<SubagentReport> {
        if result.agent.trim().is_empty() || result.agent.chars().count() > 255 {
            let detail = "the id of an agent has 1 to 255 characters";
            return Err(Problem::new(Code::InvalidField, detail).with_field("sub_agent_id").into());
        }
        let agent = replace_nul(&result.agent);
        let mut tx = self.app.store.write().await?;
        open_external(tx.runs(self.scope).get_for_update(id).await?, id)?;
        let mut ledger = ledger_of(&mut tx, self.scope, id).await?;
        let results = |ledger: &Ledger| {
            let entries = ledger.entries().iter();
            entries.map(|entry| (entry.number, 1 + entry.others.len())).collect::<Vec<_>>()
        };
        let before = results(&ledger);
        let absorbed = ledger.merge_subagent(&agent, result.sources, &replace_nul(&result.text));
        // What the ledger has now and had not before is what is to be kept.
        let mut added = Vec::new();
        let mut new = Vec::new();
        for (place, entry) in ledger.entries().iter().enumerate() {
            let known = before.get(place).map_or(0, |(_, count)| *count);
            if known == 0 {
                new.push(entry.number);
            }
            let all = std::iter::once(&entry.source).chain(&entry.others);
            added.extend(all.skip(known).map(|source| (entry.number, source.clone())));
        }
        keep_sources(&mut tx, self.scope, id, ledger.result_count() - added.len(), added).await?;
        let mut events = vec![RunEventData::SubagentSpawned(SubagentSpawned {
            subagent_id: agent.clone(),
            task_index: None,
            task_description: result.task.as_deref().map(replace_nul),
            tool_ids: None,
        })];
        match &result.error {
            Some(error) => {
                let error = replace_nul(error);
                events.push(RunEventData::SubagentFailed(SubagentFailed { subagent_id: agent, error }));
            }
            None => {
                events.extend(references_found(&ledger, &new));
                events.push(RunEventData::SubagentResult(SubagentReported {
                    subagent_id: agent,
                    text: Some(absorbed.text.clone()),
                    numbers: Some(absorbed.numbers.iter().map(|(_, ours)| *ours).collect()),
                    dangling: Some(absorbed.dangling.clone()),
                    ..SubagentReported::default()
                }));
            }
        }
        tx.runs(self.scope).record_events(id, events).await?;
        tx.commit().await?;
        Ok(SubagentReport { ledger, absorbed })
    }

    /// Takes more words of an answer; those who watch get what has no half of a marker at its end.
    pub async fn stream_response(self, id: RunId, piece: &str) -> Result<()> {
        let mut tx = self.app.store.write().await?;
        let run = open_external(tx.runs(self.scope).get_for_update(id).await?, id)?;
        let mut message = match tx.conversations(self.scope).get_message(&run.message).await? {
            Some(message) if message.run == Some(id) => message,
            _ => {
                let message = message_of(&run, tx.now());
                add_message(
                    &mut tx,
                    self.scope,
                    &ibid_domain::Message { status: MessageStatus::Streaming, ..message.clone() },
                )
                .await?;
                message
            }
        };
        let before = released_of(&message.content).len();
        message.content.push_str(&replace_nul(piece));
        checked_text(&message.content, "delta")?;
        message.status = MessageStatus::Streaming;
        message.updated_at = tx.now();
        tx.conversations(self.scope).save_message(&message).await?;
        let released = released_of(&message.content);
        if released.len() > before {
            let ledger = ledger_of(&mut tx, self.scope, id).await?;
            let delta = RunEventData::content(&released[before..], ledger.place_markers(released, before));
            tx.runs(self.scope).record_events(id, vec![delta]).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Takes the whole answer, or the end of one that was streamed: it is checked, and its citations are kept.
    pub async fn submit_response(self, id: RunId, response: ExternalResponse) -> Result<AnsweredRun> {
        let mut tx = self.app.store.write().await?;
        let mut run = open_external(tx.runs(self.scope).get_for_update(id).await?, id)?;
        let streamed = tx.conversations(self.scope).get_message(&run.message).await?;
        let streamed = streamed.filter(|message| message.run == Some(id)).map(|message| message.content);
        if let Some(message) = response.message.filter(|message| *message != run.message) {
            if streamed.is_some() {
                let detail = format!("the answer is being streamed as message '{}'", run.message);
                return Err(Problem::new(Code::InvalidField, detail).with_field("message_id").into());
            }
            if tx.conversations(self.scope).get_message(&message).await?.is_some() {
                let detail = format!("there is a message '{message}' already");
                return Err(Problem::new(Code::MessageExists, detail).with_field("message_id").into());
            }
            run.message = message;
            tx.runs(self.scope).save(&mut run).await?;
        }
        let ledger = ledger_of(&mut tx, self.scope, id).await?;
        tx.commit().await?;
        let text = match (response.text, &streamed) {
            (Some(text), Some(streamed)) if !text.starts_with(streamed.as_str()) => {
                let detail =
                    "the text does not begin with what was streamed; send only what is missing as delta, or no text";
                return Err(Problem::new(Code::InvalidField, detail).with_field("text").into());
            }
            (Some(text), _) => text,
            (None, Some(streamed)) => streamed.clone(),
            (None, None) => {
                let detail = "a response has its text, unless that was streamed before";
                return Err(Problem::new(Code::InvalidField, detail).with_field("text").into());
            }
        };
        let text = checked_text(&text, "text")?;
        let before = streamed.as_deref().map_or(0, |streamed| released_of(streamed).len());
        let unreleased = ShownText { text: text[before..].to_owned(), markers: ledger.place_markers(&text, before) };
        let (checked, read) = self.app.citations(self.scope).check_against(&text, &ledger).await?;
        let (model, usage) = (response.model.as_deref().map(replace_nul), response.usage);
        self.end_answered(
            id,
            NewAnswer { text, model, usage, unreleased, checked, rewritten: Vec::new(), read, citations: None },
        )
        .await
    }
}

/// The beginning of a text that holds no half of a marker.
fn released_of(text: &str) -> &str {
    let mut buffer = CitationBuffer::new();
    let released = buffer.feed(text).len();
    &text[..released]
}

/// Returns the run if it is external and has not ended.
fn open_external(run: Option<Run>, id: RunId) -> Result<Run> {
    let run = run.ok_or_else(|| no_run(&id.to_string()))?;
    if run.mode != RunMode::External {
        let detail = format!("run {id} is {} and carried out by the server", run.mode.as_str());
        return Err(Problem::new(Code::RunIsNotYours, detail).into());
    }
    if run.status.has_ended() {
        return Err(has_ended(&run).into());
    }
    Ok(run)
}

/// The event that says which works are new.
pub(crate) fn references_found(ledger: &Ledger, new: &[u32]) -> Option<RunEventData> {
    let reference = |number: &u32| {
        let entry = ledger.get(*number)?;
        let source = CitationSource { number: Some(entry.number), full_content: None, ..entry.source.clone() };
        let mut value = serde_json::to_value(source).ok()?;
        without_nul(&mut value);
        Some(value)
    };
    let references: Vec<_> = new.iter().filter_map(reference).collect();
    (!references.is_empty()).then_some(RunEventData::ReferencesFound(ReferencesFound { references }))
}

/// The numbers under which results are known, each once.
fn numbers_of(ledger: &Ledger, ids: &[String]) -> Vec<u32> {
    let mut places = std::collections::HashMap::new();
    for entry in ledger.entries() {
        for source in std::iter::once(&entry.source).chain(&entry.others) {
            places.entry(source.id.as_str()).or_insert(entry.number);
        }
    }
    let mut numbers: Vec<u32> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    numbers.extend(ids.iter().filter_map(|id| places.get(id.as_str())).filter(|number| seen.insert(**number)));
    numbers
}

/// A result as it is shown to those who watch: short.
fn shorten_output(output: &Json) -> String {
    let text = match output {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    replace_nul(&short)
}
