//! Conversations, messages, citations and runs as they go over the wire.

use ibid_app::{AffectedClaim, AnsweredRun, ClaimPlace, MessageWithCitations, SaidConversation};
use ibid_citations::{Marker, MarkerKind, parse_markers};
use ibid_domain::{
    self as domain, Timestamp,
    citation::{CitedFile as Cited, cited_files},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    citations::CitationSource,
    run_events::MarkerPlace,
    values::{
        CheckVerdict, CitationState, DifferenceKind, FetchStrategy, MessageRole, MessageStatus, RunMode, RunStatus,
        SourceOrigin, SourceType,
    },
    verification::UncitedClaim,
};

/// A conversation with the library.
#[derive(Serialize, ToSchema)]
pub(crate) struct Conversation {
    /// Id of the conversation, a UUID.
    id: Uuid,
    /// Title of the conversation; null if it has none.
    title: Option<String>,
    /// True while jobs still work on sources of its messages.
    has_async_entities_in_progress: bool,
    /// Tokens and cost of all its answers.
    usage: Usage,
    /// Time of creation, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Time of the last message or change.
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

/// Tokens and cost of calls to language models.
#[derive(Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Usage {
    /// Number of tokens sent to models.
    input_tokens: u64,
    /// Number of tokens that models generated.
    output_tokens: u64,
    /// Cost in US dollars; null if the prices of the model are unknown.
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
    /// Id of the message, a UUID.
    pub(crate) id: String,
    /// Id of the conversation, a UUID.
    conversation_id: Uuid,
    /// Id of the message that this one follows; messages with the same parent are branches.
    parent_message_id: Option<String>,
    /// Author of the message: a person or the library.
    role: MessageRole,
    /// Text of the message, with citation markers in an answer.
    pub(crate) content: String,
    /// State of the message; only a complete one has all its citations.
    status: MessageStatus,
    /// The run that it belongs to.
    run_id: Option<Uuid>,
    /// Name of the model that wrote the message, or `extractive`.
    model: Option<String>,
    /// Tokens and cost of writing the message.
    usage: Usage,
    /// Places of the citation markers in the text that name a cited source, in order.
    markers: Vec<MarkerPlace>,
    /// Citation markers that name no source of the run.
    dangling: Vec<String>,
    /// Claims that were rewritten from their sources after a check, with what stood there before.
    rewritten: Vec<RewrittenClaim>,
    /// Its citations, in the order in which they stand.
    citations: Vec<Citation>,
    /// The files that it cites, each once.
    cited_files: Vec<CitedFile>,
    /// Cited sources, each once, in the form of entities.
    entities: Vec<CitedEntity>,
    /// True while jobs still work on its sources.
    has_async_entities_in_progress: bool,
    /// Time of creation, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Time of the last change to the message.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<MessageWithCitations> for Message {
    fn from(found: MessageWithCitations) -> Self {
        let MessageWithCitations { message, citations } = found;
        let markers = place_citations(&message.content, &citations);
        Self {
            id: message.id.to_string(),
            conversation_id: message.conversation.uuid(),
            parent_message_id: message.parent.map(|id| id.to_string()),
            role: message.role.into(),
            content: message.content,
            status: message.status.into(),
            run_id: message.run.map(domain::RunId::uuid),
            model: message.model,
            usage: message.usage.into(),
            dangling: message.dangling,
            rewritten: message.rewritten.into_iter().map(Into::into).collect(),
            markers,
            cited_files: cited_files(&citations).into_iter().map(Into::into).collect(),
            entities: cited_entities(&citations),
            citations: citations.into_iter().map(Into::into).collect(),
            has_async_entities_in_progress: message.has_async_sources,
            created_at: message.created_at,
            updated_at: message.updated_at,
        }
    }
}

/// A claim of an answer that was rewritten from its sources, because they did not support what stood there.
#[derive(Serialize, ToSchema)]
pub(crate) struct RewrittenClaim {
    /// Offset of the new claim's first character in the answer.
    start_index: usize,
    /// Offset after the new claim's last character in the answer.
    end_index: usize,
    /// Words that stood there before, without their markers.
    before: String,
    /// Verdict on what stood there before.
    verdict: CheckVerdict,
}

impl From<domain::conversation::RewrittenClaim> for RewrittenClaim {
    fn from(claim: domain::conversation::RewrittenClaim) -> Self {
        let domain::conversation::RewrittenClaim { start_index, end_index, before, verdict } = claim;
        Self { start_index, end_index, before, verdict: verdict.into() }
    }
}

