//! Runs: answers on their way, made by this library or by an agent elsewhere that tells it what it does.
//!
//! `conversations.rs` is where they answer, `external.rs` how an agent elsewhere reports its work, `completion.rs` how a run
//! comes to its end, whoever carries it out.

mod completion;
mod conversations;
mod external;

use ibid_citations::{CitationSource, Ledger};
use ibid_domain::{
    Code, Conversation, ConversationId, Message, MessageId, MessageRole, MessageStatus, Problem, Run, RunEvent,
    RunEventData, RunId, RunMode, RunStatus, Timestamp, Usage, problem::shorten_for_error, run_event::RunStarted,
};
use ibid_language::one_line_at_most;
use ibid_store::Tx;
use serde_json::Value as Json;

pub use completion::AnsweredRun;
pub(crate) use completion::{NewAnswer, message_of};
pub use conversations::{ConversationView, MessageWithCitations};
pub(crate) use external::references_found;
pub use external::{ExternalResponse, SubagentReport, SubagentResult, ToolReport};

use crate::{CheckedText, Error, Result, Scope, services::RunService};

/// The most results that the tools of one run may return.
const MOST_SOURCES: usize = 50_000;

/// The most characters of a title that is made of a question: a line of a list.
const TITLE_CHARS: usize = 80;

/// A request to start a run, by the server or an external agent.
#[derive(Clone, Debug)]
pub struct NewRun {
    /// Conversation to continue; a new one is created if `None`.
    pub conversation: Option<ConversationId>,
    /// Title of a new conversation; defaults to the start of the question.
    pub title: Option<String>,
    /// Text of the question; `None` for a run without one.
    pub question: Option<String>,
    /// Id for the message of the question; generated if `None`.
    pub question_id: Option<MessageId>,
    /// The message that the question replies to.
    pub parent: ParentMessage,
    /// Id for the message of the answer; generated if `None`.
    pub message: Option<MessageId>,
    /// Earlier messages from elsewhere, oldest first; only allowed for a new conversation.
    pub history: Vec<(MessageRole, String)>,
    /// Tells if the server or an external agent answers, and how.
    pub mode: RunMode,
}

/// The message that a question replies to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ParentMessage {
    /// The message that was said last.
    #[default]
    Last,
    /// Nothing: it begins the conversation anew, as a branch beside what began it.
    Nothing,
    /// A given message of the conversation.
    Message(MessageId),
}

impl NewRun {
    /// A run of an agent elsewhere, in a conversation of its own.
    pub fn external() -> Self {
        Self {
            conversation: None,
            title: None,
            question: None,
            question_id: None,
            parent: ParentMessage::Last,
            message: None,
            history: Vec::new(),
            mode: RunMode::External,
        }
    }
}

