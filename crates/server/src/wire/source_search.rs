//! The view of a search by sources: each with the passages of it that answer.

use ibid_app::{SearchRequest, SearchResponse};
use ibid_domain::{Problem, SearchFilter};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    search::{SearchFilters, app_url, invalid_field, parse_count},
    values::{FetchStrategy, SourceOrigin},
};

/// A search for sources with excerpts.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceSearchBody {
    /// Question or words to search for.
    #[serde(default)]
    pub(crate) query: String,
    /// At most so many sources, 1 to 50. By default 5.
    pub(crate) limit: Option<i64>,
    /// The same under another name.
    pub(crate) top_k: Option<i64>,
    /// Excerpts less alike to the query than this are left out. By default 0, for one document's sources 0.5.
    pub(crate) threshold: Option<f32>,
    /// Limits the passages that are searched.
    pub(crate) filters: Option<SearchFilters>,
    /// The query as a vector, for libraries whose vectors come from outside.
    pub(crate) query_vector: Option<Vec<f32>>,
}

/// Sources that answer, each with excerpts.
#[derive(Serialize, ToSchema)]
pub(crate) struct SourceSearchAnswer {
    /// Matching sources, best first.
    pub(crate) sources: Vec<SourceSearchResult>,
    /// Timing and size of the search.
    pub(crate) search_metadata: SourceSearchMetadata,
    /// Why there is nothing, where there is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
}

/// A source that matches a search, with its best excerpts.
#[derive(Serialize, ToSchema)]
pub(crate) struct SourceSearchResult {
    /// Id of the source; the same as `source_id`.
    pub(crate) file_id: Uuid,
    /// Id of the source; the same as `file_id`.
    pub(crate) source_id: Uuid,
    /// Name of the source's file, or its title if it has no file.
    pub(crate) file_name: String,
    /// Title, as people see it.
    pub(crate) title: String,
    /// Origin of the source.
    pub(crate) source_type: SourceOrigin,
    /// Media type of the source's content.
    pub(crate) mime_type: String,
    /// Relevance of the source to the query, from 0 to 1.
    pub(crate) relevance_score: f64,
    /// Cosine similarity of the best excerpt to the query; null if it has no vector.
    #[schema(required)]
    pub(crate) similarity: Option<f32>,
    /// True if the source is an image.
    pub(crate) is_image: bool,
    /// Way for a client to get the content.
    pub(crate) fetch_strategy: FetchStrategy,
    /// Web address of the source; null if it has none.
    #[schema(required)]
    pub(crate) url: Option<String>,
    /// The passages that answer, best first.
    pub(crate) excerpts: Vec<SourceExcerpt>,
}

/// A passage of a source that matches a search.
#[derive(Serialize, ToSchema)]
pub(crate) struct SourceExcerpt {
    /// Text of the passage, as it stands in the source.
    pub(crate) content: String,
    /// Relevance of the passage to the query, from 0 to 1.
    pub(crate) score: f64,
    /// Cosine similarity to the query; null if the passage has no vector.
    #[schema(required)]
    pub(crate) similarity: Option<f32>,
    /// Position of the passage among the chunks of the source, from 0.
    pub(crate) chunk_index: u64,
    /// Id of the chunk that the excerpt is from.
    pub(crate) chunk_id: Uuid,
    /// The first character in the revision's text.
    pub(crate) start_char: usize,
    /// Offset after the excerpt's last character.
    pub(crate) end_char: usize,
    /// Id of the revision that has the excerpt.
    pub(crate) revision_id: Uuid,
    /// Page that the excerpt begins on, from 1; null if the source has no pages.
    #[schema(required)]
    pub(crate) page: Option<u32>,
    /// The address in this server's app that opens the source there.
    pub(crate) url: String,
}

/// Timing and size of a search for sources.
#[derive(Serialize, ToSchema)]
pub(crate) struct SourceSearchMetadata {
    /// Query as it was searched for.
    pub(crate) query: String,
    /// Number of passages that were searched.
    pub(crate) total_chunks_searched: u64,
    /// Excerpts less alike than this were left out.
    pub(crate) threshold: f32,
    /// Duration of the search, in milliseconds.
    pub(crate) took_ms: f64,
}

impl SourceSearchBody {
    /// The search that is meant: `per_source` passages a source are looked for.
    pub(crate) fn to_search(&self, standard_threshold: f32) -> Result<(SearchRequest, usize), Problem> {
        let field = if self.top_k.is_some() { "top_k" } else { "limit" };
        let limit = parse_count(self.top_k.or(self.limit), field, 5)?;
        if !(1..=50).contains(&limit) {
            return Err(invalid_field(field, format!("{field} is {limit}; it is 1 to 50")));
        }
        let search = SearchRequest {
            query_vector: self.query_vector.clone(),
            // More than one passage of a source may answer.
            limit: limit * 4,
            filter: self.filters.as_ref().map_or_else(|| Ok(SearchFilter::default()), SearchFilters::to_filter)?,
            threshold: Some(self.threshold.unwrap_or(standard_threshold)),
            graph: None,
            include_events: false,
            ..SearchRequest::new(self.query.clone())
        };
        Ok((search, limit))
    }
}

impl SourceSearchAnswer {
    /// The passages that were found, put together by source.
    pub(crate) fn new(search: &SearchRequest, found: SearchResponse, limit: usize, took_ms: f64) -> Self {
        let mut sources: Vec<SourceSearchResult> = Vec::new();
        for one in found.results {
            let score = one.score.clamp(0.0, 1.0);
            let similarity = one.similarity;
            let (source, revision, chunk) = (one.source, one.revision, one.chunk);
            let id = source.id.uuid();
            let at = match sources.iter().position(|known| known.file_id == id) {
                Some(at) => at,
                None if sources.len() == limit => continue,
                None => {
                    let title = source.display_title().to_owned();
                    sources.push(SourceSearchResult {
                        file_id: id,
                        source_id: id,
                        file_name: revision.filename.clone().unwrap_or_else(|| title.clone()),
                        title,
                        source_type: source.origin.into(),
                        mime_type: revision.media_type.clone(),
                        relevance_score: score,
                        similarity,
                        is_image: revision.is_image(),
                        fetch_strategy: source.origin.fetch_strategy().into(),
                        url: source.url.clone(),
                        excerpts: Vec::new(),
                    });
                    sources.len() - 1
                }
            };
            sources[at].excerpts.push(SourceExcerpt {
                url: app_url(id, revision.id.uuid(), chunk.span.start, chunk.span.end),
                score,
                similarity,
                chunk_index: chunk.ordinal,
                chunk_id: chunk.id.uuid(),
                start_char: chunk.span.start,
                end_char: chunk.span.end,
                revision_id: revision.id.uuid(),
                page: chunk.place.page,
                content: chunk.content,
            });
        }
        Self {
            message: (sources.is_empty() && !found.notes.is_empty()).then(|| found.notes.join(" ")),
            sources,
            search_metadata: SourceSearchMetadata {
                query: search.query.clone(),
                total_chunks_searched: found.searched,
                threshold: search.threshold.unwrap_or(0.0),
                took_ms,
            },
        }
    }
}
