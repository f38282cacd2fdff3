//! Runs of agents elsewhere: they report what their tools returned and what they answer, and get numbers, prompts and
//! kept citations back.

use ibid_citations::{CitationBuffer, CitationSource, Ledger, ToolCall, ledger};
use ibid_domain::{Code, MessageId, MessageStatus, Problem, Run, RunEventKind, RunId, RunMode, Usage};
use serde_json::{Value as Json, json};

use super::{
    Answered, add_message, add_sources, checked_text,
    ended::{Answer, message_of},
    has_ended, keep_sources, kept_text, ledger_of, no_run, without_nul,
};
use crate::{App, Result, Scope};

/// The longest result of a tool that is shown to those who watch, in characters.
const SHOWN: usize = 2000;

/// What came of a tool's result.
#[derive(Clone, Debug)]
pub struct ToolReport {
    /// The run's sources, numbered.
    pub ledger: Ledger,
    /// The numbers of what this result had, in its order.
    pub numbers: Vec<u32>,
    /// Why it had nothing, where it could have.
    pub warning: Option<String>,
}

/// What an agent under the run's own brought.
#[derive(Clone, Debug, Default)]
pub struct SubagentResult {
    /// Its id.
    pub agent: String,
    /// What it was to do.
    pub task: Option<String>,
    /// What it wrote, with its own numbers.
    pub text: String,
    /// Its sources, numbered as its text does.
    pub sources: Vec<CitationSource>,
    /// Why it gave up, if it did.
    pub error: Option<String>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Absorbed {
    /// The run's sources, numbered.
    pub ledger: Ledger,
    /// What the agent wrote, with the run's numbers.
    pub absorbed: ledger::Absorbed,
}

/// What an agent answers.
#[derive(Clone, Debug, Default)]
pub struct Response {
    /// All of it; none if it was streamed before.
    pub text: Option<String>,
    /// What the message is called.
    pub message: Option<MessageId>,
    /// What wrote it.
    pub model: Option<String>,
    /// What that took.
    pub usage: Usage,
}

impl App {
    /// Takes a tool's result: what it lets one cite gets numbers.
    pub async fn report_tool(&self, scope: &Scope, id: RunId, call: &ToolCall<'_>) -> Result<ToolReport> {
        let extracted = self.extractors().extract(call);
        let mut tx = self.store.write().await?;
        open_external(tx.runs(scope).hold(id).await?, id)?;
        let mut ledger = ledger_of(&mut tx, scope, id).await?;
        let keys: Vec<_> = extracted.sources.iter().map(|source| source.id.clone()).collect();
        let new = add_sources(&mut tx, scope, id, &mut ledger, extracted.sources).await?;
        let numbers = numbers_of(&ledger, &keys);
        let mut parameters = call.parameters.clone();
        without_nul(&mut parameters);
        let name = kept_text(call.tool_name);
        let request = kept_text(call.request_id);
        let mut events = vec![
            (RunEventKind::ToolCalled, json!({ "tool_name": name, "request_id": request, "parameters": parameters })),
            (
                RunEventKind::ToolResult,
                json!({
                    "tool_name": name,
                    "request_id": request,
                    "output": shown(call.output),
                    "numbers": numbers,
                    "warning": extracted.warning,
                }),
            ),
        ];
        events.extend(found(&ledger, &new));
        tx.runs(scope).record(id, events).await?;
        tx.commit().await?;
        Ok(ToolReport { ledger, numbers, warning: extracted.warning })
    }

    /// Takes what an agent under the run's own brought: its sources become the run's, its numbers are rewritten.
    pub async fn report_subagent(&self, scope: &Scope, id: RunId, result: SubagentResult) -> Result<Absorbed> {
        if result.agent.trim().is_empty() || result.agent.chars().count() > 255 {
            let detail = "the id of an agent has 1 to 255 characters";
            return Err(Problem::new(Code::InvalidField, detail).field("sub_agent_id").into());
        }
        let agent = kept_text(&result.agent);
        let mut tx = self.store.write().await?;
        open_external(tx.runs(scope).hold(id).await?, id)?;
        let mut ledger = ledger_of(&mut tx, scope, id).await?;
        let results = |ledger: &Ledger| {
            let entries = ledger.entries().iter();
            entries.map(|entry| (entry.number, 1 + entry.others.len())).collect::<Vec<_>>()
        };
        let before = results(&ledger);
        let absorbed = ledger.absorb(&agent, result.sources, &kept_text(&result.text));
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
        keep_sources(&mut tx, scope, id, ledger.results() - added.len(), added).await?;
        let mut events = vec![(
            RunEventKind::SubagentSpawned,
            json!({ "subagent_id": agent, "task_description": result.task.as_deref().map(kept_text) }),
        )];
        match &result.error {
            Some(error) => {
                events.push((RunEventKind::SubagentFailed, json!({ "subagent_id": agent, "error": kept_text(error) })))
            }
            None => {
                events.extend(found(&ledger, &new));
                events.push((
                    RunEventKind::SubagentResult,
                    json!({
                        "subagent_id": agent,
                        "text": absorbed.text,
                        "numbers": absorbed.numbers.iter().map(|(_, ours)| ours).collect::<Vec<_>>(),
                        "dangling": absorbed.dangling,
                    }),
                ));
            }
        }
        tx.runs(scope).record(id, events).await?;
        tx.commit().await?;
        Ok(Absorbed { ledger, absorbed })
    }

