//! Search: which passages have the words or the meaning, on PostgreSQL; what a filter lets through and what belongs
//! to a passage that was found, on both engines. On SQLite the words and vectors are the embedded index's.

mod filter;
mod scores;
mod statistics;
mod vectors;
mod words;

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use ibid_domain::{ChunkId, Place, Revision, RevisionId, SearchFilter, Source, SourceId};

use self::filter::{Narrowed, is_plain};
pub(crate) use self::statistics::WordStatistics;
use super::{
    revisions::{self, CHUNK_COLUMNS, Chunk, read_chunk},
    sources,
};
use crate::{
    EngineKind, Error, Result, Scope, Tx,
    sql::{int, params, placeholder_list, placeholders, prefixed},
};

/// How many passages may be looked at one by one: a filter that leaves no more needs no index.
const FEW: u64 = 10_000;
/// How many rows may be counted for one search.
const COUNTED: u64 = 20_000;
/// How many rows go into one statement.
const BATCH: usize = 200;

/// A passage with the source and the revision it belongs to.
pub type StoredPassage = Arc<(Chunk, Source, Revision)>;

/// The passages of one tenant, to be searched. What it learns about a filter it keeps, so one search uses one of it.
pub struct Search<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
    counted: Option<(SearchFilter, u64)>,
    prepared: bool,
}

impl Tx {
    /// The search of what this scope may see.
    pub fn search<'a>(&'a mut self, scope: &'a Scope) -> Search<'a> {
        Search { tx: self, scope, counted: None, prepared: false }
    }
}

/// A passage that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The passage.
    pub chunk: ChunkId,
    /// Its number.
    pub seq: i64,
    /// How well it fits: BM25 for words, the cosine for vectors.
    pub score: f32,
}

/// A passage whose words are not analysed yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Unindexed {
    /// The passage.
    pub chunk: ChunkId,
    /// Whose it is.
    pub source: SourceId,
    /// Of which version.
    pub revision: RevisionId,
    /// Its text.
    pub content: String,
    /// Where it lies for a person.
    pub place: Place,
    /// The title of its source.
    pub title: Option<String>,
    /// The language of the text.
    pub language: Option<String>,
}

