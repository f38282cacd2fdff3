//! How a run comes to its end: the answer, its citations and the last events are kept at once.

use ibid_citations::cited_stream::ShownText;
use ibid_domain::{
    Citation, Conversation, Message, MessageRole, MessageStatus, Run, RunEventData, RunId, RunStatus, Usage,
    citation::cited_files,
    conversation::RewrittenClaim,
    run_event::{CitationSummary, CitationsCreated, RunCompleted, RunFailed},
};
use ibid_store::Tx;

use super::{conversations::released_text, has_ended, no_run};
use crate::{
    CheckedText, Result, Scope,
    answers::notes::NotesJob,
    background_jobs::BackgroundJob,
    citations::{CitedContents, keep_citations},
    services::RunService,
};

/// An answer with everything that is known of its evidence.
#[derive(Clone, Debug)]
pub struct AnsweredRun {
    /// The run, completed by this answer.
    pub run: Run,
    /// The message with the answer.
    pub message: Message,
    /// Citations of the answer, in the order of its markers.
    pub citations: Vec<Citation>,
    /// The result of checking the answer's claims.
    pub checked: CheckedText,
}

/// The words of an answer, and what made them.
pub(crate) struct NewAnswer {
    pub text: String,
    pub model: Option<String>,
    pub usage: Usage,
    /// Text of the answer that was not streamed to clients yet.
    pub unreleased: ShownText,
    pub checked: CheckedText,
    /// What was rewritten after a first check.
    pub rewritten: Vec<RewrittenClaim>,
    pub read: CitedContents,
    /// Citations whose words are known already; else they come from `checked`.
    pub citations: Option<Vec<Citation>>,
}

impl RunService<'_> {
    /// Ends a run with its answer.
    pub(crate) async fn end_answered(self, id: RunId, answer: NewAnswer) -> Result<AnsweredRun> {
        let run = self.get(id).await?;
        let mut message = message_of(&run, self.app.store.clock().now());
        message.content = answer.text;
        message.model = answer.model;
        message.usage = answer.usage;
        message.rewritten = answer.rewritten;
        let dangling = answer.checked.dangling.iter().map(|number| format!("[{number}]"));
        message.dangling = dangling.chain(answer.checked.dangling_ids.iter().cloned()).collect();
        let mut citations = match answer.citations {
            Some(citations) => citations,
            None => {
                let ledger = self.ledger(id).await?;
                self.app.citations(self.scope).citations_of(&message, &ledger, &answer.checked, &answer.read).await?
            }
        };
        let mut tx = self.app.store.write().await?;
        let mut run = tx.runs(self.scope).get_for_update(id).await?.ok_or_else(|| no_run(&id.to_string()))?;
        if run.status.has_ended() {
            return Err(has_ended(&run).into());
        }
        if citations.iter().any(|citation| citation.source.is_some()) {
            let job = tx
                .jobs(self.scope)
                .enqueue(NotesJob { message_id: message.id.as_str().to_owned() }.to_new_job())
                .await?;
            message.async_job = Some(job.id);
            message.has_async_sources = true;
        }
        keep_message(&mut tx, self.scope, &mut message).await?;
        keep_citations(&mut tx, self.scope, &mut citations).await?;
        run.usage = run.usage.combine_with(answer.usage);
        let mut events = Vec::new();
        if !answer.unreleased.text.is_empty() {
            events.push(RunEventData::content(answer.unreleased.text, answer.unreleased.markers));
        }
        let files = cited_files(&citations);
        events.push(RunEventData::CitationsCreated(CitationsCreated {
            message_id: message.id.to_string(),
            count: citations.len(),
            citations: citations.iter().map(summarize_citation).collect(),
            dangling: message.dangling.clone(),
        }));
        if run.usage != Usage::default() {
            events.push(RunEventData::Usage(run.usage));
        }
        events.push(RunEventData::RunCompleted(RunCompleted {
            run_id: run.id,
            message_id: message.id.to_string(),
            conversation_id: run.conversation,
            cited_files: files,
            has_async_entities_in_progress: message.has_async_sources,
        }));
        let written = tx.runs(self.scope).record_events(id, events).await?;
        run.last_seq = written.last().map_or(run.last_seq, |last| last.seq);
        run.status = RunStatus::Completed;
        tx.runs(self.scope).save(&mut run).await?;
        touch_conversation(&mut tx, self.scope, &run).await?;
        tx.commit().await?;
        metrics::counter!("ibid_runs_ended_total", "status" => run.status.as_str()).increment(1);
        Ok(AnsweredRun { run, message, citations, checked: answer.checked })
    }

    /// Ends a run that has no answer, or not all of it. What there is of one is kept.
    pub(crate) async fn end_unanswered(self, id: RunId, status: RunStatus, why: &str) -> Result<()> {
        let mut tx = self.app.store.write().await?;
        let Some(mut run) = tx.runs(self.scope).get_for_update(id).await?.filter(|run| !run.status.has_ended()) else {
            return Ok(());
        };
        let mut message = message_of(&run, tx.now());
        message.content = released_text(&mut tx, self.scope, id).await?;
        message.status = match status {
            RunStatus::Cancelled => MessageStatus::Cancelled,
            _ => MessageStatus::Failed,
        };
        keep_message(&mut tx, self.scope, &mut message).await?;
        run.error = Some(why.to_owned());
        let failed = RunEventData::RunFailed(RunFailed {
            run_id: run.id,
            message_id: message.id.to_string(),
            conversation_id: run.conversation,
            error: why.to_owned(),
            status,
        });
        let written = tx.runs(self.scope).record_events(id, vec![failed]).await?;
        run.last_seq = written.last().map_or(run.last_seq, |last| last.seq);
        run.status = status;
        tx.runs(self.scope).save(&mut run).await?;
        touch_conversation(&mut tx, self.scope, &run).await?;
        tx.commit().await?;
        metrics::counter!("ibid_runs_ended_total", "status" => run.status.as_str()).increment(1);
        Ok(())
    }
}

/// The answer of a run, before it has any words.
pub(crate) fn message_of(run: &Run, now: ibid_domain::Timestamp) -> Message {
    let (conversation, parent) = (run.conversation, run.question.clone());
    let message = super::new_message(conversation, parent, MessageRole::Assistant, String::new(), now);
    Message { id: run.message.clone(), run: Some(run.id), ..message }
}

/// Keeps the answer of a run, which may have been kept while it was being written.
async fn keep_message(tx: &mut Tx, scope: &Scope, message: &mut Message) -> Result<()> {
    match tx.conversations(scope).get_message(&message.id).await? {
        Some(known) if known.run == message.run && known.role == message.role => {
            message.created_at = known.created_at;
            message.updated_at = tx.now();
            Ok(tx.conversations(scope).save_message(message).await?)
        }
        _ => super::add_message(tx, scope, message).await,
    }
}

/// Something was said in a conversation.
async fn touch_conversation(tx: &mut Tx, scope: &Scope, run: &Run) -> Result<()> {
    if let Some(conversation) = tx.conversations(scope).get(run.conversation).await? {
        let updated_at = tx.now();
        tx.conversations(scope).save(&Conversation { updated_at, ..conversation }).await?;
    }
    Ok(())
}

/// A citation in a few words, for those who watch a run.
fn summarize_citation(citation: &Citation) -> CitationSummary {
    CitationSummary {
        id: citation.id,
        number: citation.number,
        start_index: citation.marker.start,
        end_index: citation.marker.end,
        source_id: citation.source,
        title: citation.snapshot.title.clone(),
        quote: citation.quote.clone(),
        verdict: citation.verdict,
        score: citation.score,
    }
}
