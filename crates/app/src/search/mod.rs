//! Finding the passages that answer: by their words, by their meaning, and by both together.
//!
//! `request.rs` says what can be asked and what comes back, `fusion.rs` puts the two lists together, `events.rs` adds what
//! happened, `indexing.rs` keeps
//! the index of the embedded engine up to date, `stored.rs` that of PostgreSQL.

mod events;
mod fusion;
pub(crate) mod indexing;
mod request;
mod stored;

use std::{collections::HashMap, sync::Arc};

use ibid_domain::{Code, Mark, Origin, Place, Problem, RevisionId, SearchFilter, Source, Span};
use ibid_index::{Allowed, Index, evidence::Matcher, query};
use ibid_models::Purpose;
use ibid_store::Chunk;

use self::fusion::{Candidate, Weights};
pub use self::{
    indexing::IndexState,
    request::{Evidence, Found, FoundPassage, GraphExpansion, Lists, Ranked, Search},
};
use crate::{App, Expanded, Result, Scope};

/// A passage shares so much of its text with a better one that it tells nothing new.
const SAME: f64 = 0.4;
/// At most so many quotes of a passage.
const QUOTES: usize = 2;

/// The two lists, and how many passages were looked at.
#[derive(Default)]
struct Listed {
    candidates: Vec<Candidate>,
    words: HashMap<i64, Ranked>,
    vectors: HashMap<i64, Ranked>,
    /// The revision that a candidate was indexed under, where the index is beside the database.
    revisions: HashMap<i64, RevisionId>,
    searched: u64,
}

impl Listed {
    /// Notes a list, best first.
    fn note(&mut self, list: &[(i64, f32)], of_words: bool) {
        let places = if of_words { &mut self.words } else { &mut self.vectors };
        for (place, (seq, score)) in list.iter().enumerate() {
            places.insert(*seq, Ranked { rank: place + 1, score: *score });
        }
    }
}

impl App {
    /// The best passages for a query, with the exact words of each that answer.
    pub async fn search(&self, scope: &Scope, search: &Search) -> Result<Found> {
        search.check()?;
        let narrowed = self.within_document(scope, search).await?;
        let search = narrowed.as_ref().unwrap_or(search);
        let index = self.search_index().await?;
        let languages = match &index {
            Some(index) => index.languages(),
            None => self.stored_languages(scope).await?,
        };
        let languages: Vec<&str> = languages.iter().map(String::as_str).collect();
        let query = query::parse(&search.query, &languages);
        let mut notes = Vec::new();
        if search.lists.words && query.words.is_empty() && search.query_vector.is_none() {
            let empty = query.meaning.trim().is_empty();
            if empty {
                let detail = "the query has no word to look for; give one or more that are not only excluded";
                return Err(Problem::new(Code::InvalidField, detail).field("query").into());
            }
        }
        let vector = match search.lists.vectors {
            true => self.query_vector(search, &query.meaning, index.as_deref(), &mut notes).await?,
            false => None,
        };
        let asked = Lists { words: search.lists.words && !query.words.is_empty(), vectors: vector.is_some() };
        let count = fusion::candidates(search.limit);
        let mut listed = match index {
            Some(index) => self.listed(scope, &index, &query.words, vector, &search.filter, asked, count).await?,
            None => self.stored_lists(scope, &query.words, vector, &search.filter, asked, count).await?,
        };
        let weights = Weights { words: !listed.words.is_empty(), vectors: !listed.vectors.is_empty() };
        let ranked = fusion::fuse(std::mem::take(&mut listed.candidates), weights);
        let ranked = ranked.into_iter().filter(|(one, _)| match search.threshold {
            Some(threshold) if asked.vectors => one.cosine.map_or(threshold <= 0.0, |cosine| cosine >= threshold),
            _ => true,
        });
        let matcher = Matcher::new(&query);
        let ranked: Vec<_> = ranked.collect();
        let mut results = self.chosen(scope, search, &ranked, &listed, &matcher).await?;
        if search.include_events && search.filter.as_of.is_none() {
            self.add_events(scope, search, &ranked, &listed, &matcher, &mut results).await?;
        }
        let expanded = match &search.graph {
            // The graph is of what is current.
            Some(_) if search.filter.as_of.is_some() => {
                notes.push("what is connected is known of the library as it is now, not as it was".to_owned());
                Some(Expanded::default())
            }
            Some(graph) => Some(self.expand(scope, graph, &results, search.filter.memories).await?),
            None => None,
        };
        if results.is_empty() && listed.searched == 0 {
            notes.push("nothing that was asked for has text yet: add sources, or wait until they are read".to_owned());
        }
        Ok(Found {
            results,
            searched: listed.searched,
            words: asked.words.then_some(listed.words.len() as u64),
            vectors: asked.vectors.then_some(listed.vectors.len() as u64),
            expanded,
            notes,
        })
    }