impl Search<'_> {
    /// How many passages a filter lets through. Exact if they are few or there is a filter; else it may be estimated.
    pub async fn size(&mut self, filter: &SearchFilter) -> Result<u64> {
        if let Some((counted, size)) = &self.counted
            && counted == filter
        {
            return Ok(*size);
        }
        let size = self.count(filter).await?;
        self.counted = Some((filter.clone(), size));
        Ok(size)
    }

    async fn count(&mut self, filter: &SearchFilter) -> Result<u64> {
        let estimate = match self.tx.engine() {
            EngineKind::Postgres if is_plain(filter) => self.known().await?.passages(self.scope.tenant()),
            _ => 0,
        };
        if estimate > 2 * COUNTED {
            return Ok(estimate);
        }
        let narrowed = self.narrowed(filter);
        let (tables, conditions) = (narrowed.tables(), &narrowed.conditions);
        // A revision with passages has at least one: so many revisions bound the work.
        let counted = |bound: &str| {
            format!(
                "SELECT CAST(COALESCE(SUM(chunk_count), 0) AS BIGINT) AS chunks, COUNT(*) AS revisions FROM
                     (SELECT r.chunk_count FROM {tables} WHERE {conditions} AND r.chunk_count > 0 {bound}) AS chosen"
            )
        };
        let bounded = counted(&format!("LIMIT {}", COUNTED + 1));
        let rows = self.tx.rows_once(bounded, narrowed.values.clone()).await?;
        let Some(row) = rows.first() else { return Ok(0) };
        let (chunks, revisions): (u64, u64) = (row.get("chunks")?, row.get("revisions")?);
        if revisions <= COUNTED || is_plain(filter) && self.tx.engine() == EngineKind::Postgres {
            return Ok(chunks.max(estimate));
        }
        let rows = self.tx.rows_once(counted(""), narrowed.values).await?;
        rows.first().map_or(Ok(0), |row| row.get("chunks"))
    }

    /// The revisions that a filter lets through: of each source the one it stands at, or stood at.
    pub async fn revisions(&mut self, filter: &SearchFilter) -> Result<Vec<RevisionId>> {
        let narrowed = self.narrowed(filter);
        let sql = format!("SELECT r.id FROM {} WHERE {} ORDER BY r.id", narrowed.tables(), narrowed.conditions);
        let rows = self.tx.rows_once(sql, narrowed.values).await?;
        rows.iter().map(|row| row.get("id")).collect()
    }

    /// Passages by their numbers, with what they belong to, in the order of the numbers; those that are gone are left
    /// out. All of them count as embedded.
    pub async fn fetch(&mut self, seqs: &[i64]) -> Result<Vec<(i64, StoredPassage)>> {
        let mut found: HashMap<i64, StoredPassage> = HashMap::with_capacity(seqs.len());
        for batch in seqs.chunks(BATCH) {
            let sql = format!(
                "SELECT c.seq, {}, CAST(1 AS BIGINT) AS c_embedded, {}, {}
                 FROM chunks c JOIN sources s ON s.id = c.source_id JOIN revisions r ON r.id = c.revision_id
                 WHERE c.tenant_id = $1 AND c.seq IN {}",
                prefixed("c", CHUNK_COLUMNS),
                prefixed("s", sources::COLUMNS),
                prefixed("r", revisions::COLUMNS),
                placeholder_list(2, batch.len())
            );
            let mut values = params![self.scope.tenant()];
            values.extend(batch.iter().map(|seq| (*seq).into()));
            for row in &self.tx.rows_built(sql, values).await? {
                let chunk = read_chunk(row.part("c_"))?;
                let source = sources::read_part(row.part("s_"))?;
                let revision = revisions::read_part(row.part("r_"))?;
                found.insert(row.get("seq")?, Arc::new((chunk, source, revision)));
            }
        }
        let taken = |seq: &i64| found.remove(seq).map(|fetched| (*seq, fetched));
        Ok(seqs.iter().filter_map(taken).collect())
    }

    /// The passages right before and after these places of revisions, each once, by revision and place. All of them
    /// count as embedded.
    pub async fn neighbors(&mut self, places: &[(RevisionId, u64)]) -> Result<Vec<Chunk>> {
        let around = |(revision, ordinal): &(RevisionId, u64)| {
            let before = ordinal.checked_sub(1).map(|before| (*revision, before));
            before.into_iter().chain([(*revision, ordinal.saturating_add(1))]).collect::<Vec<_>>()
        };
        let wanted: Vec<_> = places.iter().flat_map(around).collect::<BTreeSet<_>>().into_iter().collect();
        let mut chunks = Vec::with_capacity(wanted.len());
        for batch in wanted.chunks(BATCH) {
            let sql = format!(
                "SELECT {}, CAST(1 AS BIGINT) AS c_embedded FROM chunks c
                 WHERE c.tenant_id = $1 AND (c.revision_id, c.ordinal) IN (VALUES {})
                 ORDER BY c.revision_id, c.ordinal",
                prefixed("c", CHUNK_COLUMNS),
                placeholders(2, batch.len(), 2)
            );
            let mut values = params![self.scope.tenant()];
            for (revision, ordinal) in batch {
                values.extend(params![*revision, int(*ordinal)]);
            }
            for row in &self.tx.rows_built(sql, values).await? {
                chunks.push(read_chunk(row.part("c_"))?);
            }
        }
        Ok(chunks)
    }

    fn narrowed(&self, filter: &SearchFilter) -> Narrowed {
        Narrowed::new(self.tx.engine(), self.scope.tenant(), filter)
    }

    /// Whether a filter leaves so few passages that each can be looked at.
    async fn leaves_few(&mut self, filter: &SearchFilter) -> Result<bool> {
        Ok(!is_plain(filter) && self.size(filter).await? <= FEW)
    }

    /// What only PostgreSQL can do, with its settings for this transaction.
    async fn on_postgres(&mut self) -> Result<()> {
        if self.tx.engine() != EngineKind::Postgres {
            let detail = "on SQLite the words and vectors of passages are searched in the embedded index";
            return Err(Error::Config(detail.to_owned()));
        }
        if !self.prepared {
            // Compiling a statement takes longer than running it; the nearest vectors are put in order afterwards, so
            // they may come in any, and those that a filter leaves out are made up for.
            let sql = "SELECT set_config('jit', 'off', true), set_config('hnsw.ef_search', '200', true),
                           set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.max_scan_tuples', '40000', true)";
            self.tx.execute(sql, vec![]).await?;
            self.prepared = true;
        }
        Ok(())
    }
}
