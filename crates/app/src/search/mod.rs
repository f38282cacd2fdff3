//! Finding the passages that answer: by their words, by their meaning, and by both together.
//!
//! `request.rs` says what can be asked and what comes back, `fusion.rs` puts the two lists together, `events.rs` adds what
//! happened, `indexing.rs` keeps
//! the index of the embedded engine up to date, `database_lists.rs` that of PostgreSQL.

mod database_lists;
mod events;
mod fusion;
pub(crate) mod indexing;
mod request;

use std::{collections::HashMap, sync::Arc};

use ibid_domain::{Code, Mark, Origin, Place, Problem, RevisionId, SearchFilter, Source, Span};
use ibid_index::{AllowedPassages, Index, matcher::Matcher, query};
use ibid_models::Purpose;
use ibid_store::Chunk;

use self::fusion::{ActiveLists, FusionCandidate};
pub use self::{
    indexing::IndexState,
    request::{FoundPassage, GraphExpansion, ListRank, PassageEvidence, SearchLists, SearchRequest, SearchResponse},
};
use crate::{App, GraphContext, Result, services::SearchService};

/// A passage shares so much of its text with a better one that it tells nothing new.
const SAME: f64 = 0.4;
/// At most so many quotes of a passage.
const QUOTES: usize = 2;

/// The two lists, and how many passages were looked at.
#[derive(Default)]
struct CandidateLists {
    candidates: Vec<FusionCandidate>,
    words: HashMap<i64, ListRank>,
    vectors: HashMap<i64, ListRank>,
    /// The revision that a candidate was indexed under, where the index is beside the database.
    revisions: HashMap<i64, RevisionId>,
    searched: u64,
}

impl CandidateLists {
    /// Stores rank and score of each candidate of a list that is sorted best first.
    fn record_ranks(&mut self, list: &[(i64, f32)], of_words: bool) {
        let places = if of_words { &mut self.words } else { &mut self.vectors };
        for (place, (seq, score)) in list.iter().enumerate() {
            places.insert(*seq, ListRank { rank: place + 1, score: *score });
        }
    }
}

