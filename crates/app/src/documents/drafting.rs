//! A first draft of a document from its own sources: each heading of an outline is asked as a question, and what the
//! answer cites becomes citations of the document.

use std::time::Duration;

use ibid_domain::{
    Citation, Code, DocumentFormat, DocumentId, MessageStatus, Problem, RunMode, SearchFilter, SourceId, Verdict,
    job::Job,
};
use ibid_store::JobError;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{CitationDraft, DocumentChange, not_found};
use crate::{
    App, AskRequest, Error, Result,
    answers::refusal_words,
    background_jobs::{BackgroundJob, JobOutcome},
    services::DocumentService,
    worker::JobContext,
};

/// The most headings of an outline, and the longest of them, in characters.
const MOST_PARTS: usize = 40;
const LONGEST_PART: usize = 500;
/// Interval at which the run of an answer is polled until it ends.
const POLL_INTERVAL: Duration = Duration::from_millis(60);

/// The topic and outline of a draft.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftRequest {
    /// A question that the whole answers.
    pub question: Option<String>,
    /// Headings of the sections; each becomes one question.
    pub outline: Vec<String>,
    /// True to replace the text of the document, false to append to it.
    pub replace: bool,
}

/// The result of drafting a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftResult {
    /// Version of the document that contains the draft.
    pub version: u64,
    /// Number of citations in the draft.
    pub citations: usize,
    /// Answer mode that wrote the draft.
    pub mode: RunMode,
}

/// Writes a draft of a document from its sources.
#[derive(Serialize, Deserialize)]
pub(crate) struct DraftJob {
    document_id: DocumentId,
    #[serde(flatten)]
    request: DraftRequest,
}

impl DocumentService<'_> {
    /// Asks for a draft of a document from its sources.
    pub async fn request_draft(self, id: DocumentId, request: DraftRequest) -> Result<Job> {
        let wrong = |field: &str, detail: String| Problem::new(Code::InvalidField, detail).with_field(field);
        let is_long = |text: &String| text.trim().is_empty() || text.chars().count() > LONGEST_PART;
        if request.question.is_none() && request.outline.is_empty() {
            return Err(wrong("outline", "say what it is about: a question, or an outline".to_owned()).into());
        }
        if request.outline.len() > MOST_PARTS {
            return Err(wrong("outline", format!("the outline has more than {MOST_PARTS} parts")).into());
        }
        if request.outline.iter().chain(&request.question).any(is_long) {
            let detail = format!("questions and headings have 1 to {LONGEST_PART} characters");
            return Err(wrong("outline", detail).into());
        }
        if self.sources(id).await?.is_empty() {
            let detail = "the document has no sources yet; add some with POST …/sources".to_owned();
            return Err(wrong("document_id", detail).into());
        }
        let draft = DraftJob { document_id: id, request };
        let mut tx = self.app.store.write().await?;
        tx.documents(self.scope).get(id).await?.ok_or_else(|| not_found(id))?;
        let job = tx.jobs(self.scope).enqueue(draft.to_new_job()).await?;
        tx.commit().await?;
        Ok(job)
    }

    /// Asks a question of these sources, and waits for the answer.
    async fn ask_and_wait(
        self,
        question: String,
        sources: &[SourceId],
        mode: RunMode,
    ) -> Result<(String, Vec<Citation>)> {
        let filter = SearchFilter { sources: sources.to_vec(), ..SearchFilter::default() };
        let run =
            self.app.runs(self.scope).ask(AskRequest { mode: Some(mode), filter, ..AskRequest::new(question) }).await?;
        let message = loop {
            let now = self.app.runs(self.scope).get(run.id).await?;
            if now.status.has_ended() {
                break now.message;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        };
        let (said, citations) = self.app.citations(self.scope).of_message(&message).await?;
        // The question was a means: nobody looks for it among their conversations.
        self.app.conversations(self.scope).delete(run.conversation).await?;
        if said.status == MessageStatus::Streaming || said.content.trim().is_empty() {
            return Ok((String::new(), Vec::new()));
        }
        Ok((said.content, citations))
    }

    /// The words of an answer with markers of the document's own in place of its own.
    async fn taken_over(
        self,
        id: DocumentId,
        format: DocumentFormat,
        answer: &str,
        citations: &[Citation],
    ) -> Result<(String, Vec<(u32, Citation)>)> {
        let mut sorted: Vec<&Citation> = citations.iter().collect();
        sorted.sort_by_key(|citation| (citation.marker.start, citation.number));
        let chars: Vec<char> = answer.chars().collect();
        let (mut written, mut used, mut at) = (String::with_capacity(answer.len()), Vec::new(), 0);
        for citation in sorted {
            if citation.marker.start >= at {
                let words: String = chars.get(at..citation.marker.start).unwrap_or_default().iter().collect();
                written.push_str(&words);
                at = citation.marker.end;
            }
            if citation.source.is_some() {
                let number = self.next_citation_number(id).await?;
                written.truncate(written.trim_end_matches(' ').len());
                written.push_str(&marker_placeholder(number));
                used.push((number, citation.clone()));
            }
        }
        written.push_str(&chars.get(at..).unwrap_or_default().iter().collect::<String>());
        let text = match format {
            DocumentFormat::Markdown => written,
            DocumentFormat::Typst => ibid_documents::typst_of_markdown(&written),
        };
        let text = used.iter().fold(text, |text, (number, _)| {
            text.replace(&marker_placeholder(*number), &format.citation_marker(*number))
        });
        Ok((text, used))
    }
}

