//! Who reads a text for what it tells: rules that need nothing, or a language model.

use std::sync::Arc;

use futures::future::BoxFuture;
use ibid_domain::{Mark, PartialDate};
use ibid_knowledge::{
    Findings, KnowledgeInput,
    extract::{self, extract},
    prompts::{self, InvalidAnswer},
};
use ibid_models::{ChatError, ChatMessage, ChatModel, ChatRequest, complete_object};
use serde_json::Value as Json;

/// A text with its context, given to an extractor.
#[derive(Clone, Debug, Default)]
pub struct ExtractorInput {
    pub text: String,
    pub title: Option<String>,
    /// Date the text was written, to resolve relative dates; `None` if unknown.
    pub date: Option<PartialDate>,
    /// Language code of the text; `None` if it was not detected.
    pub language: Option<String>,
    /// Page and section marks of the text.
    pub marks: Vec<Mark>,
}

impl ExtractorInput {
    fn as_borrowed(&self) -> KnowledgeInput<'_> {
        KnowledgeInput {
            text: &self.text,
            title: self.title.as_deref(),
            date: self.date,
            language: self.language.as_deref(),
            marks: &self.marks,
        }
    }
}

/// The entities and events that an extractor found.
#[derive(Clone, Debug, Default)]
pub struct ExtractorOutput {
    pub findings: Findings,
    /// Number of quotes dropped because the text does not contain them.
    pub dropped: u64,
}

/// The reason why an extraction failed.
#[derive(Debug)]
pub enum ExtractorError {
    /// Trying again later may help.
    Later(ChatError),
    /// It answered, and what it answered cannot be used: why.
    Rejected(String),
}

/// Reads a text for what it tells.
pub trait KnowledgeExtractor: Send + Sync {
    /// Its name and version. What another one read is read anew.
    fn name(&self) -> String;

    /// Extracts entities and events from a text.
    fn extract(&self, text: Arc<ExtractorInput>) -> BoxFuture<'_, Result<ExtractorOutput, ExtractorError>>;
}

/// Extracts entities and events by rules, without a model.
pub struct RulesExtractor;

impl KnowledgeExtractor for RulesExtractor {
    fn name(&self) -> String {
        extract::RULES.to_owned()
    }

    fn extract(&self, text: Arc<ExtractorInput>) -> BoxFuture<'_, Result<ExtractorOutput, ExtractorError>> {
        Box::pin(async move {
            let findings = crate::run_blocking(move || extract(&text.as_borrowed())).await;
            findings
                .map(|findings| ExtractorOutput { findings, dropped: 0 })
                .map_err(|error| ExtractorError::Rejected(format!("the rules failed: {error}")))
        })
    }
}

/// Asks a language model, part by part, and believes what it can find in the text.
pub struct ModelExtractor {
    pub model: Arc<dyn ChatModel>,
}

impl KnowledgeExtractor for ModelExtractor {
    fn name(&self) -> String {
        format!("{}+{}", prompts::VERSION, self.model.name())
    }

    fn extract(&self, text: Arc<ExtractorInput>) -> BoxFuture<'_, Result<ExtractorOutput, ExtractorError>> {
        Box::pin(async move {
            let reading = text.as_borrowed();
            let mut gathered = prompts::GatheredAnswers::default();
            for window in prompts::split_windows(reading.text) {
                let question = prompts::ask_part(&reading, window);
                let read = |answer: &str| gathered.clone().add_part(&reading, window, answer);
                gathered = self.ask_with_repair(question, prompts::part_schema(), read).await?;
            }
            if gathered.needs_joining() {
                let question = gathered.ask_joining();
                let read = |answer: &str| gathered.clone().join_events(answer);
                gathered = self.ask_with_repair(question, prompts::joining_schema(), read).await?;
            }
            let dropped = gathered.dropped();
            Ok(ExtractorOutput { findings: gathered.findings(&reading), dropped })
        })
    }
}

impl ModelExtractor {
    /// Asks; if the answer cannot be used, says why and asks once more.
    async fn ask_with_repair<T>(
        &self,
        question: prompts::ModelPrompt,
        schema: Json,
        read: impl Fn(&str) -> Result<T, InvalidAnswer>,
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
        request.messages.push(ChatMessage::User(prompts::repair_prompt(&fault)));
        let answer = complete_object(self.model.as_ref(), request).await.map_err(ExtractorError::Later)?.text;
        read(&answer).map_err(|fault| {
            ExtractorError::Rejected(format!("{} answered twice what cannot be used: {fault}", self.model.name()))
        })
    }
}
