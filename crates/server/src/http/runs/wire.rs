//! Conversations, messages, citations and runs as they go over the wire.

use ibid_app::{Answered, Loss, MessageWithCitations, SaidConversation};
use ibid_domain::{
    self as domain, Timestamp,
    citation::{CitedFile as Cited, cited_files},
};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use utoipa::ToSchema;
use uuid::Uuid;

use super::super::citations::{verify::UncitedClaim, wire::CitationSource};

/// A conversation.
#[derive(Serialize, ToSchema)]
pub(crate) struct Conversation {
    /// Its id.
    id: Uuid,
    /// What it is called.
    title: Option<String>,
    /// Whether sources of its messages are still being worked on.
    has_async_entities_in_progress: bool,
    /// What language models took for all its answers.
    usage: Usage,
    /// When it began.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When something was last said in it.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<SaidConversation> for Conversation {
    fn from(said: SaidConversation) -> Self {
        let conversation = said.conversation;
        Self {
            id: conversation.id.uuid(),
            title: conversation.title,
            has_async_entities_in_progress: said.has_async_sources,
            usage: said.usage.into(),
            created_at: conversation.created_at,
            updated_at: conversation.updated_at,
        }
    }
}

/// What language models took.
#[derive(Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Usage {
    /// Tokens they read.
    input_tokens: u64,
    /// Tokens they wrote.
    output_tokens: u64,
    /// What that costs, in US dollars, if the prices are known.
    cost: Option<f64>,
}

impl From<domain::Usage> for Usage {
    fn from(usage: domain::Usage) -> Self {
        Self { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens, cost: usage.cost }
    }
}

impl From<Usage> for domain::Usage {
    fn from(usage: Usage) -> Self {
        Self { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens, cost: usage.cost }
    }
}

/// A message, with its evidence.
#[derive(Serialize, ToSchema)]
pub(crate) struct Message {
    /// Its id.
    pub(crate) id: String,
    /// Where it was said.
    conversation_id: Uuid,
    /// What it follows; two that follow the same are branches.
    parent_message_id: Option<String>,
    /// `user` or `assistant`.
    role: &'static str,
    /// The words.
    pub(crate) content: String,
    /// `complete`, `streaming`, `failed` or `cancelled`.
    status: &'static str,
    /// The run that it belongs to.
    run_id: Option<Uuid>,
    /// What wrote it: a model's name, or `extractive`.
    model: Option<String>,
    /// What that took.
    usage: Usage,
    /// What it cites that names nothing.
    dangling: Vec<String>,
    /// Its citations, in the order in which they stand.
    citations: Vec<Citation>,
    /// The files that it cites, each once.
    cited_files: Vec<CitedFile>,
    /// What it cites, each once, as entities.
    entities: Vec<Entity>,
    /// Whether its sources are still being worked on.
    has_async_entities_in_progress: bool,
    /// When it was said.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<MessageWithCitations> for Message {
    fn from(found: MessageWithCitations) -> Self {
        let MessageWithCitations { message, citations } = found;
        Self {
            id: message.id.to_string(),
            conversation_id: message.conversation.uuid(),
            parent_message_id: message.parent.map(|id| id.to_string()),
            role: message.role.as_str(),
            content: message.content,
            status: message.status.as_str(),
            run_id: message.run.map(domain::RunId::uuid),
            model: message.model,
            usage: message.usage.into(),
            dangling: message.dangling,
            cited_files: cited_files(&citations).into_iter().map(Into::into).collect(),
            entities: entities(&citations),
            citations: citations.into_iter().map(Into::into).collect(),
            has_async_entities_in_progress: message.has_async_sources,
            created_at: message.created_at,
            updated_at: message.updated_at,
        }
    }
}

