//! The view of a search by sources: each with the passages of it that answer.

use ibid_app::{Found, Search};
use ibid_domain::{Problem, SearchFilter};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::wire::{Filters, app_url, count, wrong};

/// A search for sources with excerpts.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceSearchBody {
    /// Words or a question.
    #[serde(default)]
    pub(crate) query: String,
    /// At most so many sources, 1 to 50. By default 5.
    pub(crate) limit: Option<i64>,
    /// The same under another name.
    pub(crate) top_k: Option<i64>,
    /// Excerpts less alike to the query than this are left out. By default 0, for one document's sources 0.5.
    pub(crate) threshold: Option<f32>,
    /// Which passages are looked at.
    pub(crate) filters: Option<Filters>,
    /// The query as a vector, for libraries whose vectors come from outside.
    pub(crate) query_vector: Option<Vec<f32>>,
}

/// Sources that answer, each with excerpts.
#[derive(Serialize, ToSchema)]
pub(crate) struct SourceSearchAnswer {
    /// The sources, best first.
    pub(crate) sources: Vec<FoundSource>,
    /// How the search went.
    pub(crate) search_metadata: SourceSearchMetadata,
    /// Why there is nothing, where there is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
}

/// A source that answers.
#[derive(Serialize, ToSchema)]
pub(crate) struct FoundSource {
    /// Its id.
    pub(crate) file_id: Uuid,
    /// The same again.
    pub(crate) source_id: Uuid,
    /// What its file was called, or its title.
    pub(crate) file_name: String,
    /// What it is called.
    pub(crate) title: String,
    /// Where it came from.
    pub(crate) source_type: &'static str,
    /// What its bytes are.
    pub(crate) mime_type: String,
    /// How well it answers, 0 to 1.
    pub(crate) relevance_score: f64,
    /// How near its best excerpt is to the query: the cosine; null where it has no vector.
    #[schema(required)]
    pub(crate) similarity: Option<f32>,
    /// Whether it is a picture.
    pub(crate) is_image: bool,
    /// How a client gets at the content.
    pub(crate) fetch_strategy: &'static str,
    /// Where it stands.
    #[schema(required)]
    pub(crate) url: Option<String>,
    /// The passages that answer, best first.
    pub(crate) excerpts: Vec<Excerpt>,
}

/// A passage that answers.
#[derive(Serialize, ToSchema)]
pub(crate) struct Excerpt {
    /// The words.
    pub(crate) content: String,
    /// How well it answers, 0 to 1.
    pub(crate) score: f64,
    /// How near it is to the query: the cosine.
    #[schema(required)]
    pub(crate) similarity: Option<f32>,
    /// Which passage of the source it is, from 0.
    pub(crate) chunk_index: u64,
    /// The passage's id.
    pub(crate) chunk_id: Uuid,
    /// The first character in the revision's text.
    pub(crate) start_char: usize,
    /// One past the last.
    pub(crate) end_char: usize,
    /// The version it stands in.
    pub(crate) revision_id: Uuid,
    /// The page it begins on.
    #[schema(required)]
    pub(crate) page: Option<u32>,
    /// The address in this server's app that opens the source there.
    pub(crate) url: String,
}

/// How a search for sources went.
#[derive(Serialize, ToSchema)]
pub(crate) struct SourceSearchMetadata {
    /// What was asked.
    pub(crate) query: String,
    /// How many passages were looked at.
    pub(crate) total_chunks_searched: u64,
    /// Excerpts less alike than this were left out.
    pub(crate) threshold: f32,
    /// How long it took, in milliseconds.
    pub(crate) took_ms: f64,
}

impl SourceSearchBody {
    /// The search that is meant: `per_source` passages a source are looked for.
    pub(crate) fn search(&self, standard_threshold: f32) -> Result<(Search, usize), Problem> {
        let field = if self.top_k.is_some() { "top_k" } else { "limit" };
        let limit = count(self.top_k.or(self.limit), field, 5)?;
        if !(1..=50).contains(&limit) {
            return Err(wrong(field, format!("{field} is {limit}; it is 1 to 50")));
        }
        let search = Search {
            query_vector: self.query_vector.clone(),
            // More than one passage of a source may answer.
            limit: limit * 4,
            filter: self.filters.as_ref().map_or_else(|| Ok(SearchFilter::default()), Filters::filter)?,
            threshold: Some(self.threshold.unwrap_or(standard_threshold)),
            graph: None,
            include_events: false,
            ..Search::new(self.query.clone())
        };
        Ok((search, limit))
    }
}

impl SourceSearchAnswer {
    /// The passages that were found, put together by source.
    pub(crate) fn new(search: &Search, found: Found, limit: usize, took_ms: f64) -> Self {
        let mut sources: Vec<FoundSource> = Vec::new();
        for one in found.results {
            let score = one.score.clamp(0.0, 1.0);
            let similarity = one.similarity;
            let (source, revision, chunk) = (one.source, one.revision, one.chunk);
            let id = source.id.uuid();
            let at = match sources.iter().position(|known| known.file_id == id) {
                Some(at) => at,
                None if sources.len() == limit => continue,
                None => {
                    let title = source.title().to_owned();
                    sources.push(FoundSource {
                        file_id: id,
                        source_id: id,
                        file_name: revision.filename.clone().unwrap_or_else(|| title.clone()),
                        title,
                        source_type: source.origin.as_str(),
                        mime_type: revision.media_type.clone(),
                        relevance_score: score,
                        similarity,
                        is_image: revision.is_image(),
                        fetch_strategy: source.origin.fetch_strategy().as_str(),
                        url: source.url.clone(),
                        excerpts: Vec::new(),
                    });
                    sources.len() - 1
                }
            };
            sources[at].excerpts.push(Excerpt {
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