impl SearchService<'_> {
    /// The best passages for a query, with the exact words of each that answer.
    pub async fn run(self, search: &SearchRequest) -> Result<SearchResponse> {
        search.check()?;
        let narrowed = self.app.documents(self.scope).within_document(search).await?;
        let search = narrowed.as_ref().unwrap_or(search);
        let index = self.app.search_index().await?;
        let languages = match &index {
            Some(index) => index.languages(),
            None => self.stored_languages().await?,
        };
        let languages: Vec<&str> = languages.iter().map(String::as_str).collect();
        let query = query::parse_query(&search.query, &languages);
        let mut notes = Vec::new();
        if search.lists.words && query.words.is_empty() && search.query_vector.is_none() {
            let empty = query.meaning.trim().is_empty();
            if empty {
                let detail = "the query has no word to look for; give one or more that are not only excluded";
                return Err(Problem::new(Code::InvalidField, detail).with_field("query").into());
            }
        }
        let vector = match search.lists.vectors {
            true => self.app.query_vector(search, &query.meaning, index.as_deref(), &mut notes).await?,
            false => None,
        };
        let asked = SearchLists { words: search.lists.words && !query.words.is_empty(), vectors: vector.is_some() };
        let count = fusion::candidate_count(search.limit);
        let mut listed = match index {
            Some(index) => self.index_lists(&index, &query.words, vector, &search.filter, asked, count).await?,
            None => self.stored_lists(&query.words, vector, &search.filter, asked, count).await?,
        };
        let weights = ActiveLists { words: !listed.words.is_empty(), vectors: !listed.vectors.is_empty() };
        let ranked = fusion::fuse(std::mem::take(&mut listed.candidates), weights);
        let ranked = ranked.into_iter().filter(|(one, _)| match search.threshold {
            Some(threshold) if asked.vectors => one.cosine.map_or(threshold <= 0.0, |cosine| cosine >= threshold),
            _ => true,
        });
        let matcher = Matcher::new(&query);
        let ranked: Vec<_> = ranked.collect();
        let mut results = self.select_passages(search, &ranked, &listed, &matcher).await?;
        if search.include_events && search.filter.as_of.is_none() {
            self.add_events(search, &ranked, &listed, &matcher, &mut results).await?;
        }
        let expanded = match &search.graph {
            // The graph is of what is current.
            Some(_) if search.filter.as_of.is_some() => {
                notes.push("what is connected is known of the library as it is now, not as it was".to_owned());
                Some(GraphContext::default())
            }
            Some(graph) => {
                Some(self.app.knowledge(self.scope).expand_results(graph, &results, search.filter.memories).await?)
            }
            None => None,
        };
        if results.is_empty() && listed.searched == 0 {
            notes.push("nothing that was asked for has text yet: add sources, or wait until they are read".to_owned());
        }
        Ok(SearchResponse {
            results,
            searched: listed.searched,
            words: asked.words.then_some(listed.words.len() as u64),
            vectors: asked.vectors.then_some(listed.vectors.len() as u64),
            expanded,
            notes,
        })
    }

    /// Both lists from the index beside the database.
    async fn index_lists(
        self,
        index: &Arc<Index>,
        words: &ibid_domain::WordQuery,
        vector: Option<Vec<f32>>,
        filter: &SearchFilter,
        asked: SearchLists,
        count: usize,
    ) -> Result<CandidateLists> {
        let revisions = match filter.as_of {
            Some(_) => Some(self.app.store.read().await?.search(self.scope).list_revisions(filter).await?),
            None => None,
        };
        let earlier = revisions.is_some();
        let allowed = index.allowed_passages(self.scope.tenant(), filter, revisions.as_deref());
        let searched = match &allowed {
            AllowedPassages::All => index.passage_and_vector_count().0 as u64,
            AllowedPassages::Some(_, count) => *count as u64,
        };
        let mut listed = CandidateLists { searched, ..CandidateLists::default() };
        let by_vector = match &vector {
            Some(vector) => index.nearest_passages(vector, &allowed, count),
            None => Vec::new(),
        };
        // Every candidate is scored in both lists.
        let slots: Vec<u32> = by_vector.iter().map(|hit| hit.slot).collect();
        let (by_words, scores) = match asked.words {
            true => index.search_words(words, &allowed, earlier, count, &slots).map_err(indexing::index_error)?,
            false => (Vec::new(), vec![0.0; slots.len()]),
        };
        let slots: Vec<u32> = by_words.iter().map(|hit| hit.slot).collect();
        let cosines =
            vector.as_ref().map_or_else(|| vec![None; slots.len()], |vector| index.similarities(vector, &slots));
        let pairs = |hits: &[ibid_index::IndexHit]| hits.iter().map(|hit| (hit.seq, hit.score)).collect::<Vec<_>>();
        listed.record_ranks(&pairs(&by_words), true);
        listed.record_ranks(&pairs(&by_vector), false);
        for (hit, cosine) in by_words.iter().zip(cosines) {
            listed.candidates.push(FusionCandidate { seq: hit.seq, bm25: hit.score, cosine });
            listed.revisions.insert(hit.seq, hit.revision);
        }
        for (hit, bm25) in by_vector.iter().zip(scores).filter(|(hit, _)| !listed.words.contains_key(&hit.seq)) {
            listed.candidates.push(FusionCandidate { seq: hit.seq, bm25, cosine: Some(hit.score) });
            listed.revisions.insert(hit.seq, hit.revision);
        }
        Ok(listed)
    }

    /// The best candidates that are still there and say something new, with the words of them that answer.
    async fn select_passages(
        self,
        search: &SearchRequest,
        ranked: &[(FusionCandidate, f64)],
        listed: &CandidateLists,
        matcher: &Matcher,
    ) -> Result<Vec<FoundPassage>> {
        let mut chosen: Vec<FoundPassage> = Vec::with_capacity(search.limit);
        let mut rest = ranked;
        while chosen.len() < search.limit && !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(search.limit - chosen.len()));
            rest = later;
            let seqs: Vec<i64> = now.iter().map(|(one, _)| one.seq).collect();
            let rows = self.app.store.read_inline().await?.search(self.scope).fetch_passages(&seqs).await?;
            let mut rows: HashMap<i64, _> = rows.into_iter().collect();
            for (candidate, score) in now {
                let Some(row) = rows.remove(&candidate.seq) else { continue };
                let seq = candidate.seq;
                let (chunk, source, revision) = &*row;
                let known = listed.revisions.get(&seq).is_none_or(|id| *id == chunk.revision);
                let current = search.filter.as_of.is_some() || source.revision == Some(chunk.revision);
                if !known || !current || !passes_filter(&search.filter, source) || is_duplicate(&chosen, chunk) {
                    continue;
                }
                chosen.push(FoundPassage {
                    event: None,
                    evidence: find_evidence(chunk, matcher),
                    chunk: chunk.clone(),
                    source: source.clone(),
                    revision: revision.clone(),
                    score: *score,
                    words: listed.words.get(&seq).copied(),
                    vector: listed.vectors.get(&seq).copied(),
                    similarity: candidate.cosine,
                    neighbors: Vec::new(),
                });
            }
        }
        self.place_quotes(&mut chosen).await?;
        if search.expand_neighbors {
            self.add_neighbors(&mut chosen).await?;
        }
        Ok(chosen)
    }

    /// Says on which page and under which headings each quote stands, which may not be where its passage begins.
    async fn place_quotes(self, chosen: &mut [FoundPassage]) -> Result<()> {
        let long = |one: &FoundPassage| one.revision.chunk_count > 1 || one.revision.page_count.is_some();
        let mut spans: Vec<(RevisionId, Span)> =
            chosen.iter().filter(|one| long(one)).map(|one| (one.revision.id, one.chunk.span)).collect();
        spans.sort_unstable();
        spans.dedup();
        if spans.is_empty() {
            return Ok(());
        }
        let marks: Vec<(RevisionId, Mark)> =
            self.app.store.read_inline().await?.revisions(self.scope).marks_within(&spans).await?;
        for one in chosen.iter_mut().filter(|one| long(one)) {
            let marks: Vec<Mark> =
                marks.iter().filter(|(id, _)| *id == one.revision.id).map(|(_, mark)| mark.clone()).collect();
            for evidence in &mut one.evidence {
                let place = ibid_domain::text::locate_span(&marks, evidence.span);
                evidence.page = place.page;
                evidence.section = section_path(&place);
            }
        }
        Ok(())
    }

    async fn add_neighbors(self, chosen: &mut [FoundPassage]) -> Result<()> {
        let places: Vec<(RevisionId, u64)> = chosen.iter().map(|one| (one.revision.id, one.chunk.ordinal)).collect();
        let chunks: Vec<Chunk> =
            self.app.store.read_inline().await?.search(self.scope).neighbor_chunks(&places).await?;
        for one in chosen {
            let beside =
                |chunk: &&Chunk| chunk.revision == one.revision.id && chunk.ordinal.abs_diff(one.chunk.ordinal) == 1;
            one.neighbors = chunks.iter().filter(beside).cloned().collect();
        }
        Ok(())
    }
}