/// A citation that is kept: from a marker in a message to the exact words of a source.
#[derive(Serialize, ToSchema)]
pub(crate) struct Citation {
    /// Its id.
    id: Uuid,
    /// The message that it stands in.
    message_id: String,
    /// The source's number in that message.
    number: u32,
    /// Where the marker begins in the message, in characters.
    start_index: usize,
    /// Where it ends.
    end_index: usize,
    /// Where the claim that it stands for begins in the message.
    claim_start_index: Option<usize>,
    /// Where that ends.
    claim_end_index: Option<usize>,
    /// The source; null if it was deleted, or is none of the library's.
    source_id: Option<Uuid>,
    /// `available`, `deleted` (only this snapshot is left) or `external` (it never was in the library).
    availability: &'static str,
    /// `current`, or `changed` if a newer revision of the source no longer has the quoted words.
    state: &'static str,
    /// The title of the source when it was cited.
    title: String,
    /// The name of its file then, or its title.
    file_name: String,
    /// Where it came from.
    source_type: &'static str,
    /// What format it was in.
    mime_type: String,
    /// Whether it is a picture.
    is_image: bool,
    /// Its address.
    url: Option<String>,
    /// How well it fitted what was asked, from 0 to 1.
    relevance_score: Option<f64>,
    /// How many passages of it the run had.
    excerpt_count: u64,
    /// The words that support the claim.
    quote: Option<String>,
    /// The revision whose words these are.
    revision_id: Option<Uuid>,
    /// The SHA-256 of the text that they stand in, an artifact.
    text_sha256: Option<String>,
    /// The SHA-256 of the bytes that the text was read from, an artifact.
    content_sha256: Option<String>,
    /// Where they begin in that text, in characters.
    start_char: Option<usize>,
    /// Where they end.
    end_char: Option<usize>,
    /// A few words before.
    prefix: Option<String>,
    /// A few words after.
    suffix: Option<String>,
    /// The first page that they stand on, from 1.
    page: Option<u32>,
    /// The last page that they stand on.
    last_page: Option<u32>,
    /// `supported`, `partial`, `unsupported` or `unverifiable`; null if it was not checked.
    verdict: Option<&'static str>,
    /// How sure that is, from 0 to 1.
    score: Option<f64>,
    /// What the source is about; null until a note was made of it.
    summary: Option<String>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<domain::Citation> for Citation {
    fn from(citation: domain::Citation) -> Self {
        let availability = match (citation.source, citation.is_tombstone()) {
            (Some(_), _) => "available",
            (None, true) => "deleted",
            (None, false) => "external",
        };
        let snapshot = citation.snapshot;
        let anchor = citation.anchor.as_ref();
        let span = anchor.and_then(|anchor| anchor.span);
        let pages = anchor.and_then(|anchor| anchor.pages);
        Self {
            id: citation.id.uuid(),
            message_id: citation.message.to_string(),
            number: citation.number,
            start_index: citation.marker.start,
            end_index: citation.marker.end,
            claim_start_index: citation.claim.map(|claim| claim.start),
            claim_end_index: citation.claim.map(|claim| claim.end),
            source_id: citation.source.map(domain::SourceId::uuid),
            availability,
            state: citation.state.as_str(),
            title: snapshot.title,
            file_name: snapshot.file_name,
            source_type: snapshot.origin.as_str(),
            mime_type: snapshot.media_type,
            is_image: snapshot.is_image,
            url: snapshot.url,
            relevance_score: snapshot.relevance,
            excerpt_count: snapshot.excerpt_count,
            quote: citation.quote,
            revision_id: anchor.and_then(|anchor| anchor.revision).map(domain::RevisionId::uuid),
            text_sha256: anchor.map(|anchor| anchor.text.to_string()),
            content_sha256: anchor.map(|anchor| anchor.content.to_string()),
            start_char: span.map(|span| span.start),
            end_char: span.map(|span| span.end),
            prefix: anchor.map(|anchor| anchor.prefix.clone()),
            suffix: anchor.map(|anchor| anchor.suffix.clone()),
            page: pages.map(|(first, _)| first),
            last_page: pages.map(|(_, last)| last),
            verdict: citation.verdict.map(|verdict| verdict.as_str()),
            score: citation.score.map(|score| (score * 1e4).round() / 1e4),
            summary: citation.summary,
            created_at: citation.created_at,
        }
    }
}

/// A file that a message cites, however often.
#[derive(Serialize, ToSchema)]
pub(crate) struct CitedFile {
    /// Its number in that message.
    number: u32,
    /// Its source; null if that was deleted, or is none of the library's.
    file_id: Option<Uuid>,
    /// The name of the file, or the title.
    file_name: String,
    /// The title.
    title: String,
    /// Where it came from.
    source_type: &'static str,
    /// What format it is in.
    mime_type: String,
    /// How well it fitted what was asked, from 0 to 1.
    relevance_score: Option<f64>,
    /// Whether it is a picture.
    is_image: bool,
    /// How a client gets at its content.
    fetch_strategy: &'static str,
    /// How many passages of it the run had.
    excerpt_count: u64,
    /// Its address.
    url: Option<String>,
    /// Whether it was a source of the library and is no more.
    is_deleted: bool,
}

impl From<Cited> for CitedFile {
    fn from(file: Cited) -> Self {
        Self {
            number: file.number,
            file_id: file.file_id.map(domain::SourceId::uuid),
            file_name: file.file_name,
            title: file.title,
            source_type: file.source_type,
            mime_type: file.mime_type,
            relevance_score: file.relevance_score,
            is_image: file.is_image,
            fetch_strategy: file.fetch_strategy,
            excerpt_count: file.excerpt_count,
            url: file.url,
            is_deleted: file.is_deleted,
        }
    }
}

/// Something that a message cites.
#[derive(Serialize, ToSchema)]
pub(crate) struct Entity {
    /// The source's id, or the id that it had in its run.
    id: String,
    /// Its number in the message.
    number: u32,
    /// `WEB_PAGE`, `EXTERNAL_API_DATA` or `KNOWLEDGE_BASE`.
    entity_type: &'static str,
    /// Its title.
    title: String,
    /// Its address.
    external_url: Option<String>,
    /// The words that are quoted of it first.
    snippet: Option<String>,
    /// What it is about; null until a note was made of it.
    summary: Option<String>,
}

fn entities(citations: &[domain::Citation]) -> Vec<Entity> {
    let mut entities: Vec<Entity> = Vec::new();
    for citation in citations {
        if entities.iter().any(|known| known.number == citation.number) {
            continue;
        }
        let entity_type = match citation.snapshot.origin {
            domain::Origin::Web => domain::SourceType::WebPage,
            domain::Origin::Api | domain::Origin::Database | domain::Origin::Mcp => domain::SourceType::ExternalApiData,
            _ => domain::SourceType::KnowledgeBase,
        };
        entities.push(Entity {
            id: citation.source.map_or_else(|| citation.cited_id.clone(), |id| id.to_string()),
            number: citation.number,
            entity_type: entity_type.as_str(),
            title: citation.snapshot.title.clone(),
            external_url: citation.snapshot.url.clone(),
            snippet: citation.quote.clone(),
            summary: citation.summary.clone(),
        });
    }
    entities
}

/// A run.
#[derive(Serialize, ToSchema)]
pub(crate) struct Run {
    /// Its id.
    pub(crate) id: Uuid,
    /// Where it answers.
    conversation_id: Uuid,
    /// What it answers.
    question_id: Option<String>,
    /// Its answer.
    message_id: String,
    /// `external`, `extractive`, `generated` or `research`.
    mode: &'static str,
    /// `running`, `completed`, `failed` or `cancelled`.
    status: &'static str,
    /// Why it failed.
    error: Option<String>,
    /// What it took.
    usage: Usage,
    /// The number of its last event.
    last_seq: u64,
    /// Whether it was asked to stop.
    is_cancelled: bool,
    /// When it began.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
    /// When it ended.
    #[schema(value_type = Option<String>, format = DateTime)]
    finished_at: Option<Timestamp>,
}

impl From<domain::Run> for Run {
    fn from(run: domain::Run) -> Self {
        Self {
            id: run.id.uuid(),
            conversation_id: run.conversation.uuid(),
            question_id: run.question.map(|id| id.to_string()),
            message_id: run.message.to_string(),
            mode: run.mode.as_str(),
            status: run.status.as_str(),
            error: run.error,
            usage: run.usage.into(),
            last_seq: run.last_seq,
            is_cancelled: run.is_cancelled,
            created_at: run.created_at,
            updated_at: run.updated_at,
            finished_at: run.finished_at,
        }
    }
}

/// Something that happened in a run.
#[derive(Serialize, ToSchema)]
pub(crate) struct RunEvent {
    /// The run.
    run_id: Uuid,
    /// Its number in the run, from 1 without gaps; the id of the server-sent event.
    seq: u64,
    /// What happened, also the name of the server-sent event.
    #[serde(rename = "type")]
    kind: &'static str,
    /// What there is to say of it.
    data: Json,
    /// When it happened.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
}

impl RunEvent {
    pub(crate) fn new(run: domain::RunId, event: &domain::RunEvent) -> Self {
        Self { run_id: run.uuid(), seq: event.seq, kind: event.kind.as_str(), data: event.data.clone(), at: event.at }
    }
}

/// An answer with its evidence.
#[derive(Serialize, ToSchema)]
pub(crate) struct RunAnswer {
    /// The run, which has ended.
    run: Run,
    /// The answer.
    message: Message,
    /// Numbers that name no source.
    dangling: Vec<u32>,
    /// Ids and addresses that name none.
    dangling_ids: Vec<String>,
    /// Statements of fact that cite nothing.
    uncited: Vec<UncitedClaim>,
}

impl From<Answered> for RunAnswer {
    fn from(answered: Answered) -> Self {
        let Answered { run, message, citations, checked } = answered;
        Self {
            run: run.into(),
            message: MessageWithCitations { message, citations }.into(),
            dangling: checked.dangling,
            dangling_ids: checked.dangling_ids,
            uncited: checked.uncited.into_iter().map(Into::into).collect(),
        }
    }
}

/// The sources of a run, and what a model is told of them.
#[derive(Serialize, ToSchema)]
pub(crate) struct RunSources {
    /// The numbers of what was found now, in its order.
    pub(super) numbers: Vec<u32>,
    /// What was found now: each work once, with its number.
    pub(super) sources: Vec<CitationSource>,
    /// All sources of the run as a numbered list for a model.
    pub(super) prompt: String,
    /// How to cite, for a model.
    pub(super) guidelines: &'static str,
    /// Why there are none, where there could have been.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) warning: Option<String>,
}

/// What came of the work of an agent under the run's own.
#[derive(Serialize, ToSchema)]
pub(crate) struct SubagentAnswer {
    /// What it wrote, with the run's numbers.
    pub(super) text: String,
    /// For each number of its own, the run's.
    pub(super) renumbered: Vec<Renumbered>,
    /// Numbers in its text that named nothing; each is `[?]` now.
    pub(super) dangling: Vec<u32>,
    /// The run's sources: each work once, with its number.
    pub(super) sources: Vec<CitationSource>,
    /// All sources of the run as a numbered list for a model.
    pub(super) prompt: String,
}

/// A number that became another one.
#[derive(Serialize, ToSchema)]
pub(crate) struct Renumbered {
    /// The agent's.
    pub(super) from: u32,
    /// The run's.
    pub(super) to: u32,
}

/// A claim that would lose its support.
#[derive(Serialize, ToSchema)]
pub(crate) struct LostSupport {
    /// The message that it stands in.
    message_id: String,
    /// The conversation of that message.
    conversation_id: Uuid,
    /// The source's number in that message.
    number: u32,
    /// The words of the claim.
    claim: Option<String>,
    /// The words that supported it.
    quote: Option<String>,
    /// What the check came to.
    verdict: Option<&'static str>,
    /// How many other sources the claim cites that would still be there.
    other_sources: u64,
}

impl From<Loss> for LostSupport {
    fn from(loss: Loss) -> Self {
        Self {
            message_id: loss.message.id.to_string(),
            conversation_id: loss.message.conversation.uuid(),
            number: loss.citation.number,
            claim: loss.claim,
            quote: loss.citation.quote,
            verdict: loss.citation.verdict.map(|verdict| verdict.as_str()),
            other_sources: loss.other_sources,
        }
    }
}
