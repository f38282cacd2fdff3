//! Pointers and their history.

use ibid_domain::{
    Code, Cursor, JsonObject, Limit, Page, Pointer, PointerId, PointerType, Problem, Sha256, Timestamp,
    pointer::{PointerMove, PointerName},
};
use serde_json::Value as Json;
use uuid::Uuid;

use crate::{
    Error, Result, Scope, Tx,
    sql::{SqlRow, params},
};

/// The pointers of one tenant.
pub struct Pointers<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
}

impl Tx {
    /// The pointers that this scope may see.
    pub fn pointers<'a>(&'a mut self, scope: &'a Scope) -> Pointers<'a> {
        Pointers { tx: self, scope }
    }
}

/// Changes to the details of a pointer; fields that are `None` stay as they are.
#[derive(Clone, Debug, Default)]
pub struct PointerPatch {
    pub pointer_type: Option<PointerType>,
    pub description: Option<String>,
    /// Free-form facts; replaces all that were there.
    pub meta: Option<JsonObject>,
}

/// Restricts a list of pointers; an unset field does not restrict.
#[derive(Clone, Debug, Default)]
pub struct PointerFilter {
    /// Only those of this namespace.
    pub namespace: Option<String>,
}

impl Pointers<'_> {
    /// Makes a pointer, with its first manifest if it has one. `None` if the name is taken.
    pub async fn create(
        &mut self,
        name: &PointerName,
        manifest: Option<Sha256>,
        change: &PointerPatch,
    ) -> Result<Option<Pointer>> {
        let now = self.tx.now();
        let row = self
            .tx
            .fetch_optional(
                "INSERT INTO pointers (id, tenant_id, namespace, name, manifest_sha256, pointer_type, description, meta,
                     created_by, created_at, updated_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
                 ON CONFLICT (tenant_id, namespace, name) WHERE deleted_at IS NULL DO NOTHING
                 RETURNING *",
                params![
                    PointerId::new(),
                    self.scope.tenant(),
                    name.namespace(),
                    name.name(),
                    manifest,
                    change.pointer_type.unwrap_or_default().as_str(),
                    change.description.clone(),
                    change.meta.clone().unwrap_or_default(),
                    self.scope.user(),
                    now,
                ],
            )
            .await
            .map_err(|error| unknown_manifest(error, manifest))?;
        row.as_ref().map(read_pointer).transpose()
    }

    /// Changes what is said of a pointer, not where it stands.
    pub async fn update_details(&mut self, name: &PointerName, change: &PointerPatch) -> Result<Option<Pointer>> {
        let now = self.tx.now();
        let row = self
            .tx
            .fetch_optional(
                "UPDATE pointers SET pointer_type = COALESCE($4, pointer_type), description = COALESCE($5, description),
                     meta = COALESCE($6, meta), updated_at = $7
                 WHERE tenant_id = $1 AND namespace = $2 AND name = $3 AND deleted_at IS NULL RETURNING *",
                params![
                    self.scope.tenant(),
                    name.namespace(),
                    name.name(),
                    change.pointer_type.map(PointerType::as_str),
                    change.description.clone(),
                    change.meta.clone(),
                    now,
                ],
            )
            .await?;
        row.as_ref().map(read_pointer).transpose()
    }

    /// Returns a pointer, if it exists and is not deleted.
    pub async fn get(&mut self, name: &PointerName) -> Result<Option<Pointer>> {
        let sql = "SELECT * FROM pointers WHERE tenant_id = $1 AND namespace = $2 AND name = $3 AND deleted_at IS NULL";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), name.namespace(), name.name()]).await?;
        row.as_ref().map(read_pointer).transpose()
    }

    /// Pointers in the order of their names.
    pub async fn list(
        &mut self,
        filter: &PointerFilter,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<Page<Pointer>> {
        let mut sql = "SELECT * FROM pointers WHERE tenant_id = $1 AND deleted_at IS NULL".to_owned();
        let mut values = params![self.scope.tenant()];
        if let Some(namespace) = &filter.namespace {
            values.push(namespace.as_str().into());
            sql += &format!(" AND namespace = ${}", values.len());
        }
        if let Some(cursor) = after {
            let [namespace, name] = cursor.key_parts()?;
            values.extend(params![namespace, name]);
            sql += &format!(" AND (namespace, name) > (${}, ${})", values.len() - 1, values.len());
        }
        values.push(limit.probe_count().into());
        sql += &format!(" ORDER BY namespace, name LIMIT ${}", values.len());
        let rows = self.tx.rows_built(sql, values).await?;
        let items: Vec<Pointer> = rows.iter().map(read_pointer).collect::<Result<_>>()?;
        Ok(Page::from_rows(items, limit, |last| vec![last.name.namespace().to_owned(), last.name.name().to_owned()]))
    }

    /// Moves a pointer from the manifest that the caller believes it stands at, and writes the move into its
    /// history. If it stands elsewhere nothing changes and the problem says where.
    pub async fn advance(
        &mut self,
        name: &PointerName,
        expected: Option<Sha256>,
        to: Sha256,
        reason: Option<&str>,
    ) -> Result<Pointer> {
        let now = self.tx.now();
        let row = self
            .tx
            .fetch_optional(
                "UPDATE pointers SET manifest_sha256 = $5, updated_at = $6
                 WHERE tenant_id = $1 AND namespace = $2 AND name = $3 AND deleted_at IS NULL
                   AND manifest_sha256 IS NOT DISTINCT FROM $4
                 RETURNING *",
                params![self.scope.tenant(), name.namespace(), name.name(), expected, to, now],
            )
            .await
            .map_err(|error| unknown_manifest(error, Some(to)))?;
        let Some(row) = row else {
            return Err(match self.get(name).await? {
                None => not_found(name),
                Some(pointer) => stale_pointer(name, expected, pointer.manifest),
            }
            .into());
        };
        let pointer = read_pointer(&row)?;
        self.tx
            .execute(
                // The pointer's row is held since the update, so no one else takes the same number.
                "INSERT INTO pointer_history
                     (id, tenant_id, pointer_id, from_manifest_sha256, to_manifest_sha256, reason, changed_by, created_at, seq)
                 SELECT $1, $2, $3, $4, $5, $6, $7, $8, COALESCE(MAX(seq), 0) + 1 FROM pointer_history WHERE pointer_id = $3",
                params![Uuid::now_v7(), self.scope.tenant(), pointer.id, expected, to, reason, self.scope.user(), now],
            )
            .await?;
        Ok(pointer)
    }

    /// The moves of a pointer, newest first.
    pub async fn list_moves(
        &mut self,
        id: PointerId,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<Page<PointerMove>> {
        let mut sql = "SELECT * FROM pointer_history WHERE tenant_id = $1 AND pointer_id = $2".to_owned();
        let mut values = params![self.scope.tenant(), id];
        if let Some(cursor) = after {
            let [seq] = cursor.key_parts()?;
            values.push(seq.parse::<i64>().map_err(|_| Cursor::invalid_cursor())?.into());
            sql += " AND seq < $3";
        }
        values.push(limit.probe_count().into());
        sql += &format!(" ORDER BY seq DESC LIMIT ${}", values.len());
        let rows = self.tx.rows_built(sql, values).await?;
        let items = rows.iter().map(read_move).collect::<Result<_>>()?;
        Ok(Page::from_rows(items, limit, |last: &PointerMove| vec![last.seq.to_string()]))
    }

    /// Marks a pointer as deleted. Its history stays until garbage collection finds it old enough.
    pub async fn delete(&mut self, name: &PointerName) -> Result<bool> {
        let now = self.tx.now();
        let sql = "UPDATE pointers SET deleted_at = $4, updated_at = $4
                   WHERE tenant_id = $1 AND namespace = $2 AND name = $3 AND deleted_at IS NULL";
        let count = self.tx.execute(sql, params![self.scope.tenant(), name.namespace(), name.name(), now]).await?;
        Ok(count > 0)
    }

    /// Counts the pointers deleted before `cutoff`.
    pub async fn count_deleted(&mut self, cutoff: Timestamp) -> Result<u64> {
        let sql = "SELECT COUNT(*) AS count FROM pointers WHERE tenant_id = $1 AND deleted_at < $2";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), cutoff]).await?;
        row.map_or(Ok(0), |row| row.get("count"))
    }

    /// Forgets pointers that were deleted before `cutoff`, with their history.
    pub async fn forget_deleted(&mut self, cutoff: Timestamp) -> Result<u64> {
        self.tx
            .execute(
                "DELETE FROM pointer_history WHERE tenant_id = $1 AND pointer_id IN
                     (SELECT id FROM pointers WHERE tenant_id = $1 AND deleted_at < $2)",
                params![self.scope.tenant(), cutoff],
            )
            .await?;
        let sql = "DELETE FROM pointers WHERE tenant_id = $1 AND deleted_at < $2";
        self.tx.execute(sql, params![self.scope.tenant(), cutoff]).await
    }
}

