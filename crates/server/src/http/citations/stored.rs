//! `/api/v1/messages/{id}/citations` and `/api/v1/citations/stats`

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use ibid_app::CitationStats;
use ibid_citations::formats::{self, CitationAnchor};
use ibid_domain::{Citation, SourceId, Timestamp};
use ibid_store::CitationFilter;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::super::{
    Server,
    extract::{Caller, Path, Query},
    problem::ApiResult,
    runs::conversations::{conversation_id, message_id},
    sources::source_id,
};
use crate::wire::{
    Problem as WireProblem,
    citations::{CitationExportFormat, OffsetUnits},
    runs as runs_wire,
    search::parse_time,
};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(in super::super) struct CitationFormatQuery {
    /// `openai`, `anthropic`, `ai_sdk` or `web_annotation`; else as Ibid writes them.
    format: Option<CitationExportFormat>,
    /// Unit of the offsets into the message in those formats: `code_points` (default), `utf16` or `bytes`.
    #[serde(default)]
    units: OffsetUnits,
}

/// The citations of a message.
#[derive(Serialize, ToSchema)]
pub(crate) struct MessageCitations {
    /// Message that the citations stand in.
    message_id: String,
    /// Its citations, in the order in which they stand.
    citations: Vec<runs_wire::Citation>,
    /// The files that it cites, each once.
    cited_files: Vec<runs_wire::CitedFile>,
}