impl App {
    async fn draft_document(
        &self,
        context: &JobContext,
        id: DocumentId,
        request: &DraftRequest,
    ) -> Result<DraftResult> {
        let scope = &context.scope;
        let message = format!("drafted by job {}", context.job.id);
        let open = self.documents(scope).get(id, None).await?;
        let newest = self.documents(scope).history(id, ibid_domain::Limit::new(1)?, None).await?;
        let mode = self.usual_mode();
        // Done before it was cut off, it is not done twice.
        if newest.items.first().is_some_and(|version| version.message.as_deref() == Some(&message)) {
            let (citations, _) = self.documents(scope).citations(id).await?;
            return Ok(DraftResult { version: open.document.version, citations: citations.len(), mode });
        }
        let sources: Vec<SourceId> =
            self.documents(scope).sources(id).await?.into_iter().map(|one| one.source.id).collect();
        let format = open.document.settings.format;
        let title = open.document.settings.title.clone();
        let mut parts: Vec<(Option<&str>, String)> = request
            .outline
            .iter()
            .map(|heading| {
                // A heading says little by itself: it is asked with what the whole is about.
                let about = request.question.as_deref().unwrap_or(&title);
                (Some(heading.as_str()), format!("{heading} ({about})"))
            })
            .collect();
        if parts.is_empty() {
            parts.push((None, request.question.clone().unwrap_or(title)));
        }
        let mut text = String::new();
        let mut cited: Vec<(u32, Citation)> = Vec::new();
        let count = parts.len() as u64;
        for (at, (heading, question)) in parts.into_iter().enumerate() {
            if context.cancelled.is_cancelled() {
                return Err(Problem::new(Code::DocumentChanged, "the draft was given up").into());
            }
            context.progress.update(at as u64, Some(count), heading.unwrap_or("writing")).await;
            if let Some(heading) = heading {
                text.push_str(&match format {
                    DocumentFormat::Typst => format!("= {}\n\n", ibid_documents::escaped(heading)),
                    DocumentFormat::Markdown => format!("## {heading}\n\n"),
                });
            }
            let words = refusal_words(&question);
            let (answer, citations) = self.documents(scope).ask_and_wait(question, &sources, mode).await?;
            // The passages that come closest to what has no answer are no citations.
            let is_refused =
                !citations.is_empty() && citations.iter().all(|one| one.verdict == Some(Verdict::Unsupported));
            let (answer, citations) = if is_refused && mode == RunMode::Extractive {
                (words.to_owned(), Vec::new())
            } else {
                (answer, citations)
            };
            let (written, used) = self.documents(scope).taken_over(id, format, &answer, &citations).await?;
            text.push_str(written.trim());
            text.push_str("\n\n");
            cited.extend(used);
        }
        let kept = if request.replace { String::new() } else { open.text.trim_end().to_owned() };
        let gap = if kept.is_empty() { "" } else { "\n\n" };
        let change = DocumentChange {
            text: Some(format!("{kept}{gap}{}\n", text.trim_end())),
            message: Some(message),
            base: Some(open.document.version),
            ..DocumentChange::default()
        };
        let saved = self.documents(scope).change(id, &change).await?;
        let citations = cited.len();
        for (number, citation) in cited {
            let page = citation.anchor.as_ref().and_then(|anchor| anchor.pages).map(|(first, _)| format!("p. {first}"));
            let draft = CitationDraft {
                source: citation.source,
                number: Some(number),
                quote: citation.quote,
                locator: page,
                ..CitationDraft::default()
            };
            self.documents(scope).cite(id, draft).await?;
        }
        context.progress.update(count, Some(count), "done").await;
        Ok(DraftResult { version: saved.document.version, citations, mode })
    }
}

/// Returns a placeholder that survives the conversion to another format, because it uses characters that no text has.
fn marker_placeholder(number: u32) -> String {
    format!("\u{E010}{number}\u{E011}")
}

impl BackgroundJob for DraftJob {
    const KIND: &'static str = "draft_document";
    const PRIORITY: i64 = 20;

    fn key(&self) -> String {
        self.document_id.to_string()
    }

    async fn run(self, context: &JobContext) -> JobOutcome {
        let done = context.app.draft_document(context, self.document_id, &self.request).await;
        let drafted = done.map_err(|error| match error {
            Error::Problem(problem) => JobError::Permanent(problem.to_string()),
            error => error.into(),
        })?;
        Ok(Some(json!({
            "version": drafted.version, "citations": drafted.citations, "mode": drafted.mode.as_str(),
        })))
    }
}
