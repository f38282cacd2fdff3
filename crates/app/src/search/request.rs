//! What can be asked, what is legal, and what comes back.

use ibid_domain::{Category, Code, Event, Problem, Revision, SearchFilter, Source, Span};
use ibid_store::Chunk;

use crate::Expanded;

/// A search.
#[derive(Clone, Debug)]
pub struct Search {
    /// What a person typed, or a question.
    pub query: String,
    /// The query as a vector of the library's own space, for callers who embed by themselves.
    pub query_vector: Option<Vec<f32>>,
    /// At most so many results.
    pub limit: usize,
    /// Which passages are looked at.
    pub filter: SearchFilter,
    /// Which lists are asked.
    pub lists: Lists,
    /// Passages less alike to the query than this are left out.
    pub threshold: Option<f32>,
    /// Whether the passages before and after each are given, too.
    pub expand_neighbors: bool,
    /// Whether events are looked for, too.
    pub include_events: bool,
    /// Whether what is connected with the best results is given, too.
    pub graph: Option<GraphExpansion>,
}

/// Which lists are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lists {
    /// Passages with the words of the query.
    pub words: bool,
    /// Passages near the query in meaning.
    pub vectors: bool,
}

impl Lists {
    /// Both.
    pub const BOTH: Self = Self { words: true, vectors: true };
}

/// How what is connected with the best results is found.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphExpansion {
    /// At most so many related events.
    pub budget: usize,
    /// From so many of the best results.
    pub seed_limit: usize,
    /// Events of these categories; none named means all.
    pub categories: Vec<Category>,
    /// Whether the entities involved are given.
    pub include_entities: bool,
    /// Whether differences between revisions are given.
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

impl Search {
    /// How many results there are if nothing is said.
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
            lists: Lists::BOTH,
            threshold: None,
            expand_neighbors: false,
            include_events: true,
            graph: Some(GraphExpansion::default()),
        }
    }

    /// Whether it is legal, or what would be.
    pub(super) fn check(&self) -> Result<(), Problem> {
        let wrong = |field: &str, detail: String| Err(Problem::new(Code::InvalidField, detail).field(field));
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

/// What a search brought.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The best passages, best first.
    pub results: Vec<FoundPassage>,
    /// How many passages were looked at.
    pub searched: u64,
    /// How many candidates the list of words gave; none if it was not asked.
    pub words: Option<u64>,
    /// How many candidates the list of vectors gave; none if it was not asked.
    pub vectors: Option<u64>,
    /// What is connected with the best of them, if that was asked for.
    pub expanded: Option<Expanded>,
    /// What a person should know about how the search went: why a list was not asked.
    pub notes: Vec<String>,
}

/// A passage that was found.
#[derive(Clone, Debug)]
pub struct FoundPassage {
    /// What happened, if it is an event of the passage that was found.
    pub event: Option<Event>,
    /// The passage.
    pub chunk: Chunk,
    /// Whose it is.
    pub source: Source,
    /// Of which version.
    pub revision: Revision,
    /// How well it fits, comparable within one answer only.
    pub score: f64,
    /// Its place in the list of words, from 1, and its score there.
    pub words: Option<Ranked>,
    /// Its place in the list of vectors, from 1, and its similarity.
    pub vector: Option<Ranked>,
    /// How near it is in meaning, where that is known; it may be so without being in the list.
    pub similarity: Option<f32>,
    /// The words of it that answer.
    pub evidence: Vec<Evidence>,
    /// The passages before and after it, if they were asked for.
    pub neighbors: Vec<Chunk>,
}

/// A place in a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// The place, from 1.
    pub rank: usize,
    /// The score there.
    pub score: f32,
}

/// Exact words of a source that answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The words.
    pub quote: String,
    /// Where they stand in the revision's text.
    pub span: Span,
    /// Which of their characters match the query: spans within the quote.
    pub matches: Vec<Span>,
    /// The page they stand on.
    pub page: Option<u32>,
    /// The headings they stand under.
    pub section: Option<String>,
}