/// The citations of a message
///
/// As they were when they were made: a source that was deleted since is a tombstone with its name and type. With
/// `format`, the message and its citations as others write them.
#[utoipa::path(
    get, path = "/api/v1/messages/{id}/citations", tag = "citations", operation_id = "list_message_citations",
    params(("id" = String, Path, description = "The message"), CitationFormatQuery),
    responses(
        (status = 200, description = "Its citations", body = MessageCitations),
        (status = 404, description = "There is no such message", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "There is no such format", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn of_message(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(query): Query<CitationFormatQuery>,
) -> ApiResult<Response> {
    let (message, citations) = server.app.citations(&scope).of_message(&message_id(&id)?).await?;
    if let Some(format) = query.format {
        let anchors: Vec<_> = citations.iter().map(citation_anchor).collect();
        let written = formats::render_message(&message.content, &anchors, format.into(), query.units.into());
        return Ok(axum::Json(written).into_response());
    }
    let cited_files = ibid_domain::citation::cited_files(&citations);
    Ok(axum::Json(MessageCitations {
        message_id: message.id.to_string(),
        cited_files: cited_files.into_iter().map(Into::into).collect(),
        citations: citations.into_iter().map(Into::into).collect(),
    })
    .into_response())
}

/// A kept citation for those who write it their way.
pub(crate) fn citation_anchor(citation: &Citation) -> CitationAnchor {
    let at = citation.anchor.as_ref();
    let id = citation.source.map(|id| id.to_string());
    let id = id.or_else(|| (!citation.is_tombstone()).then(|| citation.cited_id.clone()));
    let media_type = match citation.snapshot.media_type.as_str() {
        "" => "application/octet-stream",
        known => known,
    };
    CitationAnchor {
        marker: citation.marker,
        claim: citation.claim,
        number: citation.number,
        source_id: id,
        title: citation.snapshot.file_name.clone(),
        url: citation.snapshot.url.clone(),
        media_type: media_type.to_owned(),
        text_sha256: at.map(|anchor| anchor.text.to_string()),
        quote: citation.quote.clone().unwrap_or_default(),
        span: at.and_then(|anchor| anchor.span),
        prefix: at.map(|anchor| anchor.prefix.clone()).unwrap_or_default(),
        suffix: at.map(|anchor| anchor.suffix.clone()).unwrap_or_default(),
        pages: at.and_then(|anchor| anchor.pages),
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(in super::super) struct CitationStatsQuery {
    /// Only those of this conversation.
    conversation_id: Option<String>,
    /// Only count citations of this source.
    source_id: Option<String>,
    /// Only those made from then on (RFC 3339).
    since: Option<String>,
    /// Only those made before (RFC 3339).
    until: Option<String>,
}

/// Citation statistics of the library.
#[derive(Serialize, ToSchema)]
pub(crate) struct CitationStatistics {
    /// Number of citations in all messages.
    citations: u64,
    /// Number of messages that cite something.
    messages: u64,
    /// Number of different sources that are cited.
    sources: u64,
    /// Number of citations whose source no longer has the quoted words.
    changed: u64,
    /// Number of citations whose source was deleted.
    deleted: u64,
    /// Number of citations for each verdict.
    verdicts: Vec<VerdictCount>,
    /// The sources that are cited most, at most 50.
    most_cited: Vec<CitedSourceCount>,
    /// Number of citations made on each day.
    per_day: Vec<DayCount>,
    /// The conversations that cite most, at most 50.
    per_conversation: Vec<ConversationCount>,
}

/// Number of citations with one verdict.
#[derive(Serialize, ToSchema)]
pub(crate) struct VerdictCount {
    /// The verdict; null for those that were not checked.
    #[schema(value_type = Option<crate::wire::values::CheckVerdict>)]
    verdict: Option<String>,
    /// Number of citations with this verdict.
    citations: u64,
}

/// Citation count of one source.
#[derive(Serialize, ToSchema)]
pub(crate) struct CitedSourceCount {
    /// The source; null if it was deleted, or is none of the library's.
    source_id: Option<Uuid>,
    /// Title, as people see it.
    title: String,
    /// The name of its file, or its title.
    file_name: String,
    /// Media type of the source's content.
    mime_type: String,
    /// True if the source was in the library and has been deleted.
    is_deleted: bool,
    /// Number of citations of this source.
    citations: u64,
    /// Number of messages that cite this source.
    messages: u64,
    /// Time of the newest citation of this source.
    #[schema(value_type = String, format = DateTime)]
    last_cited_at: Timestamp,
}

/// Number of citations made on one day.
#[derive(Serialize, ToSchema)]
pub(crate) struct DayCount {
    /// Day in UTC, as `2024-05-01`.
    date: String,
    /// Number of citations made on this day.
    citations: u64,
}

/// Citation count of one conversation.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConversationCount {
    /// Id of the conversation, a UUID.
    conversation_id: Uuid,
    /// Title of the conversation; null if it has none.
    title: Option<String>,
    /// Number of citations in this conversation.
    citations: u64,
    /// Number of different sources that this conversation cites.
    sources: u64,
}

impl From<CitationStats> for CitationStatistics {
    fn from(stats: CitationStats) -> Self {
        let CitationStats { totals, sources, days, conversations } = stats;
        let source = |one: ibid_store::CitedSource| CitedSourceCount {
            source_id: one.source.map(SourceId::uuid),
            is_deleted: one.was_in_library && one.source.is_none(),
            title: one.title,
            file_name: one.file_name,
            mime_type: one.media_type,
            citations: one.citations,
            messages: one.messages,
            last_cited_at: one.last_cited_at,
        };
        Self {
            citations: totals.citations,
            messages: totals.messages,
            sources: totals.sources,
            changed: totals.changed,
            deleted: totals.deleted,
            verdicts: totals
                .verdicts
                .into_iter()
                .map(|(verdict, citations)| VerdictCount { verdict, citations })
                .collect(),
            most_cited: sources.into_iter().map(source).collect(),
            per_day: days.into_iter().map(|(date, citations)| DayCount { date, citations }).collect(),
            per_conversation: conversations
                .into_iter()
                .map(|(id, title, citations, sources)| ConversationCount {
                    conversation_id: id.uuid(),
                    title,
                    citations,
                    sources,
                })
                .collect(),
        }
    }
}

/// Get citation statistics
///
/// Returns the most cited sources, the number of citations per day, and the conversations that cite most.
#[utoipa::path(
    get, path = "/api/v1/citations/stats", tag = "citations", operation_id = "citation_stats",
    params(CitationStatsQuery),
    responses(
        (status = 200, description = "The counts", body = CitationStatistics),
        (status = 422, description = "Something is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn stats(
    State(server): State<Server>,
    Caller(scope): Caller,
    Query(query): Query<CitationStatsQuery>,
) -> ApiResult<axum::Json<CitationStatistics>> {
    let filter = CitationFilter {
        conversation: query.conversation_id.as_deref().map(conversation_id).transpose()?,
        source: query.source_id.as_deref().map(source_id).transpose()?,
        since: parse_time(query.since.as_deref(), "since")?,
        until: parse_time(query.until.as_deref(), "until")?,
    };
    Ok(axum::Json(server.app.citations(&scope).stats(&filter).await?.into()))
}
