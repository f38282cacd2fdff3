//! Search where the database has the words and the vectors itself: PostgreSQL.

use ibid_domain::{SearchFilter, WordQuery};
use ibid_store::{Chunk, EngineKind, Tx};

use super::{CandidateLists, FusionCandidate, SearchLists, indexing::passage_text};
use crate::{App, Result, Scope, services::SearchService};

/// Maximum number of chunks indexed in one transaction.
const PAGE: usize = 500;

impl SearchService<'_> {
    /// The languages of a tenant's sources, most spoken first.
    pub(super) async fn stored_languages(self) -> Result<Vec<String>> {
        Ok(self.app.store.read().await?.search(self.scope).top_languages().await?)
    }

    /// Both lists from the database.
    pub(super) async fn stored_lists(
        self,
        words: &WordQuery,
        vector: Option<Vec<f32>>,
        filter: &SearchFilter,
        asked: SearchLists,
        count: usize,
    ) -> Result<CandidateLists> {
        let mut tx = self.app.store.read().await?;
        let spaces = tx.embedding_spaces().await?;
        let space = spaces.into_iter().find(|space| space.in_use).map(|space| (space.id, space.dimension));
        let mut search = tx.search(self.scope);
        let mut listed = CandidateLists { searched: search.count_passages(filter).await?, ..CandidateLists::default() };
        let by_words = if asked.words { search.find_by_words(words, filter, count).await? } else { vec![] };
        let by_vector = match (&vector, space) {
            (Some(vector), Some((space, dimension))) => {
                search.find_by_vector(space, dimension, vector, filter, count).await?
            }
            _ => vec![],
        };
        let pairs = |hits: &[ibid_store::Hit]| hits.iter().map(|hit| (hit.seq, hit.score)).collect::<Vec<_>>();
        listed.record_ranks(&pairs(&by_words), true);
        listed.record_ranks(&pairs(&by_vector), false);
        // Every candidate is scored in both lists.
        let unscored: Vec<i64> =
            by_vector.iter().map(|hit| hit.seq).filter(|seq| !listed.words.contains_key(seq)).collect();
        let seqs: Vec<i64> = by_words.iter().map(|hit| hit.seq).collect();
        let scores = if asked.words { search.word_scores(words, &unscored).await? } else { Default::default() };
        let cosines = match (&vector, space) {
            (Some(vector), Some((space, _))) => search.vector_similarities(space, vector, &seqs).await?,
            _ => Default::default(),
        };
        for hit in by_words {
            listed.candidates.push(FusionCandidate {
                seq: hit.seq,
                bm25: hit.score,
                cosine: cosines.get(&hit.seq).copied(),
            });
        }
        for hit in by_vector.into_iter().filter(|hit| !listed.words.contains_key(&hit.seq)) {
            let bm25 = scores.get(&hit.seq).copied().unwrap_or(0.0);
            listed.candidates.push(FusionCandidate { seq: hit.seq, bm25, cosine: Some(hit.score) });
        }
        Ok(listed)
    }
}

impl App {
    /// Gives chunks their words, in the transaction that keeps them. The embedded engine's index reads them itself.
    pub(crate) async fn index_chunks(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        title: &str,
        language: Option<&str>,
        chunks: &[Chunk],
    ) -> Result<()> {
        if self.store.engine() == EngineKind::Sqlite || chunks.is_empty() {
            return Ok(());
        }
        let items: Vec<_> = chunks
            .iter()
            .map(|chunk| {
                let text = passage_text(title, &chunk.place.section, &chunk.content);
                (chunk.id, ibid_index::passage_words(&text, language))
            })
            .collect();
        Ok(tx.search(scope).index_words(&items).await?)
    }

    /// Gives their words to chunks that have none: after an upgrade, or when a title has changed.
    pub(super) async fn index_words(&self) -> Result<()> {
        for scope in self.every_tenant().await? {
            loop {
                let mut tx = self.store.write().await?;
                let chunks = tx.search(&scope).list_unindexed(PAGE).await?;
                if chunks.is_empty() {
                    break;
                }
                let items: Vec<_> = chunks
                    .iter()
                    .map(|one| {
                        let text =
                            passage_text(one.title.as_deref().unwrap_or_default(), &one.place.section, &one.content);
                        (one.chunk, ibid_index::passage_words(&text, one.language.as_deref()))
                    })
                    .collect();
                tx.search(&scope).index_words(&items).await?;
                tx.commit().await?;
            }
        }
        Ok(())
    }

    /// Forgets the words of all chunks, so that they are made anew.
    pub(super) async fn forget_words(&self) -> Result<()> {
        for scope in self.every_tenant().await? {
            let mut tx = self.store.write().await?;
            tx.search(&scope).forget_all_words().await?;
            tx.commit().await?;
        }
        Ok(())
    }
}