impl RunService<'_> {
    /// Begins a run: the conversation, the question and the run are kept at once.
    pub async fn open(self, new: NewRun) -> Result<Run> {
        self.begin_run(new, None).await
    }

    /// Begins a run that this server carries out, if it says until when it is known to be alive.
    pub(crate) async fn begin_run(self, new: NewRun, alive_until: Option<Timestamp>) -> Result<Run> {
        let question = new.question.map(|text| checked_text(&text, "question")).transpose()?;
        let mut tx = self.app.store.write().await?;
        let now = tx.now();
        let mut conversation = match new.conversation {
            Some(id) => tx
                .conversations(self.scope)
                .get_for_update(id)
                .await?
                .ok_or_else(|| no_conversation(&id.to_string()))?,
            None => {
                let title = match new.title {
                    Some(title) => Some(Conversation::checked_title(&title)?),
                    None => question.as_deref().and_then(conversation_title),
                };
                let new = Conversation {
                    id: ConversationId::new(),
                    title,
                    created_by: self.scope.user(),
                    created_at: now,
                    updated_at: now,
                };
                tx.conversations(self.scope).add(&new).await?;
                new
            }
        };
        let mut last = None;
        for (role, content) in new.history.into_iter().filter(|_| new.conversation.is_none()) {
            let message = new_message(conversation.id, last, role, checked_text(&content, "messages")?, now);
            add_message(&mut tx, self.scope, &message).await?;
            last = Some(message.id);
        }
        let parent = match new.parent {
            ParentMessage::Message(id) => {
                let parent = tx.conversations(self.scope).get_message(&id).await?;
                let here = parent.filter(|parent| parent.conversation == conversation.id);
                Some(here.ok_or_else(|| no_message(id.as_str()).with_field("parent_message_id"))?.id)
            }
            ParentMessage::Last => {
                tx.conversations(self.scope).last_message(conversation.id).await?.map(|last| last.id)
            }
            ParentMessage::Nothing => None,
        };
        let id = RunId::new();
        let question = match question {
            Some(content) => {
                let mut message = new_message(conversation.id, parent, MessageRole::User, content, now);
                message.run = Some(id);
                message.id = new.question_id.unwrap_or(message.id);
                add_message(&mut tx, self.scope, &message).await?;
                if conversation.title.is_none() {
                    conversation.title = conversation_title(&message.content);
                }
                Some(message.id)
            }
            None => parent,
        };
        conversation.updated_at = now;
        tx.conversations(self.scope).save(&conversation).await?;
        let run = Run {
            id,
            conversation: conversation.id,
            question,
            message: new.message.unwrap_or_else(MessageId::new),
            mode: new.mode,
            status: RunStatus::Running,
            error: None,
            usage: Usage::default(),
            last_seq: 1,
            is_cancelled: false,
            created_at: now,
            updated_at: now,
            finished_at: None,
        };
        tx.runs(self.scope).add(&run, alive_until).await?;
        let started = RunEventData::RunStarted(RunStarted {
            run_id: run.id,
            conversation_id: run.conversation,
            question_id: run.question.as_ref().map(MessageId::to_string),
            message_id: run.message.to_string(),
            mode: run.mode,
        });
        tx.runs(self.scope).record_events(run.id, vec![started]).await?;
        tx.commit().await?;
        metrics::counter!("ibid_runs_started_total", "mode" => run.mode.as_str()).increment(1);
        Ok(run)
    }

    /// Returns a run, or a not-found problem.
    pub async fn get(self, id: RunId) -> Result<Run> {
        let run = self.app.store.read().await?.runs(self.scope).get(id).await?;
        run.ok_or_else(|| no_run(&id.to_string()).into())
    }

    /// Returns a batch of the events of a run after a sequence number, oldest first.
    pub async fn events(self, id: RunId, after: u64) -> Result<Vec<RunEvent>> {
        Ok(self.app.store.read().await?.runs(self.scope).list_events(id, after, 500).await?)
    }

    /// The number of the event that ended a run, if one did.
    pub async fn wait_for_end(self, id: RunId) -> Result<Option<u64>> {
        Ok(self.app.store.read().await?.runs(self.scope).end_of(id).await?)
    }

    /// The sources of a run, numbered.
    pub async fn ledger(self, id: RunId) -> Result<Ledger> {
        let mut tx = self.app.store.read().await?;
        tx.runs(self.scope).get(id).await?.ok_or_else(|| no_run(&id.to_string()))?;
        ledger_of(&mut tx, self.scope, id).await
    }

    /// Checks a text, or else the answer of a run, against the run's sources.
    pub async fn check(self, id: RunId, text: Option<&str>) -> Result<CheckedText> {
        let run = self.get(id).await?;
        let ledger = self.ledger(id).await?;
        let text = match text {
            Some(text) => text.to_owned(),
            None => self.app.conversations(self.scope).message(&run.message).await?.message.content,
        };
        Ok(self.app.citations(self.scope).check_against(&text, &ledger).await?.0)
    }

    /// Checks the claims of a stored message against its sources again.
    pub async fn check_message(self, id: &MessageId) -> Result<CheckedText> {
        let message = self.app.conversations(self.scope).message(id).await?.message;
        let ledger = match message.run {
            Some(run) => self.ledger(run).await?,
            None => Ledger::default(),
        };
        Ok(self.app.citations(self.scope).check_against(&message.content, &ledger).await?.0)
    }

    /// Asks a run to stop. One that an agent elsewhere carries out ends at once; one of this library's as soon as the
    /// server that carries it out hears of it.
    pub async fn cancel(self, id: RunId) -> Result<Run> {
        let mut tx = self.app.store.write().await?;
        let mut run = tx.runs(self.scope).get_for_update(id).await?.ok_or_else(|| no_run(&id.to_string()))?;
        if run.status.has_ended() {
            return Err(has_ended(&run).into());
        }
        run.is_cancelled = true;
        tx.runs(self.scope).save(&mut run).await?;
        tx.commit().await?;
        self.app.live.stop_run(id);
        if run.mode == RunMode::External {
            self.end_unanswered(id, RunStatus::Cancelled, "it was cancelled").await?;
        }
        self.get(id).await
    }
}

/// The sources of a run, numbered as they were when they came.
pub(crate) async fn ledger_of(tx: &mut Tx, scope: &Scope, id: RunId) -> Result<Ledger> {
    let mut ledger = Ledger::default();
    for (number, source) in tx.runs(scope).list_sources(id).await? {
        let source: CitationSource =
            serde_json::from_value(source).map_err(|error| Error::corrupt("source of a run", error))?;
        ledger.add(CitationSource { number: Some(number), ..source });
    }
    Ok(ledger)
}

