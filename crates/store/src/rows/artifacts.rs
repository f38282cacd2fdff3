//! Artifacts, their reference counts, and the list of blobs that are to be removed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use ibid_domain::{
    Artifact, Cursor, JsonObject, Limit, Page, Sha256, SourceType, Timestamp,
    artifact::{Filename, MediaType},
};

use crate::{
    EngineKind, Error, Result, Scope, Tx,
    sql::{SqlRow, SqlValue, params, placeholder_list, to_sql_int},
};

/// Maximum number of hashes in one statement.
const BATCH: usize = 500;

/// The artifacts of one tenant.
pub struct Artifacts<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
}

impl Tx {
    /// The artifacts that this scope may see.
    pub fn artifacts<'a>(&'a mut self, scope: &'a Scope) -> Artifacts<'a> {
        Artifacts { tx: self, scope }
    }
}

/// A new artifact whose bytes are already in the blob store.
#[derive(Clone, Debug)]
pub struct NewArtifact {
    pub sha256: Sha256,
    pub media_type: MediaType,
    pub size_bytes: u64,
    pub filename: Option<Filename>,
    /// Address of the bytes in the blob store.
    pub storage_uri: String,
    /// The type of source it is the content of.
    pub entity_type: Option<SourceType>,
    /// Free-form facts about the source it is the content of.
    pub entity_metadata: Option<JsonObject>,
}

/// Restricts a list of artifacts; an unset field does not restrict.
#[derive(Clone, Debug, Default)]
pub struct ArtifactFilter {
    pub entity_type: Option<SourceType>,
}

