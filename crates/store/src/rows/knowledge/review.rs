//! Who may be the same, what was decided, and who counts as whom.

use std::collections::BTreeMap;

use ibid_domain::{Cursor, EntityId, Limit, MergeId, Page, Pair, PairId, PairState, Timestamp};
use serde_json::json;

use super::{BATCH, Knowledge, id_values};
use crate::{
    Error, Result,
    sql::{SqlRow, params, placeholder_list},
};

/// One that was found to be another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityMerge {
    pub id: MergeId,
    /// Entity that was merged into the other.
    pub from: EntityId,
    /// Entity that it was merged into.
    pub into: EntityId,
    /// Entities that moved with it, each with its root before the merge.
    pub moved: Vec<(EntityId, EntityId)>,
    pub created_at: Timestamp,
}

impl Knowledge<'_> {
    /// Notes that two may be the same, unless that was asked before.
    pub async fn add_pair(&mut self, a: EntityId, b: EntityId, confidence: f64, reason: &str) -> Result<()> {
        let sql = "INSERT INTO entity_pairs (id, tenant_id, a_id, b_id, confidence, reason, state, created_at)
                   VALUES ($1, $2, $3, $4, $5, $6, 'open', $7) ON CONFLICT DO NOTHING";
        let values = params![
            PairId::for_entities(a, b),
            self.scope.tenant(),
            a.min(b),
            a.max(b),
            confidence,
            reason,
            self.tx.now()
        ];
        self.tx.execute(sql, values).await?;
        self.note_review(&[a, b]).await
    }

    /// Returns a pair, if it exists.
    pub async fn get_pair(&mut self, id: PairId) -> Result<Option<Pair>> {
        let sql = "SELECT * FROM entity_pairs WHERE tenant_id = $1 AND id = $2";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), id]).await?;
        row.as_ref().map(read_pair).transpose()
    }

    /// Pairs that nobody has decided, the likeliest first; pairs of one family need no decision.
    pub async fn open_pairs(&mut self, limit: Limit, after: Option<&Cursor>) -> Result<Page<Pair>> {
        let mut values = params![self.scope.tenant()];
        let mut also = "";
        if let Some(cursor) = after {
            let [confidence, id] = cursor.key_parts()?;
            let bits: u64 = confidence.parse().map_err(|_| Cursor::invalid_cursor())?;
            values.push(f64::from_bits(bits).into());
            values.push(id.parse::<PairId>().map_err(|_| Cursor::invalid_cursor())?.into());
            also = "AND (p.confidence < $2 OR (p.confidence = $2 AND p.id < $3))";
        }
        values.push(limit.probe_count().into());
        let sql = format!(
            "SELECT p.* FROM entity_pairs p JOIN entities a ON a.id = p.a_id JOIN entities b ON b.id = p.b_id
             WHERE p.tenant_id = $1 AND p.state = 'open' AND a.root_id <> b.root_id {also}
             ORDER BY p.confidence DESC, p.id DESC LIMIT ${}",
            values.len()
        );
        let rows = self.tx.rows_built(sql, values).await?;
        let found = rows.iter().map(read_pair).collect::<Result<Vec<_>>>()?;
        Ok(Page::from_rows(found, limit, |last| vec![last.confidence.to_bits().to_string(), last.id.to_string()]))
    }

    /// Counts the pairs that nobody has decided yet.
    pub async fn count_open_pairs(&mut self) -> Result<u64> {
        let sql = "SELECT COUNT(*) AS count FROM entity_pairs p JOIN entities a ON a.id = p.a_id
                   JOIN entities b ON b.id = p.b_id
                   WHERE p.tenant_id = $1 AND p.state = 'open' AND a.root_id <> b.root_id";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant()]).await?;
        row.map_or(Ok(0), |row| row.get("count"))
    }

    /// Pairs of an entity, or of one that counts as it.
    pub async fn pairs_of(&mut self, id: EntityId) -> Result<Vec<Pair>> {
        let sql = "SELECT p.* FROM entity_pairs p WHERE p.tenant_id = $1 AND
                       (p.a_id IN (SELECT id FROM entities WHERE root_id = $2 OR id = $2)
                        OR p.b_id IN (SELECT id FROM entities WHERE root_id = $2 OR id = $2))
                   ORDER BY p.confidence DESC, p.id";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), id]).await?;
        rows.iter().map(read_pair).collect()
    }

    /// Keeps what was decided of a pair.
    pub async fn decide_pair(&mut self, pair: &Pair, state: PairState) -> Result<()> {
        let decided = (state != PairState::Open).then(|| self.tx.now());
        let by = decided.and(self.scope.user());
        let sql =
            "UPDATE entity_pairs SET state = $3, decided_by = $4, decided_at = $5 WHERE tenant_id = $1 AND id = $2";
        self.tx.execute(sql, params![self.scope.tenant(), pair.id, state.as_str(), by, decided]).await?;
        self.note_review(&[pair.a, pair.b]).await
    }

    /// Forgets the pairs of one that is going to be forgotten.
    pub(super) async fn forget_pairs(&mut self, id: EntityId) -> Result<()> {
        let sql = "SELECT a_id, b_id FROM entity_pairs WHERE a_id = $1 OR b_id = $1";
        let mut others: Vec<EntityId> = Vec::new();
        for row in self.tx.fetch_all(sql, params![id]).await? {
            others.extend([row.get::<EntityId>("a_id")?, row.get("b_id")?]);
        }
        self.tx.execute("DELETE FROM entity_pairs WHERE a_id = $1 OR b_id = $1", params![id]).await?;
        others.retain(|other| *other != id);
        self.note_review(&others).await
    }

    /// Marks those who have a pair that nobody has decided, and their roots, as to be looked at.
    async fn note_review(&mut self, of: &[EntityId]) -> Result<()> {
        for id in of {
            // Whoever counts as another is looked at under that one.
            let sql = "UPDATE entities SET needs_review = CASE WHEN EXISTS (
                           SELECT 1 FROM entity_pairs p JOIN entities a ON a.id = p.a_id JOIN entities b ON b.id = p.b_id
                           WHERE p.state = 'open' AND a.root_id <> b.root_id
                           AND (a.root_id = entities.id OR b.root_id = entities.id OR a.id = entities.id OR b.id = entities.id)
                       ) THEN 1 ELSE 0 END
                       WHERE tenant_id = $1 AND (id = $2 OR id = (SELECT root_id FROM entities WHERE id = $2))";
            self.tx.execute(sql, params![self.scope.tenant(), *id]).await?;
        }
        Ok(())
    }

    /// Makes one, and all that count as it, count as another. Both are roots.
    pub async fn merge_entities(
        &mut self,
        from: EntityId,
        into: EntityId,
        pair: Option<PairId>,
    ) -> Result<EntityMerge> {
        let sql = "SELECT id FROM entities WHERE tenant_id = $1 AND root_id = $2 ORDER BY seq";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), from]).await?;
        let moved: Vec<(EntityId, EntityId)> =
            rows.iter().map(|row| Ok((row.get("id")?, from))).collect::<Result<_>>()?;
        let merge = EntityMerge { id: MergeId::new(), from, into, moved, created_at: self.tx.now() };
        let sql = "INSERT INTO entity_merges (id, tenant_id, from_id, into_id, pair_id, moved, created_by, created_at)
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let values = params![
            merge.id,
            self.scope.tenant(),
            from,
            into,
            pair,
            json!(merge.moved),
            self.scope.user(),
            merge.created_at
        ];
        self.tx.execute(sql, values).await?;
        self.tx.execute("UPDATE entities SET root_id = $2 WHERE root_id = $1", params![from, into]).await?;
        self.after_moving(&[from, into]).await?;
        Ok(merge)
    }

    /// The newest merge that stands by which one came to count as another, of those into `into` if it is given.
    pub async fn last_merge(&mut self, from: Option<EntityId>, into: Option<EntityId>) -> Result<Option<EntityMerge>> {
        let sql = "SELECT * FROM entity_merges WHERE tenant_id = $1 AND undone_at IS NULL
                   AND (from_id = $2 OR $2 IS NULL) AND (into_id = $3 OR $3 IS NULL) ORDER BY id DESC LIMIT 1";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), from, into]).await?;
        row.as_ref().map(read_merge).transpose()
    }

    /// The merge that stands because a pair was found to be the same.
    pub async fn merge_of_pair(&mut self, pair: PairId) -> Result<Option<EntityMerge>> {
        let sql = "SELECT * FROM entity_merges WHERE tenant_id = $1 AND pair_id = $2 AND undone_at IS NULL
                   ORDER BY id DESC LIMIT 1";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), pair]).await?;
        row.as_ref().map(read_merge).transpose()
    }

    /// Undoes a merge: who counted as themselves does so again. What moved on to another since stays there.
    pub async fn undo_merge(&mut self, merge: &EntityMerge) -> Result<()> {
        let sql = "UPDATE entity_merges SET undone_at = $3 WHERE tenant_id = $1 AND id = $2";
        self.tx.execute(sql, params![self.scope.tenant(), merge.id, self.tx.now()]).await?;
        let Some(root) = self.root_of(merge.into).await? else { return Ok(()) };
        for (id, before) in &merge.moved {
            let sql = "UPDATE entities SET root_id = $3 WHERE tenant_id = $1 AND id = $2 AND root_id = $4";
            self.tx.execute(sql, params![self.scope.tenant(), *id, *before, root]).await?;
        }
        self.after_moving(&[merge.from, merge.into]).await
    }

    async fn after_moving(&mut self, of: &[EntityId]) -> Result<()> {
        let mut roots: Vec<EntityId> = of.to_vec();
        for id in of {
            let row = self.tx.fetch_optional("SELECT root_id FROM entities WHERE id = $1", params![*id]).await?;
            roots.extend(row.map(|row| row.get::<EntityId>("root_id")).transpose()?);
        }
        self.count_mentions(&roots).await?;
        self.note_review(&roots).await
    }

    /// As whom each of these counts; those who are unknown are left out.
    pub async fn roots_of(&mut self, of: &[EntityId]) -> Result<BTreeMap<EntityId, EntityId>> {
        let mut roots = BTreeMap::new();
        for batch in of.chunks(BATCH) {
            let sql = format!(
                "SELECT id, root_id FROM entities WHERE {} = $1 AND id IN {}",
                self.tenant_column(),
                placeholder_list(2, batch.len())
            );
            let mut values = params![self.scope.tenant()];
            values.extend(id_values(batch));
            for row in self.tx.rows_built(sql, values).await? {
                roots.insert(row.get("id")?, row.get("root_id")?);
            }
        }
        Ok(roots)
    }

    /// As whom one counts; itself, mostly.
    pub async fn root_of(&mut self, id: EntityId) -> Result<Option<EntityId>> {
        let sql = "SELECT root_id FROM entities WHERE tenant_id = $1 AND id = $2";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), id]).await?;
        row.map(|row| row.get("root_id")).transpose()
    }

    /// Returns the entities merged into this one, newest first.
    pub async fn merged_into(&mut self, id: EntityId) -> Result<Vec<EntityId>> {
        let sql = "SELECT id FROM entities WHERE tenant_id = $1 AND root_id = $2 AND id <> $2 ORDER BY seq DESC";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), id]).await?;
        rows.iter().map(|row| row.get("id")).collect()
    }
}

fn read_pair(row: &SqlRow) -> Result<Pair> {
    Ok(Pair {
        id: row.get("id")?,
        a: row.get("a_id")?,
        b: row.get("b_id")?,
        confidence: row.get("confidence")?,
        reason: row.get("reason")?,
        state: row.parse("state")?,
        created_at: row.get("created_at")?,
        decided_at: row.get("decided_at")?,
    })
}

fn read_merge(row: &SqlRow) -> Result<EntityMerge> {
    let moved = serde_json::from_value(row.get::<serde_json::Value>("moved")?);
    Ok(EntityMerge {
        id: row.get("id")?,
        from: row.get("from_id")?,
        into: row.get("into_id")?,
        moved: moved.map_err(|error| Error::Corrupt(format!("moved: {error}")))?,
        created_at: row.get("created_at")?,
    })
}
