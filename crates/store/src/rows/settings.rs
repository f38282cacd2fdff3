//! What was set in the app, by name.

use serde_json::Value as Json;

use crate::{Result, Scope, Tx, sql::params};

/// The settings of one tenant.
pub struct TenantSettings<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
}

impl Tx {
    /// Returns the settings of this tenant that were made in the app.
    pub fn settings<'a>(&'a mut self, scope: &'a Scope) -> TenantSettings<'a> {
        TenantSettings { tx: self, scope }
    }
}

impl TenantSettings<'_> {
    /// Returns all settings, sorted by name.
    pub async fn list_all(&mut self) -> Result<Vec<(String, Json)>> {
        let sql = "SELECT name, value FROM settings WHERE tenant_id = $1 ORDER BY name";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant()]).await?;
        rows.iter().map(|row| Ok((row.get("name")?, row.get("value")?))).collect()
    }

    /// Sets one setting, replacing its value.
    pub async fn set_value(&mut self, name: &str, value: Json) -> Result<()> {
        let sql = "INSERT INTO settings (tenant_id, name, value, updated_at) VALUES ($1, $2, $3, $4)
                   ON CONFLICT (tenant_id, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at";
        let now = self.tx.now();
        self.tx.execute(sql, params![self.scope.tenant(), name, value, now]).await?;
        Ok(())
    }
}