impl Artifacts<'_> {
    /// Holds off everyone else who brings or removes these bytes, until the transaction ends.
    pub async fn lock(&mut self, sha256: Sha256) -> Result<()> {
        self.tx.lock_key(&format!("artifact:{}:{sha256}", self.scope.tenant())).await
    }

    /// Keeps an artifact, and says whether it is new. One that is known is touched, which renews its grace, and
    /// learns what was not known of it before. The caller holds its lock.
    pub async fn insert_or_touch(&mut self, new: NewArtifact) -> Result<(Artifact, bool)> {
        let (tenant, now) = (self.scope.tenant(), self.tx.now());
        let known = self.get(new.sha256).await?.is_some();
        let row = self
            .tx
            .fetch_optional(
                "INSERT INTO artifacts (tenant_id, sha256, media_type, size_bytes, filename, storage_uri, storage_class,
                     entity_type, entity_metadata, created_by, reference_count, created_at, updated_at)
                 VALUES ($1, $2, $3, $4, $5, $6, 'STANDARD', $7, $8, $9, 0, $10, $10)
                 ON CONFLICT (tenant_id, sha256) DO UPDATE SET
                     updated_at = excluded.updated_at,
                     storage_uri = excluded.storage_uri,
                     filename = COALESCE(artifacts.filename, excluded.filename),
                     entity_type = COALESCE(artifacts.entity_type, excluded.entity_type),
                     entity_metadata = COALESCE(artifacts.entity_metadata, excluded.entity_metadata)
                 RETURNING *",
                params![
                    tenant,
                    new.sha256,
                    new.media_type.as_str(),
                    to_sql_int(new.size_bytes),
                    new.filename.as_ref().map(Filename::as_str),
                    new.storage_uri,
                    new.entity_type.map(SourceType::as_str),
                    new.entity_metadata,
                    self.scope.user(),
                    now,
                ],
            )
            .await?;
        self.uncondemn_blob(new.sha256).await?;
        let row = row.ok_or_else(|| Error::Corrupt("an insert returned nothing".to_owned()))?;
        Ok((read_artifact(&row)?, !known))
    }

    /// Stores an artifact with its bytes in the database, in this transaction: there is no file to place first. Bytes
    /// that are known already stay where they are.
    pub async fn insert_small(&mut self, new: NewArtifact, bytes: &[u8]) -> Result<Artifact> {
        let sha256 = new.sha256;
        if let Some(known) = self.get(sha256).await? {
            let (artifact, _) = self.insert_or_touch(NewArtifact { storage_uri: known.storage_uri, ..new }).await?;
            return Ok(artifact);
        }
        let (artifact, _) = self.insert_or_touch(new).await?;
        let sql = "INSERT INTO small_blobs (tenant_id, sha256, bytes) VALUES ($1, $2, $3)
                   ON CONFLICT (tenant_id, sha256) DO NOTHING";
        self.tx.execute(sql, params![self.scope.tenant(), sha256, bytes.to_vec()]).await?;
        Ok(artifact)
    }

    /// Returns an artifact, if it exists.
    pub async fn get(&mut self, sha256: Sha256) -> Result<Option<Artifact>> {
        let sql = "SELECT * FROM artifacts WHERE tenant_id = $1 AND sha256 = $2";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), sha256]).await?;
        row.as_ref().map(read_artifact).transpose()
    }

    /// Those of many artifacts that are here.
    pub async fn get_many(&mut self, hashes: &[Sha256]) -> Result<HashMap<Sha256, Artifact>> {
        let mut found = HashMap::with_capacity(hashes.len());
        for batch in hashes.chunks(BATCH) {
            let list = placeholder_list(2, batch.len());
            let sql = format!("SELECT * FROM artifacts WHERE tenant_id = $1 AND sha256 IN {list}");
            let values = self.batch_values(batch);
            for row in self.tx.rows_built(sql, values).await? {
                let artifact = read_artifact(&row)?;
                found.insert(artifact.sha256, artifact);
            }
        }
        Ok(found)
    }

    /// Lists artifacts, newest first.
    pub async fn list(
        &mut self,
        filter: &ArtifactFilter,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<Page<Artifact>> {
        let mut sql = "SELECT * FROM artifacts WHERE tenant_id = $1".to_owned();
        let mut values = params![self.scope.tenant()];
        if let Some(kind) = filter.entity_type {
            values.push(kind.as_str().into());
            sql += &format!(" AND entity_type = ${}", values.len());
        }
        if let Some(cursor) = after {
            let [time, hash] = cursor.key_parts()?;
            let time: i64 = time.parse().map_err(|_| Cursor::invalid_cursor())?;
            let hash: Sha256 = hash.parse().map_err(|_| Cursor::invalid_cursor())?;
            values.extend(params![Timestamp::from_micros(time), hash]);
            sql += &format!(" AND (created_at, sha256) < (${}, ${})", values.len() - 1, values.len());
        }
        values.push(limit.probe_count().into());
        sql += &format!(" ORDER BY created_at DESC, sha256 DESC LIMIT ${}", values.len());
        let rows = self.tx.rows_built(sql, values).await?;
        let items = rows.iter().map(read_artifact).collect::<Result<_>>()?;
        Ok(Page::from_rows(items, limit, |last| vec![last.created_at.as_micros().to_string(), last.sha256.to_string()]))
    }

    /// Counts the artifacts of the tenant.
    pub async fn count(&mut self) -> Result<u64> {
        let sql = "SELECT COUNT(*) AS count FROM artifacts WHERE tenant_id = $1";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant()]).await?;
        row.map_or(Ok(0), |row| row.get("count"))
    }

    /// A stretch of all artifacts in the order of their hashes, for checks that walk over everything.
    pub async fn list_by_hash(&mut self, after: Option<Sha256>, count: i64) -> Result<Vec<Artifact>> {
        let sql = "SELECT * FROM artifacts WHERE tenant_id = $1 AND sha256 > $2 ORDER BY sha256 LIMIT $3";
        let after = after.map_or_else(Vec::new, |hash| hash.as_bytes().to_vec());
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), after, count]).await?;
        rows.iter().map(read_artifact).collect()
    }

    /// Those of many artifacts that are here, held so that nobody can remove them until the transaction ends. On
    /// PostgreSQL the rows are taken in the order of their hashes, so that two transactions never wait for each other
    /// in a circle.
    pub async fn lock_existing(&mut self, hashes: &BTreeSet<Sha256>) -> Result<HashSet<Sha256>> {
        let lock = if self.tx.engine() == EngineKind::Postgres { "ORDER BY sha256 FOR NO KEY UPDATE" } else { "" };
        let hashes: Vec<Sha256> = hashes.iter().copied().collect();
        let mut held = HashSet::with_capacity(hashes.len());
        for batch in hashes.chunks(BATCH) {
            let list = placeholder_list(2, batch.len());
            let sql = format!("SELECT sha256 FROM artifacts WHERE tenant_id = $1 AND sha256 IN {list} {lock}");
            let values = self.batch_values(batch);
            for row in self.tx.rows_built(sql, values).await? {
                held.insert(row.get("sha256")?);
            }
        }
        Ok(held)
    }

    /// Changes reference counts, each by so much.
    pub async fn count_references(&mut self, changes: &BTreeMap<Sha256, i64>) -> Result<()> {
        self.lock_existing(&changes.keys().copied().collect()).await?;
        let mut by_change: BTreeMap<i64, Vec<Sha256>> = BTreeMap::new();
        for (sha256, change) in changes {
            by_change.entry(*change).or_default().push(*sha256);
        }
        for (change, hashes) in by_change {
            for batch in hashes.chunks(BATCH) {
                let sql = format!(
                    "UPDATE artifacts SET reference_count = reference_count + ${} WHERE tenant_id = $1 AND sha256 IN {}",
                    batch.len() + 2,
                    placeholder_list(2, batch.len())
                );
                let mut values = self.batch_values(batch);
                values.push(change.into());
                if self.tx.execute_built(sql, values).await? != batch.len() as u64 {
                    return Err(Error::Corrupt("an artifact is referenced and not there".to_owned()));
                }
            }
        }
        Ok(())
    }

    fn batch_values(&self, batch: &[Sha256]) -> Vec<SqlValue> {
        let mut values = params![self.scope.tenant()];
        values.extend(batch.iter().map(|hash| (*hash).into()));
        values
    }

    /// Recounts the references to each artifact and returns those that differ: (hash, stored, counted).
    pub async fn wrong_reference_counts(&mut self) -> Result<Vec<(Sha256, u64, u64)>> {
        let rows = self
            .tx
            .fetch_all(
                "SELECT a.sha256, a.reference_count AS kept, COUNT(n.sha256) AS counted
                 FROM artifacts a LEFT JOIN (
                     SELECT artifact_sha256 AS sha256 FROM manifest_entries WHERE tenant_id = $1
                     UNION ALL SELECT content_sha256 FROM revisions WHERE tenant_id = $1
                     UNION ALL SELECT text_sha256 FROM revisions WHERE tenant_id = $1 AND text_sha256 IS NOT NULL
                     UNION ALL SELECT thumbnail_sha256 FROM revisions WHERE tenant_id = $1 AND thumbnail_sha256 IS NOT NULL
                     UNION ALL SELECT text_sha256 FROM citations WHERE tenant_id = $1 AND text_sha256 IS NOT NULL
                     UNION ALL SELECT content_sha256 FROM citations WHERE tenant_id = $1 AND content_sha256 IS NOT NULL
                 ) n ON n.sha256 = a.sha256
                 WHERE a.tenant_id = $1
                 GROUP BY a.sha256, a.reference_count
                 HAVING a.reference_count <> COUNT(n.sha256)
                 ORDER BY a.sha256",
                params![self.scope.tenant()],
            )
            .await?;
        rows.iter().map(|row| Ok((row.get("sha256")?, row.get("kept")?, row.get("counted")?))).collect()
    }

    /// Artifacts that nothing names and that were last brought before `cutoff`.
    pub async fn list_unreferenced(
        &mut self,
        cutoff: Timestamp,
        after: Option<Sha256>,
        count: i64,
    ) -> Result<Vec<Artifact>> {
        let sql = "SELECT * FROM artifacts WHERE tenant_id = $1 AND reference_count = 0 AND updated_at < $2
                   AND sha256 > $3 ORDER BY sha256 LIMIT $4";
        let after = after.map_or_else(Vec::new, |hash| hash.as_bytes().to_vec());
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), cutoff, after, count]).await?;
        rows.iter().map(read_artifact).collect()
    }

    /// Removes an artifact if it still is what [`Artifacts::list_unreferenced`] saw, and condemns its blob. The bytes are
    /// removed later, by whoever finds the blob condemned and no artifact brought anew.
    pub async fn delete_if_unreferenced(&mut self, sha256: Sha256, cutoff: Timestamp) -> Result<bool> {
        self.lock(sha256).await?;
        let sql =
            "DELETE FROM artifacts WHERE tenant_id = $1 AND sha256 = $2 AND reference_count = 0 AND updated_at < $3";
        if self.tx.execute(sql, params![self.scope.tenant(), sha256, cutoff]).await? == 0 {
            return Ok(false);
        }
        let now = self.tx.now();
        let sql = "INSERT INTO condemned_blobs (tenant_id, sha256, created_at) VALUES ($1, $2, $3)
                   ON CONFLICT (tenant_id, sha256) DO NOTHING";
        self.tx.execute(sql, params![self.scope.tenant(), sha256, now]).await?;
        Ok(true)
    }

    /// Blobs that are to be removed.
    pub async fn list_condemned_blobs(&mut self, count: i64) -> Result<Vec<Sha256>> {
        let sql = "SELECT sha256 FROM condemned_blobs WHERE tenant_id = $1 ORDER BY sha256 LIMIT $2";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), count]).await?;
        rows.iter().map(|row| row.get("sha256")).collect()
    }

    /// Takes a blob off the list of those that are to be removed.
    pub async fn uncondemn_blob(&mut self, sha256: Sha256) -> Result<()> {
        let sql = "DELETE FROM condemned_blobs WHERE tenant_id = $1 AND sha256 = $2";
        self.tx.execute(sql, params![self.scope.tenant(), sha256]).await?;
        Ok(())
    }
}

fn read_artifact(row: &SqlRow) -> Result<Artifact> {
    let filename: Option<String> = row.get("filename")?;
    let corrupt = |problem: ibid_domain::Problem| Error::Corrupt(problem.detail);
    Ok(Artifact {
        sha256: row.get("sha256")?,
        media_type: MediaType::new(&row.get::<String>("media_type")?).map_err(corrupt)?,
        size_bytes: row.get("size_bytes")?,
        filename: filename.map(Filename::new).transpose().map_err(corrupt)?,
        storage_uri: row.get("storage_uri")?,
        storage_class: row.get("storage_class")?,
        entity_type: row.parse_opt("entity_type")?,
        entity_metadata: row.get("entity_metadata")?,
        created_by: row.get("created_by")?,
        reference_count: row.get("reference_count")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}
