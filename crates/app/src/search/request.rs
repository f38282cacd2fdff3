//! What can be asked, what is legal, and what comes back.

use ibid_domain::{Category, Code, Event, Problem, Revision, SearchFilter, Source, Span};
use ibid_store::Chunk;

use crate::GraphContext;

/// A search request with its options.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// Words or a question, as the user typed it.
    pub query: String,
    /// The query as a vector of the library's own space, for callers who embed by themselves.
    pub query_vector: Option<Vec<f32>>,
    /// Maximum number of results, 1 to 200.
    pub limit: usize,
    /// Restricts the passages that are searched.
    pub filter: SearchFilter,
    /// The lists to search: words, vectors or both.
    pub lists: SearchLists,
    /// Passages less alike to the query than this are left out.
    pub threshold: Option<f32>,
    /// True to return the passages before and after each result, too.
    pub expand_neighbors: bool,
    /// True to return matching events, too.
    pub include_events: bool,
    /// Options for finding related events; `None` skips the graph.
    pub graph: Option<GraphExpansion>,
}

/// The lists to search; at least one must be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLists {
    /// Passages with the words of the query.
    pub words: bool,
    /// Passages near the query in meaning.
    pub vectors: bool,
}

impl SearchLists {
    /// Searches words and vectors.
    pub const BOTH: Self = Self { words: true, vectors: true };
}

/// Options for finding events and entities related to the best results.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphExpansion {
    /// At most so many related events.
    pub budget: usize,
    /// From so many of the best results.
    pub seed_limit: usize,
    /// Events of these categories; none named means all.
    pub categories: Vec<Category>,
    /// True to return the entities involved.
    pub include_entities: bool,
    /// True to return the last change of each related source.
    pub include_revision_diff: bool,
}

impl Default for GraphExpansion {
    fn default() -> Self {
        Self {
            budget: 10,
            seed_limit: 1,
            categories: vec![Category::Decision, Category::Commitment, Category::QualityRisk],
            include_entities: true,
            include_revision_diff: false,
        }
    }
}

impl SearchRequest {
    /// Number of results if the request names none.
    pub const DEFAULT_LIMIT: usize = 10;
    /// The most results there can be.
    pub const MAX_LIMIT: usize = 200;
    /// The longest query, in bytes.
    pub const MAX_QUERY: usize = 16 * 1024;

    /// A search with every default.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            query_vector: None,
            limit: Self::DEFAULT_LIMIT,
            filter: SearchFilter::default(),
            lists: SearchLists::BOTH,
            threshold: None,
            expand_neighbors: false,
            include_events: true,
            graph: Some(GraphExpansion::default()),
        }
    }

    /// Validates the request, or returns the problem with its first invalid field.
    pub(super) fn check(&self) -> Result<(), Problem> {
        let wrong = |field: &str, detail: String| Err(Problem::new(Code::InvalidField, detail).with_field(field));
        if self.query.trim().is_empty() && self.query_vector.is_none() {
            return wrong("query", "the query is empty; give words or a question".to_owned());
        }
        if self.query.len() > Self::MAX_QUERY {
            let detail = format!("the query has {} bytes; at most {} are taken", self.query.len(), Self::MAX_QUERY);
            return wrong("query", detail);
        }
        if !(1..=Self::MAX_LIMIT).contains(&self.limit) {
            return wrong("limit", format!("limit is {}; it is 1 to {}", self.limit, Self::MAX_LIMIT));
        }
        if !self.lists.words && !self.lists.vectors {
            return wrong("lists", "no list is named; name words, vectors or both".to_owned());
        }
        if let Some(threshold) = self.threshold.filter(|threshold| !(-1.0..=1.0).contains(threshold)) {
            return wrong("threshold", format!("threshold is {threshold}; it is a similarity from -1 to 1"));
        }
        if let Some(vector) = &self.query_vector {
            if vector.is_empty() || vector.iter().any(|number| !number.is_finite()) {
                return wrong("query_vector", "query_vector must be finite numbers, at least one".to_owned());
            }
            if vector.iter().all(|number| *number == 0.0) {
                return wrong("query_vector", "query_vector is all zeros and has no direction".to_owned());
            }
        }
        if let Some(graph) = &self.graph {
            if graph.budget > 50 {
                return wrong("graph_budget", format!("graph_budget is {}; it is 0 to 50", graph.budget));
            }
            if !(1..=50).contains(&graph.seed_limit) {
                return wrong("graph_seed_limit", format!("graph_seed_limit is {}; it is 1 to 50", graph.seed_limit));
            }
        }
        Ok(())
    }
}

/// The results of a search, with counts and hints.
#[derive(Clone, Debug, Default)]
pub struct SearchResponse {
    /// The best passages, best first.
    pub results: Vec<FoundPassage>,
    /// Number of passages that matched the filter.
    pub searched: u64,
    /// Number of candidates found by words; `None` if that list was not searched.
    pub words: Option<u64>,
    /// Number of candidates found by vectors; `None` if that list was not searched.
    pub vectors: Option<u64>,
    /// Related events and entities; `None` if not requested.
    pub expanded: Option<GraphContext>,
    /// Hints for the user, such as why the vector list was skipped.
    pub notes: Vec<String>,
}

/// A passage or event found by a search.
#[derive(Clone, Debug)]
pub struct FoundPassage {
    /// The event, if the result is an event of this passage.
    pub event: Option<Event>,
    pub chunk: Chunk,
    /// The source that the passage belongs to.
    pub source: Source,
    /// The revision the passage belongs to.
    pub revision: Revision,
    /// Relevance; comparable within one response only.
    pub score: f64,
    /// Its place in the list of words, from 1, and its score there.
    pub words: Option<ListRank>,
    /// Its place in the list of vectors, from 1, and its similarity.
    pub vector: Option<ListRank>,
    /// Cosine similarity to the query; may be set for a passage found by words only.
    pub similarity: Option<f32>,
    /// The words of it that answer.
    pub evidence: Vec<PassageEvidence>,
    /// The passages before and after it, if they were asked for.
    pub neighbors: Vec<Chunk>,
}

/// Rank and score of a result in one list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListRank {
    /// Position in the list, counted from 1.
    pub rank: usize,
    /// Score in the list: BM25 or cosine similarity.
    pub score: f32,
}

/// Exact words of a source that answer.
#[derive(Clone, Debug, PartialEq)]
pub struct PassageEvidence {
    /// Exact words of the source that match the query.
    pub quote: String,
    /// Character range of the quote in the text of the revision.
    pub span: Span,
    /// Spans within the quote that match the query.
    pub matches: Vec<Span>,
    /// Page of the quote; `None` if the source has no pages.
    pub page: Option<u32>,
    /// The headings they stand under.
    pub section: Option<String>,
}
