//! Answers that this library gives itself: a question in, a run that is carried out here, its events on the way.
//!
//! `extractive.rs` answers with the library's own words, `generated.rs` with a language model's, `research.rs` after
//! several searches; `overview/` answers greetings and requests for an overview. `retrieval.rs` is what they go by,
//! `streamed_checks.rs` checks a model's words on their way and `revision.rs` has it rewrite what is wrong,
//! `run_recorder.rs` writes down what happens, `notes.rs` comes after.

mod extractive;
mod generated;
pub(crate) mod notes;
mod overview;
mod research;
mod retrieval;
mod revision;
pub(crate) mod run_recorder;
mod streamed_checks;
mod wording;

pub(crate) use self::wording::refusal_words;

use ibid_domain::run_event::PhaseChange;
use ibid_domain::{
    Code, ConversationId, MessageId, MessageRole, MessageStatus, Problem, Run, RunEventData, RunMode, RunPhase,
    RunStatus, SearchFilter,
};

use self::run_recorder::{ALIVE, RunHandle};
use crate::{
    App, Error, Result,
    runs::{NewRun, ParentMessage, message_of},
    services::RunService,
};

/// A question to be answered from the library.
#[derive(Clone, Debug)]
pub struct AskRequest {
    /// The conversation to continue; a new one is created if this is `None`.
    pub conversation: Option<ConversationId>,
    /// Text of the question, as the user typed it.
    pub content: String,
    /// Id for the message of the question; generated if `None`.
    pub question_id: Option<MessageId>,
    /// The message that the question replies to.
    pub parent: ParentMessage,
    /// Answer mode; defaults to generated if a language model is configured, else extractive.
    pub mode: Option<RunMode>,
    /// True if the model is to rewrite once what its sources do not support; the configured default if `None`.
    pub revise: Option<bool>,
    /// Restricts the passages that are searched.
    pub filter: SearchFilter,
    /// Earlier messages from elsewhere, oldest first; only allowed for a new conversation.
    pub history: Vec<(MessageRole, String)>,
}

impl AskRequest {
    /// A question in a conversation of its own.
    pub fn new(content: impl Into<String>) -> Self {
        Self {
            conversation: None,
            content: content.into(),
            question_id: None,
            parent: ParentMessage::Last,
            mode: None,
            revise: None,
            filter: SearchFilter::default(),
            history: Vec::new(),
        }
    }
}

impl RunService<'_> {
    /// Takes a question and begins to answer it. The answer goes on when the one who asked is gone.
    pub async fn ask(self, ask: AskRequest) -> Result<Run> {
        let mode = ask.mode.unwrap_or_else(|| self.app.usual_mode());
        match mode {
            RunMode::External => {
                let detail = "a run of an agent elsewhere is opened with POST /api/v1/runs";
                return Err(Problem::new(Code::InvalidField, detail).with_field("mode").into());
            }
            RunMode::Generated if self.app.tools().chat.is_none() => {
                let detail = "no language model is configured: set chat and chat_model, or ask with mode extractive";
                return Err(Problem::new(Code::ModelNotConfigured, detail).with_field("mode").into());
            }
            _ => {}
        }
        let alive_until = self.app.store.clock().now().later_by(ALIVE);
        let new = NewRun {
            conversation: ask.conversation,
            question: Some(ask.content.clone()),
            question_id: ask.question_id.clone(),
            parent: ask.parent.clone(),
            history: ask.history.clone(),
            mode,
            ..NewRun::external()
        };
        let run = self.begin_run(new, Some(alive_until)).await?;
        let live = self.app.live.register_run(&self.app.store, self.scope, run.id);
        let (app, begun) = (self.app.clone(), run.clone());
        tokio::spawn(async move { app.carry_out(live, begun, ask).await });
        Ok(run)
    }
}

impl App {
    /// Returns the answer mode used if a request names none.
    pub fn usual_mode(&self) -> RunMode {
        if self.tools().chat.is_some() { RunMode::Generated } else { RunMode::Extractive }
    }

    async fn carry_out(self, live: RunHandle, run: Run, ask: AskRequest) {
        let answering = async {
            if Box::pin(self.answer_overview(&live, &run, &ask)).await? {
                return Ok(());
            }
            match run.mode {
                RunMode::Generated => self.answer_generated(&live, &run, &ask).await,
                RunMode::Research => self.answer_research(&live, &run, &ask).await,
                _ => self.answer_extractive(&live, &run, &ask).await,
            }
        };
        let outcome = tokio::select! {
            biased;
            () = live.stop.cancelled() => None,
            outcome = answering => Some(outcome),
        };
        let (status, why) = match outcome {
            Some(Ok(())) => return,
            Some(Err(Error::Problem(problem))) => (RunStatus::Failed, problem.detail),
            Some(Err(error)) => {
                tracing::error!(run = %run.id, %error, "a run failed inside the server");
                (RunStatus::Failed, "something went wrong inside the server; the log has the cause".to_owned())
            }
            None => match self.runs(&live.scope).get(run.id).await {
                Ok(run) if run.is_cancelled => (RunStatus::Cancelled, "it was cancelled".to_owned()),
                _ => (RunStatus::Failed, "the server was stopped".to_owned()),
            },
        };
        live.flush().await;
        if let Err(error) = self.runs(&live.scope).end_unanswered(run.id, status, &why).await {
            tracing::error!(run = %run.id, %error, "a run could not be ended");
        }
    }

    /// Ends runs whose server is gone. What there was of their answers is kept.
    pub async fn end_abandoned_runs(&self) -> Result<u64> {
        let mut ended = 0;
        for scope in self.every_tenant().await? {
            let abandoned = self.store.read().await?.runs(&scope).list_abandoned().await?;
            for id in abandoned {
                self.runs(&scope).end_unanswered(id, RunStatus::Failed, "the server stopped while it answered").await?;
                ended += 1;
            }
        }
        Ok(ended)
    }

    /// Ends the runs of this server, which is about to stop.
    pub async fn stop_answering(&self, patience: std::time::Duration) {
        self.live.stop_all(patience).await;
    }

    /// Keeps the answer as a message before it has any words, so that it is there to be seen.
    async fn begin_message(&self, live: &RunHandle, run: &Run, model: &str) -> Result<()> {
        let mut tx = self.store.write().await?;
        let mut message = message_of(run, tx.now());
        message.status = MessageStatus::Streaming;
        message.model = Some(model.to_owned());
        crate::runs::add_message(&mut tx, &live.scope, &message).await?;
        Ok(tx.commit().await?)
    }
}

/// A part of the work begins, or is done.
fn begin_phase(live: &RunHandle, phase: RunPhase) {
    live.record(RunEventData::PhaseStarted(PhaseChange { phase }));
}

fn end_phase(live: &RunHandle, phase: RunPhase) {
    live.record(RunEventData::PhaseCompleted(PhaseChange { phase }));
}
