//! Manifests and the entries of their trees.

use std::collections::{BTreeMap, HashSet};

use ibid_domain::{
    Cursor, Entry, Limit, Manifest, ManifestPath, Page, Sha256, SourceType, Timestamp, Tree, artifact::MediaType,
};

use crate::{
    EngineKind, Error, Result, Scope, Tx,
    sql::{SqlRow, SqlValue, params, placeholder_rows, to_sql_int},
};

/// Maximum number of entries in one statement.
const BATCH: usize = 500;

/// The manifests of one tenant.
pub struct Manifests<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
}

impl Tx {
    /// The manifests that this scope may see.
    pub fn manifests<'a>(&'a mut self, scope: &'a Scope) -> Manifests<'a> {
        Manifests { tx: self, scope }
    }
}

/// A manifest that is to be kept; its parent and its artifacts are held by this transaction.
#[derive(Clone, Debug)]
pub struct NewManifest<'a> {
    /// Hash of the content, which names the manifest.
    pub sha256: Sha256,
    pub tree: &'a Tree,
    pub parent: Option<Sha256>,
    pub message: Option<&'a str>,
}

impl Manifests<'_> {
    /// Holds off everyone else who makes or removes this manifest, until the transaction ends.
    pub async fn lock(&mut self, sha256: Sha256) -> Result<()> {
        self.tx.lock_key(&format!("manifest:{}:{sha256}", self.scope.tenant())).await
    }

    /// Says that a manifest was made again, which renews its grace; `None` if it is not here.
    pub async fn touch(&mut self, sha256: Sha256) -> Result<Option<Manifest>> {
        let now = self.tx.now();
        let sql = "UPDATE manifests SET updated_at = $3 WHERE tenant_id = $1 AND sha256 = $2 RETURNING *";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), sha256, now]).await?;
        row.as_ref().map(read_manifest).transpose()
    }

    /// Keeps a new manifest and counts the references to its artifacts.
    pub async fn add(&mut self, new: NewManifest<'_>) -> Result<Manifest> {
        let mut references = BTreeMap::new();
        for (_, entry) in new.tree.iter() {
            *references.entry(entry.sha256).or_insert(0) += 1;
        }
        self.tx.artifacts(self.scope).count_references(&references).await?;
        let (tenant, now) = (self.scope.tenant(), self.tx.now());
        let row = self
            .tx
            .fetch_optional(
                "INSERT INTO manifests (tenant_id, sha256, parent_sha256, message, entry_count, total_size_bytes,
                     created_by, created_at, updated_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) RETURNING *",
                params![
                    tenant,
                    new.sha256,
                    new.parent,
                    new.message,
                    to_sql_int(new.tree.len() as u64),
                    to_sql_int(new.tree.total_size()),
                    self.scope.user(),
                    now,
                ],
            )
            .await?;
        let entries: Vec<_> = new.tree.iter().collect();
        for batch in entries.chunks(BATCH) {
            let mut values = Vec::with_capacity(batch.len() * 7);
            for (path, entry) in batch {
                values.extend(params![
                    tenant,
                    new.sha256,
                    path.as_str(),
                    entry.sha256,
                    entry.media_type.as_str(),
                    to_sql_int(entry.size_bytes),
                    entry.entity_type.map(SourceType::as_str),
                ]);
            }
            let sql = format!(
                "INSERT INTO manifest_entries
                     (tenant_id, manifest_sha256, path, artifact_sha256, media_type, size_bytes, entity_type)
                 VALUES {}",
                placeholder_rows(1, batch.len(), 7)
            );
            self.tx.execute_built(sql, values).await?;
        }
        read_manifest(&row.ok_or_else(|| Error::Corrupt("an insert returned nothing".to_owned()))?)
    }

    /// Returns a manifest, if it exists.
    pub async fn get(&mut self, sha256: Sha256) -> Result<Option<Manifest>> {
        let sql = "SELECT * FROM manifests WHERE tenant_id = $1 AND sha256 = $2";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), sha256]).await?;
        row.as_ref().map(read_manifest).transpose()
    }

    /// One manifest, held so that nobody can remove it until the transaction ends. Manifests are always held before
    /// artifacts are, so that nobody waits in a circle.
    pub async fn get_locked(&mut self, sha256: Sha256) -> Result<Option<Manifest>> {
        let lock = if self.tx.engine() == EngineKind::Postgres { "FOR KEY SHARE" } else { "" };
        let sql = format!("SELECT * FROM manifests WHERE tenant_id = $1 AND sha256 = $2 {lock}");
        let rows = self.tx.rows_built(sql, params![self.scope.tenant(), sha256]).await?;
        rows.first().map(read_manifest).transpose()
    }

    /// Returns the entries of a manifest.
    pub async fn get_tree(&mut self, sha256: Sha256) -> Result<Tree> {
        let sql = "SELECT * FROM manifest_entries WHERE tenant_id = $1 AND manifest_sha256 = $2 ORDER BY path";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), sha256]).await?;
        let entries: Vec<_> = rows.iter().map(read_entry).collect::<Result<_>>()?;
        Ok(Tree::from_rows(entries))
    }

    /// A manifest and those it came after, newest first.
    pub async fn list_ancestors(
        &mut self,
        from: Sha256,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<Page<Manifest>> {
        let start = match after {
            None => Some(from),
            Some(cursor) => {
                let [last] = cursor.key_parts()?;
                let last: Sha256 = last.parse().map_err(|_| Cursor::invalid_cursor())?;
                self.get(last).await?.ok_or_else(Cursor::invalid_cursor)?.parent
            }
        };
        let Some(start) = start else { return Ok(Page { items: vec![], next: None }) };
        let rows = self
            .tx
            .fetch_all(
                "WITH RECURSIVE chain (sha256, depth) AS (
                     SELECT sha256, CAST(1 AS BIGINT) FROM manifests WHERE tenant_id = $1 AND sha256 = $2
                     UNION ALL
                     SELECT m.parent_sha256, chain.depth + 1
                     FROM chain JOIN manifests m ON m.tenant_id = $1 AND m.sha256 = chain.sha256
                     WHERE m.parent_sha256 IS NOT NULL AND chain.depth < $3
                 )
                 SELECT m.* FROM chain JOIN manifests m ON m.tenant_id = $1 AND m.sha256 = chain.sha256
                 ORDER BY chain.depth",
                params![self.scope.tenant(), start, limit.probe_count()],
            )
            .await?;
        let items = rows.iter().map(read_manifest).collect::<Result<_>>()?;
        Ok(Page::from_rows(items, limit, |last| vec![last.sha256.to_string()]))
    }

    /// A stretch of all manifests in the order of their hashes.
    pub async fn list_by_hash(&mut self, after: Option<Sha256>, count: i64) -> Result<Vec<Manifest>> {
        let sql = "SELECT * FROM manifests WHERE tenant_id = $1 AND sha256 > $2 ORDER BY sha256 LIMIT $3";
        let after = after.map_or_else(Vec::new, |hash| hash.as_bytes().to_vec());
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), after, count]).await?;
        rows.iter().map(read_manifest).collect()
    }

    /// The manifests that pointers name now or named before, leaving out pointers deleted before `cutoff`.
    pub async fn gc_roots(&mut self, cutoff: Timestamp) -> Result<HashSet<Sha256>> {
        let rows = self
            .tx
            .fetch_all(
                "SELECT manifest_sha256 AS sha256 FROM pointers
                 WHERE tenant_id = $1 AND (deleted_at IS NULL OR deleted_at >= $2) AND manifest_sha256 IS NOT NULL
                 UNION SELECT h.from_manifest_sha256 FROM pointer_history h JOIN pointers p ON p.id = h.pointer_id
                 WHERE h.tenant_id = $1 AND (p.deleted_at IS NULL OR p.deleted_at >= $2) AND h.from_manifest_sha256 IS NOT NULL
                 UNION SELECT h.to_manifest_sha256 FROM pointer_history h JOIN pointers p ON p.id = h.pointer_id
                 WHERE h.tenant_id = $1 AND (p.deleted_at IS NULL OR p.deleted_at >= $2) AND h.to_manifest_sha256 IS NOT NULL",
                params![self.scope.tenant(), cutoff],
            )
            .await?;
        rows.iter().map(|row| row.get("sha256")).collect()
    }

    /// Removes a manifest if nothing names it and it was last made before `cutoff`; its artifacts lose a reference.
    /// Gives it back, so that the caller can look at its parent next.
    pub async fn remove(&mut self, sha256: Sha256, cutoff: Timestamp) -> Result<Option<Manifest>> {
        self.lock(sha256).await?;
        // On PostgreSQL the row is taken first and looked at in a second statement, which sees every pointer
        // that was committed while this one waited.
        if self.tx.engine() == EngineKind::Postgres {
            let sql = "SELECT sha256 FROM manifests WHERE tenant_id = $1 AND sha256 = $2 FOR UPDATE";
            self.tx.execute(sql, params![self.scope.tenant(), sha256]).await?;
        }
        let sql = format!(
            "SELECT m.* FROM manifests m WHERE m.tenant_id = $1 AND m.sha256 = $2 AND m.updated_at < $3 {UNNAMED}"
        );
        let rows = self.tx.rows_built(sql, params![self.scope.tenant(), sha256, cutoff]).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let manifest = read_manifest(row)?;
        let mut references = BTreeMap::new();
        for (_, entry) in self.get_tree(sha256).await?.iter() {
            *references.entry(entry.sha256).or_insert(0) -= 1;
        }
        let names: Vec<SqlValue> = params![self.scope.tenant(), sha256];
        self.tx
            .execute("DELETE FROM manifest_entries WHERE tenant_id = $1 AND manifest_sha256 = $2", names.clone())
            .await?;
        self.tx.execute("DELETE FROM manifests WHERE tenant_id = $1 AND sha256 = $2", names).await?;
        self.tx.artifacts(self.scope).count_references(&references).await?;
        Ok(Some(manifest))
    }
}

