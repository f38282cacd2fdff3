//! Who is known, and under which names.

use std::collections::BTreeMap;

use ibid_domain::{Cursor, Entity, EntityId, EntityType, Limit, Page, RevisionId, SourceId, Timestamp};

use super::{BATCH, Knowledge, id_values};
use crate::{
    Result,
    sql::{SqlRow, SqlValue, params, placeholder_list},
};

/// So many that are filed under one key are looked at, the oldest first.
const PER_KEY: usize = 64;

/// Somebody who is known, as far as it tells whether another is the same.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityProfile {
    pub id: EntityId,
    /// Entity it was merged into, or its own id.
    pub root: EntityId,
    pub kind: EntityType,
    pub name: String,
    /// Its name as names are compared.
    pub normalized: String,
    /// Position or function, such as `CFO`, if known.
    pub role: Option<String>,
    /// Organization it belongs to, if known.
    pub organization: Option<String>,
    pub email: Option<String>,
    /// Further details about the entity, as free text.
    pub context: Option<String>,
    /// Other names of this entity alone.
    pub aliases: Vec<String>,
}

/// An entity to insert, found for the first time.
#[derive(Clone, Debug)]
pub struct NewEntity {
    pub id: EntityId,
    pub kind: EntityType,
    pub name: String,
    /// Its name as names are compared.
    pub normalized: String,
    /// Position or function, such as `CFO`, if known.
    pub role: Option<String>,
    /// Organization it belongs to, if known.
    pub organization: Option<String>,
    pub email: Option<String>,
    /// Further details about the entity, as free text.
    pub context: Option<String>,
    /// Source in which it was found first.
    pub source: SourceId,
    /// Revision in which it was found first.
    pub revision: RevisionId,
}

/// Restricts a list of entities; an unset field does not restrict.
#[derive(Clone, Debug, Default)]
pub struct EntityFilter {
    pub kind: Option<EntityType>,
    /// Only those one of whose names has these words, in lower case.
    pub words: Option<String>,
    /// Only those that a person should look at, or none of them.
    pub needs_review: Option<bool>,
}

/// In which order entities are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntityOrder {
    /// Those first that are named most.
    #[default]
    Often,
    Newest,
}

