//! Search: which passages have the words or the meaning, on PostgreSQL; what a filter lets through and what belongs
//! to a passage that was found, on both engines. On SQLite the words and vectors are the embedded index's.

mod bm25;
mod filter;
mod scores;
mod statistics;
mod vectors;

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use ibid_domain::{ChunkId, Place, Revision, RevisionId, SearchFilter, Source, SourceId};

use self::filter::{FilterSql, is_plain};
pub(crate) use self::statistics::WordStatistics;
use super::{
    revisions::{self, CHUNK_COLUMNS, Chunk, read_chunk},
    sources,
};
use crate::{
    EngineKind, Error, Result, Scope, Tx,
    sql::{params, placeholder_list, placeholder_rows, prefix_columns, to_sql_int},
};

/// Number of passages that may be compared one by one; a filter that leaves no more needs no index.
const FEW: u64 = 10_000;
/// Maximum number of rows counted for one search; beyond it estimates are used.
const COUNTED: u64 = 20_000;
/// Maximum number of rows in one statement.
const BATCH: usize = 200;

/// A passage with the source and the revision it belongs to.
pub type PassageWithSource = Arc<(Chunk, Source, Revision)>;

/// The passages of one tenant, to be searched. What it learns about a filter it keeps, so one search uses one of it.
pub struct PassageSearch<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
    counted: Option<(SearchFilter, u64)>,
    prepared: bool,
}

impl Tx {
    /// The search of what this scope may see.
    pub fn search<'a>(&'a mut self, scope: &'a Scope) -> PassageSearch<'a> {
        PassageSearch { tx: self, scope, counted: None, prepared: false }
    }
}

/// A passage found by a search, with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub chunk: ChunkId,
    /// Number of the chunk, unique in the library.
    pub seq: i64,
    /// Score of the match: BM25 for words, cosine similarity for vectors.
    pub score: f32,
}

/// A passage whose words are not analysed yet.
#[derive(Clone, Debug, PartialEq)]
pub struct UnindexedPassage {
    pub chunk: ChunkId,
    pub source: SourceId,
    pub revision: RevisionId,
    pub content: String,
    /// Page, section or sheet, for people.
    pub place: Place,
    pub title: Option<String>,
    /// Detected language of the text.
    pub language: Option<String>,
}

impl PassageSearch<'_> {
    /// Counts the passages that a filter matches; may be an estimate if the filter restricts nothing.
    pub async fn count_passages(&mut self, filter: &SearchFilter) -> Result<u64> {
        if let Some((counted, size)) = &self.counted
            && counted == filter
        {
            return Ok(*size);
        }
        let size = self.count_or_estimate(filter).await?;
        self.counted = Some((filter.clone(), size));
        Ok(size)
    }

    async fn count_or_estimate(&mut self, filter: &SearchFilter) -> Result<u64> {
        let estimate = match self.tx.engine() {
            EngineKind::Postgres if is_plain(filter) => {
                self.passage_statistics().await?.passage_count(self.scope.tenant())
            }
            _ => 0,
        };
        if estimate > 2 * COUNTED {
            return Ok(estimate);
        }
        let narrowed = self.filter_sql(filter);
        let (tables, conditions) = (narrowed.tables_clause(), &narrowed.conditions);
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
    pub async fn list_revisions(&mut self, filter: &SearchFilter) -> Result<Vec<RevisionId>> {
        let narrowed = self.filter_sql(filter);
        let sql = format!("SELECT r.id FROM {} WHERE {} ORDER BY r.id", narrowed.tables_clause(), narrowed.conditions);
        let rows = self.tx.rows_once(sql, narrowed.values).await?;
        rows.iter().map(|row| row.get("id")).collect()
    }

    /// Passages by their numbers, with what they belong to, in the order of the numbers; those that are gone are left
    /// out. All of them count as embedded.
    pub async fn fetch_passages(&mut self, seqs: &[i64]) -> Result<Vec<(i64, PassageWithSource)>> {
        let mut found: HashMap<i64, PassageWithSource> = HashMap::with_capacity(seqs.len());
        for batch in seqs.chunks(BATCH) {
            let sql = format!(
                "SELECT c.seq, {}, CAST(1 AS BIGINT) AS c_embedded, {}, {}
                 FROM chunks c JOIN sources s ON s.id = c.source_id JOIN revisions r ON r.id = c.revision_id
                 WHERE c.tenant_id = $1 AND c.seq IN {}",
                prefix_columns("c", CHUNK_COLUMNS),
                prefix_columns("s", sources::COLUMNS),
                prefix_columns("r", revisions::COLUMNS),
                placeholder_list(2, batch.len())
            );
            let mut values = params![self.scope.tenant()];
            values.extend(batch.iter().map(|seq| (*seq).into()));
            for row in &self.tx.rows_built(sql, values).await? {
                let chunk = read_chunk(row.with_prefix("c_"))?;
                let source = sources::read_part(row.with_prefix("s_"))?;
                let revision = revisions::read_part(row.with_prefix("r_"))?;
                found.insert(row.get("seq")?, Arc::new((chunk, source, revision)));
            }
        }
        let taken = |seq: &i64| found.remove(seq).map(|fetched| (*seq, fetched));
        Ok(seqs.iter().filter_map(taken).collect())
    }

    /// The passages right before and after these places of revisions, each once, by revision and place. All of them
    /// count as embedded.
    pub async fn neighbor_chunks(&mut self, places: &[(RevisionId, u64)]) -> Result<Vec<Chunk>> {
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
                prefix_columns("c", CHUNK_COLUMNS),
                placeholder_rows(2, batch.len(), 2)
            );
            let mut values = params![self.scope.tenant()];
            for (revision, ordinal) in batch {
                values.extend(params![*revision, to_sql_int(*ordinal)]);
            }
            for row in &self.tx.rows_built(sql, values).await? {
                chunks.push(read_chunk(row.with_prefix("c_"))?);
            }
        }
        Ok(chunks)
    }

    fn filter_sql(&self, filter: &SearchFilter) -> FilterSql {
        FilterSql::new(self.tx.engine(), self.scope.tenant(), filter)
    }

    /// True if a filter leaves so few passages that each can be compared.
    async fn leaves_few(&mut self, filter: &SearchFilter) -> Result<bool> {
        Ok(!is_plain(filter) && self.count_passages(filter).await? <= FEW)
    }

    /// Fails on SQLite; on PostgreSQL applies the search settings once per transaction.
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
