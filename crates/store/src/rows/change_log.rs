//! What changed in a library and has to be taken over by the search index beside it. Only on SQLite: PostgreSQL
//! searches its own rows.
//!
//! The index is one for all tenants, so its handle, [`LibraryIndex`], has no scope. It is for
//! `app/search/indexing.rs` and nobody else; what serves a caller reads through a handle with a scope.

use ibid_domain::{ChunkId, RevisionId, Source, SourceId, TenantId};

use super::{revisions::Chunk, sources};
use crate::{
    EngineKind, Error, Result, Tx,
    sql::{SqlRow, params, to_sql_int},
};

/// Something that changed, with its place in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeLogEntry {
    /// Position in the log, growing with each entry.
    pub position: i64,
    pub change: LoggedChange,
}

/// A change that the search index has to take over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LoggedChange {
    /// First entry of a log that has no changes yet.
    Start,
    /// The chunks from this seq to that one are new.
    Chunks(i64, i64),
    /// Chunks from this seq to that one have new vectors.
    Vectors(i64, i64),
    /// Something is said of this source that was not said before.
    Source(SourceId),
    /// The source with this id was deleted.
    Deleted(SourceId),
    /// Search switched to this embedding space.
    Space(i64),
}

/// A chunk with what the index needs to know of its source.
#[derive(Clone, Debug)]
pub struct IndexedChunk {
    /// Number of the chunk, unique in the library and growing.
    pub seq: i64,
    pub chunk: Chunk,
    pub tenant: TenantId,
    /// The language of its revision.
    pub language: Option<String>,
}

/// What the search index of the whole library reads, of all tenants.
pub struct LibraryIndex<'a> {
    tx: &'a mut Tx,
}

impl Tx {
    /// The library as its search index sees it: the log of changes, and the rows of any tenant that the log names. Only
    /// the code that keeps the index up to date may use it, because it asks for no [`Scope`](crate::Scope).
    pub fn library_index(&mut self) -> LibraryIndex<'_> {
        LibraryIndex { tx: self }
    }
}

impl LibraryIndex<'_> {
    /// The first and the last place of the log.
    pub async fn log_bounds(&mut self) -> Result<(i64, i64)> {
        let sql = "SELECT MIN(position) AS first, MAX(position) AS last FROM index_log";
        let row = self.tx.fetch_optional(sql, vec![]).await?;
        let row = row.ok_or_else(|| Error::Corrupt("the log of changes is empty".to_owned()))?;
        Ok((row.get::<Option<i64>>("first")?.unwrap_or(0), row.get::<Option<i64>>("last")?.unwrap_or(0)))
    }

    /// Returns changes after a position, in order.
    pub async fn changes_after(&mut self, position: i64, count: i64) -> Result<Vec<ChangeLogEntry>> {
        let sql = "SELECT * FROM index_log WHERE position > $1 ORDER BY position LIMIT $2";
        self.tx.fetch_all(sql, params![position, count]).await?.iter().map(read_log_entry).collect()
    }

    /// Forgets what the index has taken over for good, which means that it survives a power cut; the last place stays.
    pub async fn forget_before(&mut self, position: i64) -> Result<()> {
        let sql = "DELETE FROM index_log WHERE position < $1 AND position < (SELECT MAX(position) FROM index_log)";
        self.tx.execute(sql, params![position]).await?;
        Ok(())
    }

    /// Chunks of any tenant by their number, from one to another, in order, with their sources.
    pub async fn chunks(&mut self, first: i64, last: i64, count: i64) -> Result<Vec<IndexedChunk>> {
        let sql = "SELECT c.*, CAST(0 AS BIGINT) AS embedded, r.language FROM chunks c JOIN revisions r ON r.id = c.revision_id
                   WHERE c.seq >= $1 AND c.seq <= $2 ORDER BY c.seq LIMIT $3";
        let rows = self.tx.fetch_all(sql, params![first, last, count]).await?;
        rows.iter()
            .map(|row| {
                Ok(IndexedChunk {
                    seq: row.get("seq")?,
                    chunk: super::revisions::read_chunk(row.with_prefix(""))?,
                    tenant: row.get("tenant_id")?,
                    language: row.get("language")?,
                })
            })
            .collect()
    }

    /// The chunks of a revision of any tenant, in order.
    pub async fn chunks_of_revision(&mut self, revision: RevisionId) -> Result<Vec<IndexedChunk>> {
        let sql = "SELECT MIN(seq) AS first, MAX(seq) AS last FROM chunks WHERE revision_id = $1";
        let Some(row) = self.tx.fetch_optional(sql, params![revision]).await? else { return Ok(vec![]) };
        let (Some(first), Some(last)) = (row.get::<Option<i64>>("first")?, row.get::<Option<i64>>("last")?) else {
            return Ok(vec![]);
        };
        self.chunks(first, last, i64::MAX).await
    }

    /// Sources of any tenant, those that are there.
    pub async fn sources(&mut self, ids: &[SourceId]) -> Result<Vec<(TenantId, Source)>> {
        let mut found = Vec::with_capacity(ids.len());
        for batch in ids.chunks(500) {
            let list = crate::sql::placeholder_list(1, batch.len());
            let values = batch.iter().map(|id| (*id).into()).collect();
            let rows = self.tx.rows_built(format!("SELECT * FROM sources WHERE id IN {list}"), values).await?;
            for row in &rows {
                found.push((row.get("tenant_id")?, sources::read_source(row)?));
            }
        }
        Ok(found)
    }

    /// The vectors in a space of chunks by their number, from one to another, in order.
    pub async fn vectors(
        &mut self,
        space: i64,
        first: i64,
        last: i64,
        count: usize,
    ) -> Result<Vec<(i64, RevisionId, Vec<f32>)>> {
        let sql = "SELECT c.seq, c.revision_id, v.vector FROM chunks c
                   JOIN chunk_vectors v ON v.chunk_id = c.id AND v.space_id = $1
                   WHERE c.seq >= $2 AND c.seq <= $3 ORDER BY c.seq LIMIT $4";
        let rows = self.tx.fetch_all(sql, params![space, first, last, to_sql_int(count as u64)]).await?;
        rows.iter()
            .map(|row| {
                let bytes: Vec<u8> = row.get("vector")?;
                let numbers = bytes.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number)).collect();
                Ok((row.get("seq")?, row.get("revision_id")?, numbers))
            })
            .collect()
    }
}

