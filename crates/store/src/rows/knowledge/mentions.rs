//! Which places name whom.

use std::collections::BTreeMap;

use ibid_domain::{Cursor, EntityId, EntityType, Limit, Mention, MentionId, Page, RevisionId, SourceId, Span};

use super::{BATCH, Knowledge, id_values};
use crate::{
    Result,
    sql::{PrefixedRow, params, placeholder_list, to_sql_int},
};

/// A place that names somebody, to be kept.
#[derive(Clone, Debug)]
pub struct NewMention {
    pub id: MentionId,
    /// Entity that the words name.
    pub entity: EntityId,
    /// The words exactly as the text has them.
    pub surface: String,
    /// Range of the words in the revision's text, in characters.
    pub span: Span,
    /// The fullest name in that text.
    pub name: String,
    /// Position or function, as this text tells it.
    pub role: Option<String>,
    /// Organization, as this text tells it.
    pub organization: Option<String>,
    /// Email address, as this text tells it.
    pub email: Option<String>,
    /// Confidence of the extractor, from 0 to 1.
    pub confidence: f64,
}

impl Knowledge<'_> {
    /// Under which names a source has named whom.
    pub async fn named_by(&mut self, source: SourceId) -> Result<Vec<(EntityType, String, EntityId)>> {
        let sql =
            "SELECT DISTINCT e.kind, m.name, m.entity_id FROM entity_mentions m JOIN entities e ON e.id = m.entity_id
                   WHERE m.tenant_id = $1 AND m.source_id = $2 ORDER BY e.kind, m.name, m.entity_id";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), source]).await?;
        rows.iter().map(|row| Ok((row.parse("kind")?, row.get("name")?, row.get("entity_id")?))).collect()
    }

    /// Returns the entity of each mention in a revision.
    pub async fn mentioned_in(&mut self, revision: RevisionId) -> Result<BTreeMap<MentionId, EntityId>> {
        let sql = "SELECT id, entity_id FROM entity_mentions WHERE tenant_id = $1 AND revision_id = $2";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), revision]).await?;
        rows.iter().map(|row| Ok((row.get("id")?, row.get("entity_id")?))).collect()
    }

    /// Makes the mentions of a revision these, and no others. Those that were there keep whom they name.
    pub async fn set_mentions(
        &mut self,
        source: SourceId,
        revision: RevisionId,
        extractor: &str,
        mentions: &[NewMention],
    ) -> Result<()> {
        const COLUMNS: &[&str] = &[
            "id",
            "tenant_id",
            "entity_id",
            "source_id",
            "revision_id",
            "surface",
            "start_char",
            "end_char",
            "name",
            "role",
            "organization",
            "email",
            "confidence",
            "extractor",
            "created_at",
        ];
        let mut gone = self.mentioned_in(revision).await?;
        for one in mentions {
            gone.remove(&one.id);
        }
        let gone: Vec<MentionId> = gone.into_keys().collect();
        for batch in gone.chunks(BATCH) {
            let sql = format!("DELETE FROM entity_mentions WHERE id IN {}", placeholder_list(1, batch.len()));
            self.tx.execute_built(sql, id_values(batch)).await?;
        }
        let (tenant, now) = (self.scope.tenant(), self.tx.now());
        let rows = mentions.iter().map(|one| {
            params![
                one.id,
                tenant,
                one.entity,
                source,
                revision,
                one.surface.as_str(),
                to_sql_int(one.span.start as u64),
                to_sql_int(one.span.end as u64),
                one.name.as_str(),
                one.role.as_deref(),
                one.organization.as_deref(),
                one.email.as_deref(),
                one.confidence,
                extractor,
                now,
            ]
        });
        let rows = rows.collect();
        self.insert_rows("entity_mentions", COLUMNS, rows, "ON CONFLICT (id) DO NOTHING").await?;
        Ok(())
    }

    /// Returns the entities that any revision of a source mentions.
    pub async fn entities_of_source(&mut self, source: SourceId) -> Result<Vec<EntityId>> {
        let sql =
            "SELECT DISTINCT entity_id FROM entity_mentions WHERE tenant_id = $1 AND source_id = $2 ORDER BY entity_id";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), source]).await?;
        rows.iter().map(|row| row.get("entity_id")).collect()
    }

    /// The places in current revisions that name one, or those that count as it.
    pub async fn list_mentions(&mut self, id: EntityId, limit: Limit, after: Option<&Cursor>) -> Result<Page<Mention>> {
        let mut values = params![self.scope.tenant(), id];
        let mut also = "";
        if let Some(cursor) = after {
            let [revision, start, mention] = cursor.key_parts()?;
            values.push(revision.parse::<RevisionId>().map_err(|_| Cursor::invalid_cursor())?.into());
            values.push(start.parse::<i64>().map_err(|_| Cursor::invalid_cursor())?.into());
            values.push(mention.parse::<MentionId>().map_err(|_| Cursor::invalid_cursor())?.into());
            also = "AND (m.revision_id, m.start_char, m.id) > ($3, $4, $5)";
        }
        values.push(limit.probe_count().into());
        let sql = format!(
            "SELECT m.* FROM entities f JOIN entity_mentions m ON m.entity_id = f.id
             JOIN extractions x ON x.revision_id = m.revision_id AND x.is_current = 1
             WHERE f.tenant_id = $1 AND (f.root_id = $2 OR f.id = $2) {also}
             ORDER BY m.revision_id, m.start_char, m.id LIMIT ${}",
            values.len()
        );
        let rows = self.tx.rows_built(sql, values).await?;
        let found = rows.iter().map(|row| read_mention(row.with_prefix(""))).collect::<Result<Vec<_>>>()?;
        Ok(Page::from_rows(found, limit, |last| {
            vec![last.revision.to_string(), last.span.start.to_string(), last.id.to_string()]
        }))
    }

    /// Those of these mentions that name an entity, or one that counts as it.
    pub async fn mentions_by_id(&mut self, of: EntityId, wanted: &[MentionId]) -> Result<Vec<Mention>> {
        let mut found = Vec::new();
        for batch in wanted.chunks(BATCH) {
            let sql = format!(
                "SELECT m.* FROM entity_mentions m JOIN entities f ON f.id = m.entity_id
                 WHERE f.tenant_id = $1 AND (f.root_id = $2 OR f.id = $2) AND m.id IN {} ORDER BY m.revision_id, m.start_char",
                placeholder_list(3, batch.len())
            );
            let mut values = params![self.scope.tenant(), of];
            values.extend(id_values(batch));
            let rows = self.tx.rows_built(sql, values).await?;
            found.extend(rows.iter().map(|row| read_mention(row.with_prefix(""))).collect::<Result<Vec<_>>>()?);
        }
        Ok(found)
    }

    /// Gives some mentions of an entity to another one. Says how many there were.
    pub async fn move_mentions(&mut self, from: EntityId, to: EntityId, mentions: &[MentionId]) -> Result<u64> {
        let mut moved = 0;
        for batch in mentions.chunks(BATCH) {
            let sql = format!(
                "UPDATE entity_mentions SET entity_id = $2
                 WHERE entity_id IN (SELECT id FROM entities WHERE tenant_id = $3 AND (id = $1 OR root_id = $1)) AND id IN {}",
                placeholder_list(4, batch.len())
            );
            let mut values = params![from, to, self.scope.tenant()];
            values.extend(id_values(batch));
            moved += self.tx.execute_built(sql, values).await?;
        }
        Ok(moved)
    }
}

fn read_mention(row: PrefixedRow<'_>) -> Result<Mention> {
    let place = |name: &str| -> Result<usize> { Ok(row.get::<u64>(name)? as usize) };
    Ok(Mention {
        id: row.get("id")?,
        entity: row.get("entity_id")?,
        source: row.get("source_id")?,
        revision: row.get("revision_id")?,
        surface: row.get("surface")?,
        span: Span::new(place("start_char")?, place("end_char")?),
        confidence: row.get("confidence")?,
        extractor: row.get("extractor")?,
    })
}