    /// The query as a vector of the space that search uses; a note says why there is none.
    async fn query_vector(
        &self,
        search: &Search,
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
                let problem = Problem::new(Code::InvalidField, detail).field("query_vector");
                return Err(problem.fact("dimension", dimension).into());
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

    /// Both lists from the index beside the database.
    #[expect(clippy::too_many_arguments, reason = "each is one part of the question")]
    async fn listed(
        &self,
        scope: &Scope,
        index: &Arc<Index>,
        words: &ibid_domain::WordQuery,
        vector: Option<Vec<f32>>,
        filter: &SearchFilter,
        asked: Lists,
        count: usize,
    ) -> Result<Listed> {
        let revisions = match filter.as_of {
            Some(_) => Some(self.store.read().await?.search(scope).revisions(filter).await?),
            None => None,
        };
        let earlier = revisions.is_some();
        let allowed = index.allowed(scope.tenant(), filter, revisions.as_deref());
        let searched = match &allowed {
            Allowed::All => index.size().0 as u64,
            Allowed::Some(_, count) => *count as u64,
        };
        let mut listed = Listed { searched, ..Listed::default() };
        let by_vector = match &vector {
            Some(vector) => index.nearest(vector, &allowed, count),
            None => Vec::new(),
        };
        // Every candidate is scored in both lists.
        let slots: Vec<u32> = by_vector.iter().map(|hit| hit.slot).collect();
        let (by_words, scores) = match asked.words {
            true => index.words(words, &allowed, earlier, count, &slots).map_err(indexing::index_error)?,
            false => (Vec::new(), vec![0.0; slots.len()]),
        };
        let slots: Vec<u32> = by_words.iter().map(|hit| hit.slot).collect();
        let cosines =
            vector.as_ref().map_or_else(|| vec![None; slots.len()], |vector| index.similarities(vector, &slots));
        let pairs = |hits: &[ibid_index::Hit]| hits.iter().map(|hit| (hit.seq, hit.score)).collect::<Vec<_>>();
        listed.note(&pairs(&by_words), true);
        listed.note(&pairs(&by_vector), false);
        for (hit, cosine) in by_words.iter().zip(cosines) {
            listed.candidates.push(Candidate { seq: hit.seq, bm25: hit.score, cosine });
            listed.revisions.insert(hit.seq, hit.revision);
        }
        for (hit, bm25) in by_vector.iter().zip(scores).filter(|(hit, _)| !listed.words.contains_key(&hit.seq)) {
            listed.candidates.push(Candidate { seq: hit.seq, bm25, cosine: Some(hit.score) });
            listed.revisions.insert(hit.seq, hit.revision);
        }
        Ok(listed)
    }

    /// The best candidates that are still there and say something new, with the words of them that answer.
    async fn chosen(
        &self,
        scope: &Scope,
        search: &Search,
        ranked: &[(Candidate, f64)],
        listed: &Listed,
        matcher: &Matcher,
    ) -> Result<Vec<FoundPassage>> {
        let mut chosen: Vec<FoundPassage> = Vec::with_capacity(search.limit);
        let mut rest = ranked;
        while chosen.len() < search.limit && !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(search.limit - chosen.len()));
            rest = later;
            let seqs: Vec<i64> = now.iter().map(|(one, _)| one.seq).collect();
            let rows = self.store.look().await?.search(scope).fetch(&seqs).await?;
            let mut rows: HashMap<i64, _> = rows.into_iter().collect();
            for (candidate, score) in now {
                let Some(row) = rows.remove(&candidate.seq) else { continue };
                let seq = candidate.seq;
                let (chunk, source, revision) = &*row;
                let known = listed.revisions.get(&seq).is_none_or(|id| *id == chunk.revision);
                let current = search.filter.as_of.is_some() || source.revision == Some(chunk.revision);
                if !known || !current || !passes(&search.filter, source) || repeats(&chosen, chunk) {
                    continue;
                }
                chosen.push(FoundPassage {
                    event: None,
                    evidence: evidence(chunk, matcher),
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
        self.place_quotes(scope, &mut chosen).await?;
        if search.expand_neighbors {
            self.add_neighbors(scope, &mut chosen).await?;
        }
        Ok(chosen)
    }

    /// Says on which page and under which headings each quote stands, which may not be where its passage begins.
    async fn place_quotes(&self, scope: &Scope, chosen: &mut [FoundPassage]) -> Result<()> {
        let long = |one: &FoundPassage| one.revision.chunk_count > 1 || one.revision.page_count.is_some();
        let mut spans: Vec<(RevisionId, Span)> =
            chosen.iter().filter(|one| long(one)).map(|one| (one.revision.id, one.chunk.span)).collect();
        spans.sort_unstable();
        spans.dedup();
        if spans.is_empty() {
            return Ok(());
        }
        let marks: Vec<(RevisionId, Mark)> = self.store.look().await?.revisions(scope).marks_within(&spans).await?;
        for one in chosen.iter_mut().filter(|one| long(one)) {
            let marks: Vec<Mark> =
                marks.iter().filter(|(id, _)| *id == one.revision.id).map(|(_, mark)| mark.clone()).collect();
            for evidence in &mut one.evidence {
                let place = ibid_domain::text::place(&marks, evidence.span);
                evidence.page = place.page;
                evidence.section = section(&place);
            }
        }
        Ok(())
    }

    async fn add_neighbors(&self, scope: &Scope, chosen: &mut [FoundPassage]) -> Result<()> {
        let places: Vec<(RevisionId, u64)> = chosen.iter().map(|one| (one.revision.id, one.chunk.ordinal)).collect();
        let chunks: Vec<Chunk> = self.store.look().await?.search(scope).neighbors(&places).await?;
        for one in chosen {
            let beside =
                |chunk: &&Chunk| chunk.revision == one.revision.id && chunk.ordinal.abs_diff(one.chunk.ordinal) == 1;
            one.neighbors = chunks.iter().filter(beside).cloned().collect();
        }
        Ok(())
    }
}

/// Whether a source is still one that the filter lets through: an index may be a moment behind.
fn passes(filter: &SearchFilter, source: &Source) -> bool {
    (filter.kinds.is_empty() || filter.kinds.contains(&source.kind))
        && (filter.origins.is_empty() || filter.origins.contains(&source.origin))
        && (filter.memories || filter.origins.contains(&Origin::Memory) || source.origin != Origin::Memory)
        && filter.document_id.is_none_or(|id| source.document_id == Some(id))
        && filter.project_id.is_none_or(|id| source.project_id == Some(id))
        && filter.tags.iter().all(|tag| source.tags.contains(tag))
}

/// Whether a better passage has most of the same text already.
fn repeats(chosen: &[FoundPassage], chunk: &Chunk) -> bool {
    chosen.iter().any(|one| {
        let (a, b) = (one.chunk.span, chunk.span);
        let shared = a.end.min(b.end).saturating_sub(a.start.max(b.start));
        one.chunk.revision == chunk.revision && shared as f64 >= SAME * a.len().min(b.len()).max(1) as f64
    })
}

fn section(place: &Place) -> Option<String> {
    (!place.section.is_empty()).then(|| place.section.join(" › "))
}

/// The words of a passage that answer.
fn evidence(chunk: &Chunk, matcher: &Matcher) -> Vec<Evidence> {
    let quotes = matcher.quotes(&chunk.content, QUOTES);
    quotes
        .into_iter()
        .filter_map(|quote| {
            let start = chunk.span.start + quote.span.start;
            Some(Evidence {
                quote: quote.span.of(&chunk.content)?.to_owned(),
                span: Span::new(start, start + quote.span.len()),
                matches: quote.matches,
                page: chunk.place.page,
                section: section(&chunk.place),
            })
        })
        .collect()
}