impl App {
    /// The query as a vector of the space that search uses; a note says why there is none.
    async fn query_vector(
        &self,
        search: &SearchRequest,
        meaning: &str,
        index: Option<&Index>,
        notes: &mut Vec<String>,
    ) -> Result<Option<Vec<f32>>> {
        let (space, dimension) = match index {
            Some(index) => match index.space() {
                Some((space, dimension)) => (Some(space), dimension),
                None => (None, 0),
            },
            None => match self.store.read().await?.embedding_spaces().await?.into_iter().find(|space| space.in_use) {
                Some(space) => (Some(space.id), usize::try_from(space.dimension).unwrap_or(0)),
                None => (None, 0),
            },
        };
        let Some(space) = space else {
            notes.push("no passage has a vector yet: found by words only".to_owned());
            return Ok(None);
        };
        if let Some(vector) = &search.query_vector {
            if vector.len() != dimension {
                let detail =
                    format!("query_vector has {} numbers; this library's vectors have {dimension}", vector.len());
                let problem = Problem::new(Code::InvalidField, detail).with_field("query_vector");
                return Err(problem.with_fact("dimension", dimension).into());
            }
            return Ok(Some(vector.clone()));
        }
        let Some(embedder) = self.embedder_of(space).await? else {
            notes.push(
                "this library's vectors come from outside: give query_vector to search by meaning, too".to_owned(),
            );
            return Ok(None);
        };
        if meaning.trim().is_empty() {
            return Ok(None);
        }
        match embedder.embed(&[meaning], Purpose::Query).await {
            Ok(mut vectors) if vectors.first().is_some_and(|vector| vector.len() == dimension) => {
                Ok(Some(vectors.swap_remove(0)))
            }
            Ok(_) => {
                notes.push("the embedder gave a vector of another dimension: found by words only".to_owned());
                Ok(None)
            }
            Err(error) => {
                tracing::warn!(%error, "a query could not be embedded");
                notes.push(format!("the query could not be embedded, so it was found by words only: {error}"));
                Ok(None)
            }
        }
    }
}

/// True if the source still matches the filter; the index may be slightly behind the database.
fn passes_filter(filter: &SearchFilter, source: &Source) -> bool {
    (filter.kinds.is_empty() || filter.kinds.contains(&source.kind))
        && (filter.origins.is_empty() || filter.origins.contains(&source.origin))
        && (filter.memories || filter.origins.contains(&Origin::Memory) || source.origin != Origin::Memory)
        && filter.document_id.is_none_or(|id| source.document_id == Some(id))
        && filter.project_id.is_none_or(|id| source.project_id == Some(id))
        && filter.tags.iter().all(|tag| source.tags.contains(tag))
}

/// True if a better result already has most of the same text.
fn is_duplicate(chosen: &[FoundPassage], chunk: &Chunk) -> bool {
    chosen.iter().any(|one| {
        let (a, b) = (one.chunk.span, chunk.span);
        let shared = a.end.min(b.end).saturating_sub(a.start.max(b.start));
        one.chunk.revision == chunk.revision && shared as f64 >= SAME * a.len().min(b.len()).max(1) as f64
    })
}

fn section_path(place: &Place) -> Option<String> {
    (!place.section.is_empty()).then(|| place.section.join(" › "))
}

/// The words of a passage that answer.
fn find_evidence(chunk: &Chunk, matcher: &Matcher) -> Vec<PassageEvidence> {
    let quotes = matcher.best_quotes(&chunk.content, QUOTES);
    quotes
        .into_iter()
        .filter_map(|quote| {
            let start = chunk.span.start + quote.span.start;
            Some(PassageEvidence {
                quote: quote.span.slice_of(&chunk.content)?.to_owned(),
                span: Span::new(start, start + quote.span.len()),
                matches: quote.matches,
                page: chunk.place.page,
                section: section_path(&chunk.place),
            })
        })
        .collect()
}
