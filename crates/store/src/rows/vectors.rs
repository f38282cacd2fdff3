//! Embedding spaces, and the vectors of chunks in them.

use ibid_domain::{ChunkId, RevisionId};

use super::change_log::LoggedChange;
use crate::{
    EngineKind, Result, Scope, Tx,
    sql::{SqlRow, SqlValue, params, placeholder_rows, to_sql_int},
};

/// Maximum number of rows in one statement.
const BATCH: usize = 200;

/// A way of turning text into vectors: a model of a provider, with its dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingSpace {
    pub id: i64,
    /// Name of the provider that computes the vectors.
    pub provider: String,
    pub model: String,
    /// Number of components of a vector.
    pub dimension: u64,
    /// True if search uses this space.
    pub in_use: bool,
}

impl EmbeddingSpace {
    /// The most numbers that PostgreSQL's index takes; longer vectors are compared one by one.
    const MOST_INDEXED: u64 = 4000;

    /// True if PostgreSQL can index vectors of this dimension; longer ones are compared one by one.
    pub(super) const fn is_indexable(dimension: u64) -> bool {
        dimension <= Self::MOST_INDEXED
    }
}

/// The vectors of one tenant's chunks.
pub struct Vectors<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
}

impl Tx {
    /// The vectors that this scope may see.
    pub fn vectors<'a>(&'a mut self, scope: &'a Scope) -> Vectors<'a> {
        Vectors { tx: self, scope }
    }

    /// Every space there is, oldest first. Spaces belong to the library, not to a tenant.
    pub async fn embedding_spaces(&mut self) -> Result<Vec<EmbeddingSpace>> {
        let rows = self.fetch_all("SELECT * FROM embedding_spaces ORDER BY id", vec![]).await?;
        rows.iter().map(read_space).collect()
    }

    /// The space of this model, made if it is new. The first there is comes into use at once.
    pub async fn embedding_space(&mut self, provider: &str, model: &str, dimension: u64) -> Result<EmbeddingSpace> {
        self.lock_key("embedding_spaces").await?;
        let names = params![provider, model, to_sql_int(dimension)];
        let sql = "SELECT * FROM embedding_spaces WHERE provider = $1 AND model = $2 AND dimension = $3";
        if let Some(row) = self.fetch_optional(sql, names.clone()).await? {
            return read_space(&row);
        }
        let mut values = names.clone();
        values.push(self.now().into());
        self.execute(
            "INSERT INTO embedding_spaces (provider, model, dimension, in_use, created_at)
             VALUES ($1, $2, $3, CASE WHEN EXISTS (SELECT 1 FROM embedding_spaces) THEN 0 ELSE 1 END, $4)",
            values,
        )
        .await?;
        let row = self.fetch_optional(sql, names).await?;
        let space = read_space(
            &row.ok_or_else(|| crate::Error::Corrupt("a space is not there after it was made".to_owned()))?,
        )?;
        if self.engine() == EngineKind::Postgres && EmbeddingSpace::is_indexable(dimension) {
            let (id, dimension) = (space.id, space.dimension);
            let sql = format!(
                "CREATE INDEX chunk_vectors_space_{id} ON chunk_vectors
                 USING hnsw ((vector::halfvec({dimension})) halfvec_cosine_ops) WHERE space_id = {id}"
            );
            self.execute_built(sql, vec![]).await?;
        }
        Ok(space)
    }

    /// Search uses this space from now on; the others are forgotten, with all their vectors.
    pub async fn use_embedding_space(&mut self, id: i64) -> Result<()> {
        self.lock_key("embedding_spaces").await?;
        self.execute("UPDATE embedding_spaces SET in_use = 1 WHERE id = $1", params![id]).await?;
        if self.engine() == EngineKind::Postgres {
            for row in self.fetch_all("SELECT id FROM embedding_spaces WHERE id <> $1", params![id]).await? {
                // Where AGE is loaded by the server and not set up in this database, its hook fails every DROP with
                // this error. The index is left then; it is empty and never used again.
                let sql = format!(
                    "DO $$ BEGIN DROP INDEX IF EXISTS chunk_vectors_space_{}; EXCEPTION WHEN invalid_schema_name THEN NULL; END $$",
                    row.get::<i64>("id")?
                );
                self.execute_built(sql, vec![]).await?;
            }
        }
        self.execute("DELETE FROM chunk_vectors WHERE space_id <> $1", params![id]).await?;
        self.execute("DELETE FROM embedding_spaces WHERE id <> $1", params![id]).await?;
        self.log_change(LoggedChange::Space(id)).await
    }

    /// Counts the sources of all tenants that wait for their embedding.
    pub async fn awaiting_embedding(&mut self) -> Result<u64> {
        let row =
            self.fetch_optional("SELECT COUNT(*) AS count FROM sources WHERE embedding = 'pending'", vec![]).await?;
        row.map_or(Ok(0), |row| row.get("count"))
    }
}

impl Vectors<'_> {
    /// Chunks of a revision that have no vector in a space yet, in order, with their text.
    pub async fn chunks_without_vector(
        &mut self,
        space: i64,
        revision: RevisionId,
        count: i64,
    ) -> Result<Vec<(ChunkId, String)>> {
        let sql = "SELECT c.id, c.content FROM chunks c WHERE c.tenant_id = $1 AND c.revision_id = $2
                   AND NOT EXISTS (SELECT 1 FROM chunk_vectors v WHERE v.space_id = $3 AND v.chunk_id = c.id)
                   ORDER BY c.ordinal LIMIT $4";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), revision, space, count]).await?;
        rows.iter().map(|row| Ok((row.get("id")?, row.get("content")?))).collect()
    }

    /// Keeps vectors of chunks, given in the order of their text. Those of chunks that are gone, or that have one already, are left out.
    pub async fn insert_vectors(&mut self, space: i64, vectors: &[(ChunkId, Vec<f32>)]) -> Result<u64> {
        let mut kept = 0;
        for batch in vectors.chunks(BATCH) {
            let mut values = params![space, self.scope.tenant()];
            for (chunk, vector) in batch {
                values.push((*chunk).into());
                values.push(SqlValue::Vector(vector.clone()));
            }
            let sql = format!(
                "WITH new (chunk_id, vector) AS (VALUES {})
                 INSERT INTO chunk_vectors (space_id, chunk_id, vector)
                 SELECT $1, c.id, new.vector FROM new JOIN chunks c ON c.id = new.chunk_id AND c.tenant_id = $2 WHERE true
                 ON CONFLICT (space_id, chunk_id) DO NOTHING",
                placeholder_rows(3, batch.len(), 2)
            );
            kept += self.tx.execute_built(sql, values).await?;
        }
        if kept > 0 {
            self.tx.log_vectors(vectors).await?;
        }
        Ok(kept)
    }

    /// Counts the chunks of a revision that have a vector in a space.
    pub async fn count_vectors(&mut self, space: i64, revision: RevisionId) -> Result<u64> {
        let sql = "SELECT COUNT(*) AS count FROM chunk_vectors v JOIN chunks c ON c.id = v.chunk_id
                   WHERE v.space_id = $1 AND c.tenant_id = $2 AND c.revision_id = $3";
        let row = self.tx.fetch_optional(sql, params![space, self.scope.tenant(), revision]).await?;
        row.map_or(Ok(0), |row| row.get("count"))
    }
}

fn read_space(row: &SqlRow) -> Result<EmbeddingSpace> {
    Ok(EmbeddingSpace {
        id: row.get("id")?,
        provider: row.get("provider")?,
        model: row.get("model")?,
        dimension: row.get("dimension")?,
        in_use: row.get("in_use")?,
    })
}