/// Adds results to the sources of a run, which the caller holds, and gives the works that are new.
pub(crate) async fn add_sources(
    tx: &mut Tx,
    scope: &Scope,
    id: RunId,
    ledger: &mut Ledger,
    sources: Vec<CitationSource>,
) -> Result<Vec<u32>> {
    let (known, works) = (ledger.result_count(), ledger.entries().len());
    let results = sources.into_iter().map(|source| (ledger.add(source.clone()), source)).collect();
    keep_sources(tx, scope, id, known, results).await?;
    Ok(ledger.entries()[works..].iter().map(|entry| entry.number).collect())
}

/// Keeps results of a run that has so many already, each with the number of its work.
pub(crate) async fn keep_sources(
    tx: &mut Tx,
    scope: &Scope,
    id: RunId,
    known: usize,
    results: Vec<(u32, CitationSource)>,
) -> Result<()> {
    if known + results.len() > MOST_SOURCES {
        let detail = format!("the run has {known} sources; {MOST_SOURCES} is the most");
        return Err(Problem::new(Code::InvalidField, detail).with_field("output").into());
    }
    let mut rows = Vec::with_capacity(results.len());
    for (number, source) in results {
        let mut row = serde_json::to_value(&source).map_err(Error::internal("write a source of a run"))?;
        without_nul(&mut row);
        rows.push((number, row));
    }
    Ok(tx.runs(scope).add_sources(id, &rows).await?)
}

/// Creates a complete message with a new id.
fn new_message(
    conversation: ConversationId,
    parent: Option<MessageId>,
    role: MessageRole,
    content: String,
    now: Timestamp,
) -> Message {
    Message {
        id: MessageId::new(),
        conversation,
        parent,
        role,
        content,
        status: MessageStatus::Complete,
        run: None,
        model: None,
        usage: Usage::default(),
        dangling: Vec::new(),
        rewritten: Vec::new(),
        async_job: None,
        has_async_sources: false,
        created_at: now,
        updated_at: now,
    }
}

/// The title of a conversation that begins with these words; `None` if there are none.
fn conversation_title(question: &str) -> Option<String> {
    let title = one_line_at_most(question, TITLE_CHARS);
    (!title.is_empty()).then_some(title)
}

/// Keeps a message whose id is its own.
pub(crate) async fn add_message(tx: &mut Tx, scope: &Scope, message: &Message) -> Result<()> {
    if !tx.conversations(scope).add_message(message).await? {
        let detail = format!("there is a message '{}' already", shorten_for_error(message.id.as_str()));
        return Err(Problem::new(Code::MessageExists, detail).with_field("message_id").into());
    }
    Ok(())
}

/// The words of a message: some, not too many, and none that a database cannot keep.
pub(crate) fn checked_text(text: &str, field: &'static str) -> Result<String, Problem> {
    if text.trim().is_empty() {
        return Err(Problem::new(Code::InvalidField, format!("{field} has no words")).with_field(field));
    }
    if text.len() > Message::LARGEST {
        let detail = format!("{field} has {} bytes; a message has at most {}", text.len(), Message::LARGEST);
        return Err(Problem::new(Code::InvalidField, detail).with_field(field));
    }
    Ok(replace_nul(text))
}

/// A text as databases keep it: PostgreSQL has no character of the number 0.
pub(crate) fn replace_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// The same for every text in a value.
pub(crate) fn without_nul(value: &mut Json) {
    match value {
        Json::String(text) if text.contains('\0') => *text = replace_nul(text),
        Json::Array(items) => items.iter_mut().for_each(without_nul),
        Json::Object(fields) => {
            if fields.keys().any(|name| name.contains('\0')) {
                let old = std::mem::take(fields);
                fields.extend(old.into_iter().map(|(name, value)| (replace_nul(&name), value)));
            }
            fields.values_mut().for_each(without_nul);
        }
        _ => {}
    }
}

pub(crate) fn no_conversation(id: &str) -> Problem {
    Problem::new(Code::ConversationNotFound, format!("there is no conversation '{}'", shorten_for_error(id)))
}

pub(crate) fn no_message(id: &str) -> Problem {
    Problem::new(Code::MessageNotFound, format!("there is no message '{}'", shorten_for_error(id)))
}

pub(crate) fn no_run(id: &str) -> Problem {
    Problem::new(Code::RunNotFound, format!("there is no run '{}'", shorten_for_error(id)))
}

pub(crate) fn has_ended(run: &Run) -> Problem {
    Problem::new(Code::RunHasEnded, format!("run {} is {}", run.id, run.status.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_beginning_of_the_question() {
        assert_eq!(conversation_title("  What\n is  it? ").unwrap(), "What is it?");
        let long = conversation_title(&"word ".repeat(40)).unwrap();
        assert!(long.ends_with("word…") && long.chars().count() <= 81);
        assert_eq!(conversation_title(" \n"), None);
    }
}