/// The problem of a pointer that is not there.
fn not_found(name: &PointerName) -> Problem {
    Problem::new(Code::PointerNotFound, format!("there is no pointer '{name}'"))
}

fn stale_pointer(name: &PointerName, expected: Option<Sha256>, current: Option<Sha256>) -> Problem {
    let shown = |hash: Option<Sha256>| hash.map_or_else(|| "no manifest".to_owned(), |hash| hash.to_string());
    Problem::new(
        Code::PointerStale,
        format!("the pointer '{name}' stands at {}, not at {}", shown(current), shown(expected)),
    )
    .with_field("expected")
    .with_fact("current", current.map_or(Json::Null, |hash| Json::String(hash.to_string())))
}

fn unknown_manifest(error: Error, manifest: Option<Sha256>) -> Error {
    match manifest {
        Some(sha256) if error.is_foreign_key_violation() => {
            Problem::new(Code::ManifestNotFound, format!("there is no manifest {sha256}")).into()
        }
        _ => error,
    }
}

fn read_pointer(row: &SqlRow) -> Result<Pointer> {
    let (namespace, name): (String, String) = (row.get("namespace")?, row.get("name")?);
    Ok(Pointer {
        id: row.get("id")?,
        name: PointerName::new(namespace, name).map_err(|problem| Error::Corrupt(problem.detail))?,
        manifest: row.get("manifest_sha256")?,
        pointer_type: row.parse("pointer_type")?,
        description: row.get("description")?,
        meta: row.get("meta")?,
        created_by: row.get("created_by")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

fn read_move(row: &SqlRow) -> Result<PointerMove> {
    Ok(PointerMove {
        id: row.get("id")?,
        seq: row.get("seq")?,
        from: row.get("from_manifest_sha256")?,
        to: row.get("to_manifest_sha256")?,
        reason: row.get("reason")?,
        changed_by: row.get("changed_by")?,
        created_at: row.get("created_at")?,
    })
}