    /// Takes more words of an answer; those who watch get what has no half of a marker at its end.
    pub async fn stream_response(&self, scope: &Scope, id: RunId, piece: &str) -> Result<()> {
        let mut tx = self.store.write().await?;
        let run = open_external(tx.runs(scope).hold(id).await?, id)?;
        let mut message = match tx.conversations(scope).message(&run.message).await? {
            Some(message) if message.run == Some(id) => message,
            _ => {
                let message = message_of(&run, tx.now());
                add_message(
                    &mut tx,
                    scope,
                    &ibid_domain::Message { status: MessageStatus::Streaming, ..message.clone() },
                )
                .await?;
                message
            }
        };
        let before = released_of(&message.content).len();
        message.content.push_str(&kept_text(piece));
        checked_text(&message.content, "delta")?;
        message.status = MessageStatus::Streaming;
        message.updated_at = tx.now();
        tx.conversations(scope).save_message(&message).await?;
        let released = released_of(&message.content);
        if released.len() > before {
            let delta = json!({ "text": released[before..] });
            tx.runs(scope).record(id, vec![(RunEventKind::ContentDelta, delta)]).await?;
        }
        tx.commit().await
    }

    /// Takes the whole answer, or the end of one that was streamed: it is checked, and its citations are kept.
    pub async fn respond(&self, scope: &Scope, id: RunId, response: Response) -> Result<Answered> {
        let mut tx = self.store.write().await?;
        let mut run = open_external(tx.runs(scope).hold(id).await?, id)?;
        let streamed = tx.conversations(scope).message(&run.message).await?;
        let streamed = streamed.filter(|message| message.run == Some(id)).map(|message| message.content);
        if let Some(message) = response.message.filter(|message| *message != run.message) {
            if streamed.is_some() {
                let detail = format!("the answer is being streamed as message '{}'", run.message);
                return Err(Problem::new(Code::InvalidField, detail).field("message_id").into());
            }
            if tx.conversations(scope).message(&message).await?.is_some() {
                let detail = format!("there is a message '{message}' already");
                return Err(Problem::new(Code::MessageExists, detail).field("message_id").into());
            }
            run.message = message;
            tx.runs(scope).save(&mut run).await?;
        }
        let ledger = ledger_of(&mut tx, scope, id).await?;
        tx.commit().await?;
        let text = match (response.text, &streamed) {
            (Some(text), Some(streamed)) if !text.starts_with(streamed.as_str()) => {
                let detail =
                    "the text does not begin with what was streamed; send only what is missing as delta, or no text";
                return Err(Problem::new(Code::InvalidField, detail).field("text").into());
            }
            (Some(text), _) => text,
            (None, Some(streamed)) => streamed.clone(),
            (None, None) => {
                let detail = "a response has its text, unless that was streamed before";
                return Err(Problem::new(Code::InvalidField, detail).field("text").into());
            }
        };
        let text = checked_text(&text, "text")?;
        let unreleased = text[streamed.as_deref().map_or(0, |streamed| released_of(streamed).len())..].to_owned();
        let (checked, read) = self.check_against(scope, &text, &ledger).await?;
        let (model, usage) = (response.model.as_deref().map(kept_text), response.usage);
        self.end_answered(scope, id, Answer { text, model, usage, unreleased, checked, read, citations: None }).await
    }
}

/// The beginning of a text that holds no half of a marker.
fn released_of(text: &str) -> &str {
    let mut buffer = CitationBuffer::new();
    let released = buffer.feed(text).len();
    &text[..released]
}

/// A run that takes reports.
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
pub(crate) fn found(ledger: &Ledger, new: &[u32]) -> Option<(RunEventKind, Json)> {
    let reference = |number: &u32| {
        let entry = ledger.get(*number)?;
        let source = CitationSource { number: Some(entry.number), full_content: None, ..entry.source.clone() };
        let mut value = serde_json::to_value(source).ok()?;
        without_nul(&mut value);
        Some(value)
    };
    let references: Vec<_> = new.iter().filter_map(reference).collect();
    (!references.is_empty()).then(|| (RunEventKind::ReferencesFound, json!({ "references": references })))
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
fn shown(output: &Json) -> String {
    let text = match output {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    kept_text(&short)
}
