//! Who reads a text for what it tells: rules that need nothing, or a language model.

use std::sync::Arc;

use futures::future::BoxFuture;
use ibid_domain::{Mark, PartialDate};
use ibid_knowledge::{
    Findings, Reading,
    extract::{self, extract},
    prompts::{self, Fault},
};
use ibid_models::{ChatError, ChatMessage, ChatModel, ChatRequest, complete_object};
use serde_json::Value as Json;

/// A text to be read.
#[derive(Clone, Debug, Default)]
pub struct ToRead {
    /// What it says.
    pub text: String,
    /// What it is called.
    pub title: Option<String>,
    /// When it was written.
    pub date: Option<PartialDate>,
    /// Its language.
    pub language: Option<String>,
    /// Its named parts.
    pub marks: Vec<Mark>,
}

impl ToRead {
    fn reading(&self) -> Reading<'_> {
        Reading {
            text: &self.text,
            title: self.title.as_deref(),
            date: self.date,
            language: self.language.as_deref(),
            marks: &self.marks,
        }
    }
}

/// What was read.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// What the text tells.
    pub findings: Findings,
    /// How many quotes were dropped because they do not stand in the text.
    pub dropped: u64,
}

/// Why nothing was read.
#[derive(Debug)]
pub enum ExtractorError {
    /// Trying again later may help.
    Later(ChatError),
    /// It answered, and what it answered cannot be used: why.
    Rejected(String),
}

/// Reads a text for what it tells.
pub trait Extractor: Send + Sync {
    /// Its name and version. What another one read is read anew.
    fn name(&self) -> String;

    /// Reads a text.
    fn extract(&self, text: Arc<ToRead>) -> BoxFuture<'_, Result<Told, ExtractorError>>;
}

/// Reads by rules.
pub struct RulesExtractor;

impl Extractor for RulesExtractor {
    fn name(&self) -> String {
        extract::RULES.to_owned()
    }

    fn extract(&self, text: Arc<ToRead>) -> BoxFuture<'_, Result<Told, ExtractorError>> {
        Box::pin(async move {
            let findings = tokio::task::spawn_blocking(move || extract(&text.reading())).await;
            findings
                .map(|findings| Told { findings, dropped: 0 })
                .map_err(|error| ExtractorError::Rejected(format!("the rules failed: {error}")))
        })
    }
}

/// Asks a language model, part by part, and believes what it can find in the text.
pub struct ModelExtractor {
    /// Who is asked.
    pub model: Arc<dyn ChatModel>,
}

impl Extractor for ModelExtractor {
    fn name(&self) -> String {
        format!("{}+{}", prompts::VERSION, self.model.name())
    }

    fn extract(&self, text: Arc<ToRead>) -> BoxFuture<'_, Result<Told, ExtractorError>> {
        Box::pin(async move {
            let reading = text.reading();
            let mut gathered = prompts::Gathered::default();
            for window in prompts::windows(reading.text) {
                let question = prompts::ask_part(&reading, window);
                let read = |answer: &str| gathered.clone().take(&reading, window, answer);
                gathered = self.ask(question, prompts::part_schema(), read).await?;
            }
            if gathered.needs_joining() {
                let question = gathered.ask_joining();
                let read = |answer: &str| gathered.clone().join(answer);
                gathered = self.ask(question, prompts::joining_schema(), read).await?;
            }
            let dropped = gathered.dropped();
            Ok(Told { findings: gathered.findings(&reading), dropped })
        })
    }
}

impl ModelExtractor {
    /// Asks; if the answer cannot be used, says why and asks once more.
    async fn ask<T>(
        &self,
        question: prompts::Question,
        schema: Json,
        read: impl Fn(&str) -> Result<T, Fault>,
    ) -> Result<T, ExtractorError> {
        let mut request = ChatRequest {
            system: question.system,
            messages: vec![ChatMessage::User(question.user)],
            temperature: Some(0.0),
            response_json: true,
            response_schema: Some(schema),
            ..ChatRequest::default()
        };
        let answer = complete_object(self.model.as_ref(), request.clone()).await.map_err(ExtractorError::Later)?.text;
        let fault = match read(&answer) {
            Ok(read) => return Ok(read),
            Err(fault) => fault,
        };
        request.messages.push(ChatMessage::Assistant { text: answer, tool_calls: Vec::new() });
        request.messages.push(ChatMessage::User(prompts::repair(&fault)));
        let answer = complete_object(self.model.as_ref(), request).await.map_err(ExtractorError::Later)?.text;
        read(&answer).map_err(|fault| {
            ExtractorError::Rejected(format!("{} answered twice what cannot be used: {fault}", self.model.name()))
        })
    }
}