impl Knowledge<'_> {
    /// Returns the roots of the entities stored under each of these keys.
    pub async fn filed_under(&mut self, keys: &[String]) -> Result<BTreeMap<String, Vec<EntityId>>> {
        let mut found: BTreeMap<String, Vec<EntityId>> = BTreeMap::new();
        for batch in keys.chunks(BATCH) {
            let sql = format!(
                "SELECT k.key, e.root_id FROM entity_keys k JOIN entities e ON e.id = k.entity_id
                 WHERE k.tenant_id = $1 AND k.key IN {} ORDER BY e.seq",
                placeholder_list(2, batch.len())
            );
            let mut values = params![self.scope.tenant()];
            values.extend(batch.iter().map(|key| SqlValue::from(key.as_str())));
            for row in self.tx.rows_built(sql, values).await? {
                let (key, root): (String, EntityId) = (row.get("key")?, row.get("root_id")?);
                let filed = found.entry(key).or_default();
                if filed.len() < PER_KEY && !filed.contains(&root) {
                    filed.push(root);
                }
            }
        }
        Ok(found)
    }

    /// All that count as these, themselves included, in the order in which they became known.
    pub async fn load_families(&mut self, roots: &[EntityId]) -> Result<Vec<EntityProfile>> {
        let mut found = Vec::new();
        for batch in roots.chunks(BATCH) {
            let sql = format!(
                "SELECT * FROM entities WHERE {} = $1 AND root_id IN {} ORDER BY seq",
                self.tenant_column(),
                placeholder_list(2, batch.len())
            );
            let mut values = params![self.scope.tenant()];
            values.extend(id_values(batch));
            for row in self.tx.rows_built(sql, values).await? {
                found.push(EntityProfile {
                    id: row.get("id")?,
                    root: row.get("root_id")?,
                    kind: row.parse("kind")?,
                    name: row.get("name")?,
                    normalized: row.get("normalized_name")?,
                    role: row.get("role")?,
                    organization: row.get("organization")?,
                    email: row.get("email")?,
                    context: row.get("context")?,
                    aliases: Vec::new(),
                });
            }
        }
        let members: Vec<EntityId> = found.iter().map(|one| one.id).collect();
        let mut aliases = self.aliases_by_entity(&members).await?;
        for one in &mut found {
            one.aliases = aliases.remove(&one.id).unwrap_or_default();
        }
        Ok(found)
    }

    /// The other names of each of these.
    async fn aliases_by_entity(&mut self, of: &[EntityId]) -> Result<BTreeMap<EntityId, Vec<String>>> {
        let mut found: BTreeMap<EntityId, Vec<String>> = BTreeMap::new();
        for batch in of.chunks(BATCH) {
            let sql = format!(
                "SELECT entity_id, alias FROM entity_aliases WHERE entity_id IN {} ORDER BY entity_id, normalized_alias",
                placeholder_list(1, batch.len())
            );
            for row in self.tx.rows_built(sql, id_values(batch)).await? {
                found.entry(row.get("entity_id")?).or_default().push(row.get("alias")?);
            }
        }
        Ok(found)
    }

    /// Keeps those who are new. Each is its own root.
    pub async fn add_entities(&mut self, new: &[NewEntity]) -> Result<()> {
        const COLUMNS: &[&str] = &[
            "id",
            "tenant_id",
            "root_id",
            "kind",
            "name",
            "normalized_name",
            "role",
            "organization",
            "email",
            "context",
            "first_source_id",
            "first_revision_id",
            "created_at",
            "updated_at",
        ];
        let now = self.tx.now();
        let rows = new.iter().map(|one| {
            params![
                one.id,
                self.scope.tenant(),
                one.id,
                one.kind.as_str(),
                one.name.as_str(),
                one.normalized.as_str(),
                one.role.as_deref(),
                one.organization.as_deref(),
                one.email.as_deref(),
                one.context.as_deref(),
                one.source,
                one.revision,
                now,
                now,
            ]
        });
        let rows = rows.collect();
        self.insert_rows("entities", COLUMNS, rows, "").await?;
        Ok(())
    }

    /// Keeps what else was learned of one that is known: a fuller name, and what was not known before.
    pub async fn update_profile(&mut self, one: &EntityProfile) -> Result<()> {
        let sql = "UPDATE entities SET name = $3, normalized_name = $4, role = $5, organization = $6, email = $7,
                       context = $8, updated_at = $9
                   WHERE tenant_id = $1 AND id = $2";
        let values = params![
            self.scope.tenant(),
            one.id,
            one.name.as_str(),
            one.normalized.as_str(),
            one.role.as_deref(),
            one.organization.as_deref(),
            one.email.as_deref(),
            one.context.as_deref(),
            self.tx.now(),
        ];
        self.tx.execute(sql, values).await?;
        Ok(())
    }

    /// Keeps other names, each as it is compared and as it is written.
    pub async fn add_aliases(&mut self, aliases: &[(EntityId, String, String)]) -> Result<()> {
        let now = self.tx.now();
        let row = |(id, normalized, alias): &(EntityId, String, String)| {
            params![*id, normalized.as_str(), alias.as_str(), now]
        };
        let columns = &["entity_id", "normalized_alias", "alias", "created_at"];
        let rows = aliases.iter().map(row).collect();
        self.insert_rows("entity_aliases", columns, rows, "ON CONFLICT DO NOTHING").await?;
        Ok(())
    }

    /// Stores entities under keys, by which candidates for a match are found.
    pub async fn add_keys(&mut self, keys: &[(EntityId, String)]) -> Result<()> {
        let tenant = self.scope.tenant();
        let rows = keys.iter().map(|(id, key)| params![tenant, key.as_str(), *id]).collect();
        self.insert_rows("entity_keys", &["tenant_id", "key", "entity_id"], rows, "ON CONFLICT DO NOTHING").await?;
        Ok(())
    }

    /// Forgets those of these whom no text names any more, and counts how often the others are named. A root that is
    /// forgotten while others count as it hands them to the oldest of them.
    pub async fn prune_and_recount(&mut self, touched: &[EntityId]) -> Result<()> {
        for batch in touched.chunks(BATCH) {
            let (tenant, list) = (self.tenant_column(), placeholder_list(2, batch.len()));
            let mut values = params![self.scope.tenant()];
            values.extend(id_values(batch));
            let sql = format!(
                "SELECT e.id, e.root_id FROM entities e WHERE {tenant} = $1 AND e.id IN {list}
                 AND NOT EXISTS (SELECT 1 FROM entity_mentions m WHERE m.entity_id = e.id)"
            );
            let mut roots: Vec<EntityId> = Vec::new();
            for row in self.tx.rows_built(sql, values.clone()).await? {
                let (id, root): (EntityId, EntityId) = (row.get("id")?, row.get("root_id")?);
                let heir = "SELECT id FROM entities WHERE root_id = $1 AND id <> $1 ORDER BY seq LIMIT 1";
                let heir = self.tx.fetch_optional(heir, params![id]).await?;
                if let Some(heir) = heir.map(|row| row.get::<EntityId>("id")).transpose()? {
                    self.tx.execute("UPDATE entities SET root_id = $2 WHERE root_id = $1", params![id, heir]).await?;
                    self.tx
                        .execute("UPDATE graph_links SET entity_id = $2 WHERE entity_id = $1", params![id, heir])
                        .await?;
                    roots.push(heir);
                } else if root != id {
                    roots.push(root);
                }
                self.forget_pairs(id).await?;
                self.tx.execute("DELETE FROM graph_links WHERE entity_id = $1", params![id]).await?;
                self.tx.execute("DELETE FROM entities WHERE id = $1", params![id]).await?;
            }
            let sql = format!("SELECT DISTINCT root_id FROM entities WHERE {tenant} = $1 AND id IN {list}");
            for row in self.tx.rows_built(sql, values).await? {
                roots.push(row.get("root_id")?);
            }
            self.count_mentions(&roots).await?;
        }
        Ok(())
    }

    /// Counts how often each family is named in what is current, and keeps it at its root.
    pub(super) async fn count_mentions(&mut self, roots: &[EntityId]) -> Result<()> {
        for batch in roots.chunks(BATCH) {
            let sql = format!(
                "UPDATE entities SET mention_count = (
                     SELECT COUNT(*) FROM entities f JOIN entity_mentions m ON m.entity_id = f.id
                     JOIN extractions x ON x.revision_id = m.revision_id AND x.is_current = 1
                     WHERE f.root_id = entities.id)
                 WHERE {} = $1 AND id IN {}",
                self.tenant_column(),
                placeholder_list(2, batch.len())
            );
            let mut values = params![self.scope.tenant()];
            values.extend(id_values(batch));
            self.tx.execute_built(sql, values).await?;
        }
        Ok(())
    }

    /// One, with the names of all that count as it.
    pub async fn get_entity(&mut self, id: EntityId) -> Result<Option<Entity>> {
        Ok(self.entities_by_id(&[id]).await?.pop())
    }

    /// These, in the order of their ids.
    pub async fn entities_by_id(&mut self, wanted: &[EntityId]) -> Result<Vec<Entity>> {
        let mut found = Vec::new();
        for batch in wanted.chunks(BATCH) {
            let sql = format!(
                "SELECT * FROM entities WHERE {} = $1 AND id IN {} ORDER BY id",
                self.tenant_column(),
                placeholder_list(2, batch.len())
            );
            let mut values = params![self.scope.tenant()];
            values.extend(id_values(batch));
            let rows = self.tx.rows_built(sql, values).await?;
            found.extend(rows.iter().map(read_entity).collect::<Result<Vec<_>>>()?);
        }
        self.with_names(&mut found).await?;
        Ok(found)
    }

    /// These, who count as themselves, in one question and in no order.
    pub async fn get_roots(&mut self, wanted: &[EntityId]) -> Result<Vec<Entity>> {
        let mut found: BTreeMap<EntityId, Entity> = BTreeMap::new();
        let mut others: Vec<Entity> = Vec::new();
        for batch in wanted.chunks(BATCH) {
            let sql = format!(
                "SELECT e.*, a.alias FROM entities e LEFT JOIN entity_aliases a ON a.entity_id = e.id
                 WHERE {} = $1 AND e.root_id IN {} ORDER BY e.seq, a.normalized_alias",
                self.tenant_column(),
                placeholder_list(2, batch.len())
            );
            let mut values = params![self.scope.tenant()];
            values.extend(id_values(batch));
            for row in self.tx.rows_built(sql, values).await? {
                let mut one = read_entity(&row)?;
                one.aliases.extend(row.get::<Option<String>>("alias")?);
                let known = found.get_mut(&one.id).or_else(|| others.iter_mut().find(|other| other.id == one.id));
                match (known, one.merged_into) {
                    (Some(known), _) => known.aliases.append(&mut one.aliases),
                    (None, None) => drop(found.insert(one.id, one)),
                    (None, Some(_)) => others.push(one),
                }
            }
        }
        for other in others {
            if let Some(root) = other.merged_into.and_then(|root| found.get_mut(&root)) {
                take_names(root, other.name, other.aliases, other.role, other.organization, other.email);
            }
        }
        Ok(found.into_values().collect())
    }

    /// Adds the names of families to their roots, and what their members know that the root does not.
    async fn with_names(&mut self, entities: &mut [Entity]) -> Result<()> {
        let roots: Vec<EntityId> = entities.iter().map(|one| one.id).collect();
        let mut families: BTreeMap<EntityId, Vec<EntityProfile>> = BTreeMap::new();
        for member in self.load_families(&roots).await? {
            families.entry(member.root).or_default().push(member);
        }
        let merged: Vec<EntityId> = entities.iter().filter(|one| one.merged_into.is_some()).map(|one| one.id).collect();
        let mut own = self.aliases_by_entity(&merged).await?;
        for one in entities {
            if one.merged_into.is_some() {
                one.aliases = own.remove(&one.id).unwrap_or_default();
                continue;
            }
            for member in families.remove(&one.id).unwrap_or_default() {
                take_names(one, member.name, member.aliases, member.role, member.organization, member.email);
            }
        }
        Ok(())
    }

    /// Those who are known, without those who were found to be others.
    pub async fn list_entities(
        &mut self,
        filter: &EntityFilter,
        order: EntityOrder,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<Page<Entity>> {
        let mut values = params![self.scope.tenant()];
        let mut sql = "SELECT e.* FROM entities e WHERE e.tenant_id = $1 AND e.root_id = e.id".to_owned();
        let mut also = |condition: &str, value: SqlValue| {
            values.push(value);
            sql.push_str(&condition.replace('?', &format!("${}", values.len())));
        };
        if let Some(kind) = filter.kind {
            also(" AND e.kind = ?", kind.as_str().into());
        }
        if let Some(needs_review) = filter.needs_review {
            also(" AND e.needs_review = ?", i64::from(needs_review).into());
        }
        for word in filter.words.iter().flat_map(|words| words.split_whitespace()) {
            // `_` and `%` are words like others.
            let pattern = format!("%{}%", word.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_"));
            also(
                " AND EXISTS (SELECT 1 FROM entities f LEFT JOIN entity_aliases a ON a.entity_id = f.id WHERE f.root_id = e.id
                  AND (f.normalized_name LIKE ? ESCAPE '\\' OR lower(f.name) LIKE ? ESCAPE '\\'
                       OR a.normalized_alias LIKE ? ESCAPE '\\' OR lower(f.email) LIKE ? ESCAPE '\\'))",
                pattern.into(),
            );
        }
        if let Some(cursor) = after {
            match order {
                EntityOrder::Often => {
                    let [count, id] = cursor.key_parts()?;
                    let count: i64 = count.parse().map_err(|_| Cursor::invalid_cursor())?;
                    let id: EntityId = id.parse().map_err(|_| Cursor::invalid_cursor())?;
                    also(" AND (e.mention_count < ?", count.into());
                    also(" OR (e.mention_count = ?", count.into());
                    also(" AND e.id < ?))", id.into());
                }
                EntityOrder::Newest => {
                    let [id] = cursor.key_parts()?;
                    also(" AND e.id < ?", id.parse::<EntityId>().map_err(|_| Cursor::invalid_cursor())?.into());
                }
            }
        }
        values.push(limit.probe_count().into());
        sql.push_str(match order {
            EntityOrder::Often => " ORDER BY e.mention_count DESC, e.id DESC",
            EntityOrder::Newest => " ORDER BY e.id DESC",
        });
        sql.push_str(&format!(" LIMIT ${}", values.len()));
        let rows = self.tx.rows_built(sql, values).await?;
        let found = rows.iter().map(read_entity).collect::<Result<Vec<_>>>()?;
        let mut page = Page::from_rows(found, limit, |last| match order {
            EntityOrder::Often => vec![last.mention_count.to_string(), last.id.to_string()],
            EntityOrder::Newest => vec![last.id.to_string()],
        });
        self.with_names(&mut page.items).await?;
        Ok(page)
    }
}

/// Adds what one of a family is called and known by.
fn take_names(
    root: &mut Entity,
    name: String,
    aliases: Vec<String>,
    role: Option<String>,
    organization: Option<String>,
    email: Option<String>,
) {
    for name in std::iter::once(name).chain(aliases) {
        if name != root.name && !root.aliases.contains(&name) {
            root.aliases.push(name);
        }
    }
    root.role = root.role.take().or(role);
    root.organization = root.organization.take().or(organization);
    root.email = root.email.take().or(email);
}

pub(super) fn read_entity(row: &SqlRow) -> Result<Entity> {
    let (id, root): (EntityId, EntityId) = (row.get("id")?, row.get("root_id")?);
    Ok(Entity {
        id,
        kind: row.parse("kind")?,
        name: row.get("name")?,
        role: row.get("role")?,
        organization: row.get("organization")?,
        email: row.get("email")?,
        aliases: Vec::new(),
        needs_review: row.get("needs_review")?,
        mention_count: row.get("mention_count")?,
        merged_into: (root != id).then_some(root),
        first_source: row.get("first_source_id")?,
        first_revision: row.get("first_revision_id")?,
        created_at: row.get::<Timestamp>("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}