const UNNAMED: &str = "
    AND NOT EXISTS (SELECT 1 FROM pointers p WHERE p.tenant_id = m.tenant_id AND p.manifest_sha256 = m.sha256)
    AND NOT EXISTS (SELECT 1 FROM pointer_history h WHERE h.tenant_id = m.tenant_id AND h.from_manifest_sha256 = m.sha256)
    AND NOT EXISTS (SELECT 1 FROM pointer_history h WHERE h.tenant_id = m.tenant_id AND h.to_manifest_sha256 = m.sha256)
    AND NOT EXISTS (SELECT 1 FROM manifests c WHERE c.tenant_id = m.tenant_id AND c.parent_sha256 = m.sha256)";

fn read_manifest(row: &SqlRow) -> Result<Manifest> {
    Ok(Manifest {
        sha256: row.get("sha256")?,
        parent: row.get("parent_sha256")?,
        message: row.get("message")?,
        entry_count: row.get("entry_count")?,
        total_size_bytes: row.get("total_size_bytes")?,
        created_by: row.get("created_by")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

fn read_entry(row: &SqlRow) -> Result<(ManifestPath, Entry)> {
    let corrupt = |problem: ibid_domain::Problem| Error::Corrupt(problem.detail);
    let path = ManifestPath::new(row.get::<String>("path")?).map_err(corrupt)?;
    let entry = Entry {
        sha256: row.get("artifact_sha256")?,
        media_type: MediaType::new(&row.get::<String>("media_type")?).map_err(corrupt)?,
        size_bytes: row.get("size_bytes")?,
        entity_type: row.parse_opt("entity_type")?,
    };
    Ok((path, entry))
}