impl Tx {
    /// Writes down that something changed, for the index to take over.
    pub(crate) async fn log_change(&mut self, change: LoggedChange) -> Result<()> {
        if self.engine() == EngineKind::Postgres {
            return Ok(());
        }
        if self.is_relaxed {
            // A power cut would give its place in the log to another change, which an index that has come past that
            // place would never see.
            return Err(Error::Corrupt("index_log, from a transaction that a power cut may take back".to_owned()));
        }
        let (kind, source, first, last, space) = match change {
            LoggedChange::Start => ("start", None, None, None, None),
            LoggedChange::Chunks(first, last) => ("chunks", None, Some(first), Some(last), None),
            LoggedChange::Vectors(first, last) => ("vectors", None, Some(first), Some(last), None),
            LoggedChange::Source(source) => ("source", Some(source), None, None, None),
            LoggedChange::Deleted(source) => ("gone", Some(source), None, None, None),
            LoggedChange::Space(space) => ("space", None, None, None, Some(space)),
        };
        let sql = "INSERT INTO index_log (kind, source_id, first_seq, last_seq, space_id) VALUES ($1, $2, $3, $4, $5)";
        self.execute(sql, params![kind, source, first, last, space]).await?;
        self.library_changed = true;
        Ok(())
    }

    /// Writes down that the chunks of a revision are new.
    pub(crate) async fn log_revision(&mut self, revision: RevisionId) -> Result<()> {
        if self.engine() == EngineKind::Postgres {
            return Ok(());
        }
        let sql = "SELECT MIN(seq) AS first, MAX(seq) AS last FROM chunks WHERE revision_id = $1";
        let Some(row) = self.fetch_optional(sql, params![revision]).await? else { return Ok(()) };
        if let (Some(first), Some(last)) = (row.get::<Option<i64>>("first")?, row.get::<Option<i64>>("last")?) {
            self.log_change(LoggedChange::Chunks(first, last)).await?;
        }
        Ok(())
    }

    /// Writes down that some chunks have vectors. They are given in the order of the text.
    pub(crate) async fn log_vectors(&mut self, vectors: &[(ChunkId, Vec<f32>)]) -> Result<()> {
        let (Some((first, _)), Some((last, _))) = (vectors.first(), vectors.last()) else { return Ok(()) };
        if self.engine() == EngineKind::Postgres {
            return Ok(());
        }
        let sql = "SELECT MIN(seq) AS first, MAX(seq) AS last FROM chunks WHERE id IN ($1, $2)";
        let Some(row) = self.fetch_optional(sql, params![*first, *last]).await? else { return Ok(()) };
        if let (Some(first), Some(last)) = (row.get::<Option<i64>>("first")?, row.get::<Option<i64>>("last")?) {
            self.log_change(LoggedChange::Vectors(first, last)).await?;
        }
        Ok(())
    }
}

fn read_log_entry(row: &SqlRow) -> Result<ChangeLogEntry> {
    let kind: String = row.get("kind")?;
    let span = || -> Result<(i64, i64)> { Ok((row.get("first_seq")?, row.get("last_seq")?)) };
    let change = match kind.as_str() {
        "start" => LoggedChange::Start,
        "chunks" => span().map(|(first, last)| LoggedChange::Chunks(first, last))?,
        "vectors" => span().map(|(first, last)| LoggedChange::Vectors(first, last))?,
        "source" => LoggedChange::Source(row.get("source_id")?),
        "gone" => LoggedChange::Deleted(row.get("source_id")?),
        "space" => LoggedChange::Space(row.get("space_id")?),
        other => return Err(Error::Corrupt(format!("a change of kind '{other}'"))),
    };
    Ok(ChangeLogEntry { position: row.get("position")?, change })
}
