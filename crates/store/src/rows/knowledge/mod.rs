//! What sources tell: who and what they name, what happened, and how that hangs together.
//!
//! `entities.rs` keeps who is known, `mentions.rs` where they are named, `name_vectors.rs` what their names mean, `events.rs` what
//! happened, `review.rs` who may be the same
//! and who was found to be, `graph.rs` what is derived of all that for search, `age.rs` the same for those who ask in
//! Cypher. Whoever writes any of it holds the tenant's lock: two who bring the same person at once get one entity.

mod age;
mod entities;
mod events;
mod graph;
mod mentions;
mod name_vectors;
mod review;

use ibid_domain::{RevisionId, SourceId, Timestamp};

pub use age::AgeState;
pub use entities::{EntityFilter, EntityOrder, EntityProfile, NewEntity};
pub use events::{EventFilter, NewEvent};
pub use graph::{EventLink, EventLinkQuery, GraphCounts, GraphPart, Neighborhood};
pub use mentions::NewMention;
pub use name_vectors::NameVector;
pub use review::EntityMerge;

use crate::{
    EngineKind, Result, Scope, Tx,
    sql::{SqlValue, params, placeholder_rows, to_sql_int},
};

/// Sort time of events without a date (1 January of the year 1), so that they come last.
pub(crate) const LONG_AGO: Timestamp = Timestamp::from_micros(-62_135_596_800_000_000);

/// Maximum number of ids in one statement.
const BATCH: usize = 500;

/// Access to the entities, events and mentions of one tenant.
pub struct Knowledge<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
}

impl Tx {
    /// Returns the entities, events and mentions that this scope can see.
    pub fn knowledge<'a>(&'a mut self, scope: &'a Scope) -> Knowledge<'a> {
        Knowledge { tx: self, scope }
    }
}

/// A reading of a revision for what it tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extraction {
    pub revision: RevisionId,
    pub source: SourceId,
    /// Name and version of the extractor.
    pub extractor: String,
    /// Number of quotes dropped because they are not in the text.
    pub dropped: u64,
    pub created_at: Timestamp,
}

impl Knowledge<'_> {
    /// Holds off everyone else who changes what is known, until the transaction ends.
    pub async fn lock(&mut self) -> Result<()> {
        self.tx.lock_key(&format!("knowledge:{}", self.scope.tenant())).await
    }

    /// Returns the extraction of a revision; `None` if it has not been done.
    pub async fn get_extraction(&mut self, revision: RevisionId) -> Result<Option<Extraction>> {
        let sql = "SELECT * FROM extractions WHERE tenant_id = $1 AND revision_id = $2";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), revision]).await?;
        row.map(|row| {
            Ok(Extraction {
                revision,
                source: row.get("source_id")?,
                extractor: row.get("extractor")?,
                dropped: row.get("dropped")?,
                created_at: row.get("created_at")?,
            })
        })
        .transpose()
    }

    /// Notes that a revision was read, and that what it tells is what is known of its source now.
    pub async fn keep_extraction(
        &mut self,
        source: SourceId,
        revision: RevisionId,
        extractor: &str,
        dropped: u64,
    ) -> Result<()> {
        let tenant = self.scope.tenant();
        self.tx.execute("UPDATE extractions SET is_current = 0 WHERE source_id = $1", params![source]).await?;
        let sql =
            "INSERT INTO extractions (revision_id, tenant_id, source_id, extractor, is_current, dropped, created_at)
                   VALUES ($1, $2, $3, $4, 1, $5, $6)
                   ON CONFLICT (revision_id) DO UPDATE SET extractor = $4, is_current = 1, dropped = $5";
        let now = self.tx.now();
        self.tx.execute(sql, params![revision, tenant, source, extractor, to_sql_int(dropped), now]).await?;
        self.note_read(source, "ready").await
    }

    /// Notes that a source is to be read for what it tells, or has nothing to tell.
    pub async fn note_unread(&mut self, source: SourceId, has_text: bool) -> Result<()> {
        self.note_read(source, if has_text { "pending" } else { "absent" }).await
    }

    /// Notes that a source could not be read.
    pub async fn note_failed(&mut self, source: SourceId) -> Result<()> {
        self.note_read(source, "failed").await
    }

    async fn note_read(&mut self, source: SourceId, state: &'static str) -> Result<()> {
        let sql = "UPDATE sources SET knowledge = $3 WHERE tenant_id = $1 AND id = $2";
        self.tx.execute(sql, params![self.scope.tenant(), source, state]).await?;
        Ok(())
    }

    /// Sources that are to be read, in order.
    pub async fn list_unread(&mut self, after: Option<SourceId>, count: i64) -> Result<Vec<SourceId>> {
        let after = after.map_or(uuid::Uuid::nil(), SourceId::uuid);
        let sql =
            "SELECT id FROM sources WHERE tenant_id = $1 AND knowledge = 'pending' AND id > $2 ORDER BY id LIMIT $3";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), after, count]).await?;
        rows.iter().map(|row| row.get("id")).collect()
    }

    /// Marks every source with text of its own as to be read again; says how many there are.
    pub async fn read_all_again(&mut self) -> Result<u64> {
        let sql = "UPDATE sources SET knowledge = 'pending' WHERE tenant_id = $1 AND knowledge <> 'absent'";
        self.tx.execute(sql, params![self.scope.tenant()]).await
    }

    /// Counts the sources that are extracted and those still waiting.
    pub async fn extraction_progress(&mut self) -> Result<(u64, u64)> {
        let sql = "SELECT COUNT(CASE WHEN knowledge = 'ready' THEN 1 END) AS done,
                       COUNT(CASE WHEN knowledge = 'pending' THEN 1 END) AS waiting FROM sources WHERE tenant_id = $1";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant()]).await?;
        row.map_or(Ok((0, 0)), |row| Ok((row.get("done")?, row.get("waiting")?)))
    }

    /// The tenant's column, as a condition that rows are not looked up by: SQLite takes it for the narrower one, where a
    /// list of ids is.
    fn tenant_column(&self) -> &'static str {
        match self.tx.engine() {
            EngineKind::Sqlite => "+tenant_id",
            EngineKind::Postgres => "tenant_id",
        }
    }

    /// Inserts many rows, some at a time.
    async fn insert_rows(
        &mut self,
        into: &str,
        columns: &[&str],
        rows: Vec<Vec<SqlValue>>,
        conflict: &str,
    ) -> Result<u64> {
        let mut inserted = 0;
        let mut rows = rows.into_iter().peekable();
        while rows.peek().is_some() {
            let batch: Vec<Vec<SqlValue>> = rows.by_ref().take(4000 / columns.len().max(1)).collect();
            let sql = format!(
                "INSERT INTO {into} ({}) VALUES {} {conflict}",
                columns.join(", "),
                placeholder_rows(1, batch.len(), columns.len())
            );
            inserted += self.tx.execute_built(sql, batch.into_iter().flatten().collect()).await?;
        }
        Ok(inserted)
    }
}

/// Ids for a list of placeholders.
fn id_values<T: Copy + Into<SqlValue>>(ids: &[T]) -> Vec<SqlValue> {
    ids.iter().map(|id| (*id).into()).collect()
}
