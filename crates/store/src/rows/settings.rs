//! What was set in the app, by name.

use serde_json::Value as Json;

use crate::{Result, Scope, Tx, sql::params};

/// The settings of one tenant.
pub struct Settings<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
}

impl Tx {
    /// What was set in the app.
    pub fn settings<'a>(&'a mut self, scope: &'a Scope) -> Settings<'a> {
        Settings { tx: self, scope }
    }
}

impl Settings<'_> {
    /// All of them, by name.
    pub async fn all(&mut self) -> Result<Vec<(String, Json)>> {
        let sql = "SELECT name, value FROM settings WHERE tenant_id = $1 ORDER BY name";
        let rows = self.tx.rows(sql, params![self.scope.tenant()]).await?;
        rows.iter().map(|row| Ok((row.get("name")?, row.get("value")?))).collect()
    }

    /// Sets one.
    pub async fn put(&mut self, name: &str, value: Json) -> Result<()> {
        let sql = "INSERT INTO settings (tenant_id, name, value, updated_at) VALUES ($1, $2, $3, $4)
                   ON CONFLICT (tenant_id, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at";
        let now = self.tx.now();
        self.tx.execute(sql, params![self.scope.tenant(), name, value, now]).await?;
        Ok(())
    }
}
