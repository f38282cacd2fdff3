//! What names mean: a vector of `name, type, role, organisation` for each entity.

use ibid_domain::{EntityId, EntityType};

use super::Knowledge;
use crate::{
    EngineKind, Result,
    sql::{SqlValue, params},
};

/// Embedding of the name of an entity.
#[derive(Clone, Debug)]
pub struct NameVector {
    /// Number of the entity, growing in the order of insertion.
    pub seq: i64,
    pub id: EntityId,
    pub kind: EntityType,
    pub vector: Vec<f32>,
}

impl Knowledge<'_> {
    /// Keeps what the names of entities mean in an embedding space.
    pub async fn keep_meanings(&mut self, space: i64, vectors: Vec<(EntityId, Vec<f32>)>) -> Result<()> {
        let rows = vectors.into_iter().map(|(id, vector)| {
            let mut row = params![id, space];
            row.push(SqlValue::Vector(vector));
            row
        });
        let rows = rows.collect();
        self.insert_rows("entity_vectors", &["entity_id", "space_id", "vector"], rows, "ON CONFLICT DO NOTHING")
            .await?;
        Ok(())
    }

    /// Returns name vectors of a space for entities with a number greater than `seq`, in order.
    pub async fn meanings_after(&mut self, space: i64, seq: i64, count: i64) -> Result<Vec<NameVector>> {
        let vector = match self.tx.engine() {
            EngineKind::Sqlite => "v.vector",
            EngineKind::Postgres => "v.vector::text AS vector",
        };
        let sql = format!(
            "SELECT e.seq, e.id, e.kind, {vector} FROM entities e JOIN entity_vectors v ON v.entity_id = e.id AND v.space_id = $2
             WHERE e.tenant_id = $1 AND e.seq > $3 ORDER BY e.seq LIMIT $4"
        );
        let rows = self.tx.rows_built(sql, params![self.scope.tenant(), space, seq, count]).await?;
        let postgres = self.tx.engine() == EngineKind::Postgres;
        rows.iter()
            .map(|row| {
                let vector = if postgres {
                    let text: String = row.get("vector")?;
                    text.trim_matches(['[', ']']).split(',').filter_map(|number| number.parse().ok()).collect()
                } else {
                    let bytes: Vec<u8> = row.get("vector")?;
                    bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
                };
                Ok(NameVector { seq: row.get("seq")?, id: row.get("id")?, kind: row.parse("kind")?, vector })
            })
            .collect()
    }
}