/// The markers of a message that stand where its citations do.
fn place_citations(content: &str, citations: &[domain::Citation]) -> Vec<MarkerPlace> {
    if citations.is_empty() {
        return Vec::new();
    }
    let place = |marker: Marker| {
        let cited = citations.iter().filter(|citation| citation.marker == marker.span).map(|citation| citation.number);
        let cited: Vec<u32> = cited.collect();
        let numbers = match marker.kind {
            _ if cited.is_empty() => return None,
            MarkerKind::Numbers(numbers) => numbers.to_vec(),
            _ => cited,
        };
        Some(MarkerPlace { start_index: marker.span.start, end_index: marker.span.end, numbers })
    };
    parse_markers(content).into_iter().filter_map(place).collect()
}

/// A citation that is kept: from a marker in a message to the exact words of a source.
#[derive(Serialize, ToSchema)]
pub(crate) struct Citation {
    /// Id of the citation, a UUID.
    id: Uuid,
    /// The message that it stands in.
    message_id: String,
    /// The source's number in that message.
    number: u32,
    /// Offset of the marker's first character in the message.
    start_index: usize,
    /// Offset after the marker's last character in the message.
    end_index: usize,
    /// Offset of the supported claim's first character in the message; null if no claim was found.
    claim_start_index: Option<usize>,
    /// Offset after the supported claim's last character in the message; null if no claim was found.
    claim_end_index: Option<usize>,
    /// The source; null if it was deleted, or is none of the library's.
    source_id: Option<Uuid>,
    /// Whether the source can still be opened.
    availability: SourceAvailability,
    /// Whether the newest revision of the source still has the quoted words.
    state: CitationState,
    /// The title of the source when it was cited.
    title: String,
    /// The name of its file then, or its title.
    file_name: String,
    /// Origin of the source when it was cited.
    source_type: SourceOrigin,
    /// Media type of the source when it was cited.
    mime_type: String,
    /// True if the source is an image.
    is_image: bool,
    /// Web address of the source; null if it has none.
    url: Option<String>,
    /// Relevance of the source to the question, from 0 to 1; null if unknown.
    relevance_score: Option<f64>,
    /// Number of passages of the source that the run had read.
    excerpt_count: u64,
    /// The words that support the claim.
    quote: Option<String>,
    /// The revision whose words these are.
    revision_id: Option<Uuid>,
    /// The SHA-256 of the text that they stand in, an artifact.
    text_sha256: Option<String>,
    /// The SHA-256 of the bytes that the text was read from, an artifact.
    content_sha256: Option<String>,
    /// Offset of the quote's first character in the text of the revision; null without a quote.
    start_char: Option<usize>,
    /// Offset after the quote's last character in the text of the revision; null without a quote.
    end_char: Option<usize>,
    /// A few words before the quote, to find it again.
    prefix: Option<String>,
    /// A few words after the quote, to find it again.
    suffix: Option<String>,
    /// The first page that they stand on, from 1.
    page: Option<u32>,
    /// The last page that they stand on.
    last_page: Option<u32>,
    /// Result of the check; null if it was not checked.
    verdict: Option<CheckVerdict>,
    /// Confidence in the verdict, from 0 to 1; null if it was not checked.
    score: Option<f64>,
    /// The details in which claim and source differ; empty if there are none.
    why: Vec<CitationDifference>,
    /// Summary of the source; null until a job has written it.
    summary: Option<String>,
    /// Time of creation, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<domain::Citation> for Citation {
    fn from(citation: domain::Citation) -> Self {
        let availability = match (citation.source, citation.is_tombstone()) {
            (Some(_), _) => SourceAvailability::Available,
            (None, true) => SourceAvailability::Deleted,
            (None, false) => SourceAvailability::External,
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
            state: citation.state.into(),
            title: snapshot.title,
            file_name: snapshot.file_name,
            source_type: snapshot.origin.into(),
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
            verdict: citation.verdict.map(Into::into),
            score: citation.score.map(|score| (score * 1e4).round() / 1e4),
            why: citation.why.into_iter().map(Into::into).collect(),
            summary: citation.summary,
            created_at: citation.created_at,
        }
    }
}

/// A detail in which a claim of a message and its source differ.
#[derive(Serialize, ToSchema)]
pub(crate) struct CitationDifference {
    /// Kind of the detail.
    kind: DifferenceKind,
    /// Words of the claim, such as `72 metres`; empty if only the source has some.
    claim: String,
    /// Offset of those words' first character in the message; null if they do not stand there in one piece.
    #[schema(required)]
    start_index: Option<usize>,
    /// Offset after those words' last character in the message; null if they do not stand there in one piece.
    #[schema(required)]
    end_index: Option<usize>,
    /// Words of the source that stand in their place, such as `27 metres`; null if it has none.
    #[schema(required)]
    source: Option<String>,
    /// Offset of those words' first character in the text of the source; null if it has none.
    #[schema(required)]
    start_char: Option<usize>,
    /// Offset after those words' last character in the text of the source; null if it has none.
    #[schema(required)]
    end_char: Option<usize>,
}

impl From<domain::citation::ClaimDifference> for CitationDifference {
    fn from(one: domain::citation::ClaimDifference) -> Self {
        Self {
            kind: one.kind.into(),
            claim: one.claim,
            start_index: one.start_index,
            end_index: one.end_index,
            source: one.source,
            start_char: one.start_char,
            end_char: one.end_char,
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
    /// Title of the source when it was cited.
    title: String,
    /// Origin of the source.
    source_type: SourceOrigin,
    /// Media type of the source's content.
    mime_type: String,
    /// Relevance of the source to the question, from 0 to 1; null if unknown.
    relevance_score: Option<f64>,
    /// True if the source is an image.
    is_image: bool,
    /// Way for a client to get the content.
    fetch_strategy: FetchStrategy,
    /// Number of passages of the source that the run had read.
    excerpt_count: u64,
    /// Web address of the source; null if it has none.
    url: Option<String>,
    /// True if the source was in the library and has been deleted.
    is_deleted: bool,
}

impl From<Cited> for CitedFile {
    fn from(file: Cited) -> Self {
        Self {
            number: file.number,
            file_id: file.file_id.map(domain::SourceId::uuid),
            file_name: file.file_name,
            title: file.title,
            source_type: file.source_type.into(),
            mime_type: file.mime_type,
            relevance_score: file.relevance_score,
            is_image: file.is_image,
            fetch_strategy: file.fetch_strategy.into(),
            excerpt_count: file.excerpt_count,
            url: file.url,
            is_deleted: file.is_deleted,
        }
    }
}

/// Something that a message cites.
#[derive(Serialize, ToSchema)]
pub(crate) struct CitedEntity {
    /// The source's id, or the id that it had in its run.
    id: String,
    /// Number of the source in the message, from 1.
    number: u32,
    /// Type of the source.
    entity_type: SourceType,
    /// Title, as people see it.
    title: String,
    /// Web address of the source; null if it has none.
    external_url: Option<String>,
    /// The words that are quoted of it first.
    snippet: Option<String>,
    /// Summary of the source; null until a job has written it.
    summary: Option<String>,
}

fn cited_entities(citations: &[domain::Citation]) -> Vec<CitedEntity> {
    let mut entities: Vec<CitedEntity> = Vec::new();
    for citation in citations {
        if entities.iter().any(|known| known.number == citation.number) {
            continue;
        }
        let entity_type = match citation.snapshot.origin {
            domain::Origin::Web => domain::SourceType::WebPage,
            domain::Origin::Api | domain::Origin::Database | domain::Origin::Mcp => domain::SourceType::ExternalApiData,
            _ => domain::SourceType::KnowledgeBase,
        };
        entities.push(CitedEntity {
            id: citation.source.map_or_else(|| citation.cited_id.clone(), |id| id.to_string()),
            number: citation.number,
            entity_type: entity_type.into(),
            title: citation.snapshot.title.clone(),
            external_url: citation.snapshot.url.clone(),
            snippet: citation.quote.clone(),
            summary: citation.summary.clone(),
        });
    }
    entities
}

/// One run of an agent that answers a question.
#[derive(Serialize, ToSchema)]
pub(crate) struct Run {
    /// Id of the run, a UUID.
    pub(crate) id: Uuid,
    /// Id of the conversation that the answer belongs to.
    conversation_id: Uuid,
    /// Id of the message with the question; null if there is none.
    question_id: Option<String>,
    /// Id of the message with the answer.
    message_id: String,
    /// Way in which the run answers.
    mode: RunMode,
    /// State of the run.
    status: RunStatus,
    /// Reason why the run failed; null if it did not.
    error: Option<String>,
    /// Tokens and cost of the run so far.
    usage: Usage,
    /// The number of its last event.
    last_seq: u64,
    /// True if a user cancelled the run.
    is_cancelled: bool,
    /// Time of creation, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Time of the last change to the run.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
    /// Time at which the run ended; null while it is active.
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
            mode: run.mode.into(),
            status: run.status.into(),
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

/// An answer with its evidence.
#[derive(Serialize, ToSchema)]
pub(crate) struct RunAnswer {
    /// The run, which has ended at this point.
    run: Run,
    /// The message with the answer and its citations.
    message: Message,
    /// Numbers that name no source.
    dangling: Vec<u32>,
    /// Ids and addresses that name none.
    dangling_ids: Vec<String>,
    /// Statements of fact that cite nothing.
    uncited: Vec<UncitedClaim>,
}

impl From<AnsweredRun> for RunAnswer {
    fn from(answered: AnsweredRun) -> Self {
        let AnsweredRun { run, message, citations, checked } = answered;
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
    pub(crate) numbers: Vec<u32>,
    /// Sources found by this request: each work once, with its number in the run.
    pub(crate) sources: Vec<CitationSource>,
    /// All sources of the run as a numbered list for a model.
    pub(crate) prompt: String,
    /// Instructions on how to cite, for the system prompt.
    pub(crate) guidelines: &'static str,
    /// Why there are none, where there could have been.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) warning: Option<String>,
}

/// Result of a sub-agent after it was merged into the run.
#[derive(Serialize, ToSchema)]
pub(crate) struct SubagentAnswer {
    /// Text of the sub-agent, with the run's source numbers.
    pub(crate) text: String,
    /// For each number of its own, the run's.
    pub(crate) renumbered: Vec<RenumberedSource>,
    /// Numbers in its text that named nothing; each is `[?]` now.
    pub(crate) dangling: Vec<u32>,
    /// The run's sources: each work once, with its number.
    pub(crate) sources: Vec<CitationSource>,
    /// All sources of the run as a numbered list for a model.
    pub(crate) prompt: String,
}

/// A number that became another one.
#[derive(Serialize, ToSchema)]
pub(crate) struct RenumberedSource {
    /// Source number in the sub-agent's text.
    pub(crate) from: u32,
    /// Source number in the text of the run.
    pub(crate) to: u32,
}

/// A claim of a message or a document that cites the source.
#[derive(Serialize, ToSchema)]
pub(crate) struct AffectedClaimView {
    /// The message that the claim stands in; null if it stands in a document.
    #[schema(required)]
    message_id: Option<String>,
    /// The conversation of that message; null if the claim stands in a document.
    #[schema(required)]
    conversation_id: Option<Uuid>,
    /// The document that the claim stands in; null if it stands in a message.
    #[schema(required)]
    document_id: Option<Uuid>,
    /// Title of that document; null if the claim stands in a message.
    #[schema(required)]
    document_title: Option<String>,
    /// Number of the citation in that message or document; the newest one if the claim cites the source several times.
    number: u32,
    /// Text of the claim; null if no claim was found at the marker.
    claim: Option<String>,
    /// The words that supported it.
    quote: Option<String>,
    /// Verdict of the citation check; null if it was not checked, as in documents.
    verdict: Option<CheckVerdict>,
    /// Number of other sources that the claim cites, that support it and that would remain.
    other_sources: u64,
    /// True if the source supports the claim and no other source does.
    loses_support: bool,
}

impl From<AffectedClaim> for AffectedClaimView {
    fn from(affected: AffectedClaim) -> Self {
        let mut view = Self {
            message_id: None,
            conversation_id: None,
            document_id: None,
            document_title: None,
            number: affected.number,
            claim: affected.claim,
            quote: affected.quote,
            verdict: affected.verdict.map(Into::into),
            other_sources: affected.other_sources,
            loses_support: affected.loses_support,
        };
        match affected.place {
            ClaimPlace::Message { message, conversation } => {
                view.message_id = Some(message.to_string());
                view.conversation_id = Some(conversation.uuid());
            }
            ClaimPlace::Document { document, title } => {
                view.document_id = Some(document.uuid());
                view.document_title = Some(title);
            }
        }
        view
    }
}

/// Tells whether a cited source can still be opened.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SourceAvailability {
    /// It is in the library.
    Available,
    /// It was deleted, and only this snapshot is left.
    Deleted,
    /// It never was in the library.
    External,
}
