//! What is set in the app, and kept with the library.

use serde_json::Value as Json;

use crate::{Result, services::SettingsService};

impl SettingsService<'_> {
    /// Returns the stored settings by name.
    pub async fn all(self) -> Result<Vec<(String, Json)>> {
        Ok(self.app.store.read().await?.settings(self.scope).list_all().await?)
    }

    /// Stores the value of a setting.
    pub async fn save(self, name: &str, value: Json) -> Result<()> {
        let mut tx = self.app.store.write().await?;
        tx.settings(self.scope).set_value(name, value).await?;
        Ok(tx.commit().await?)
    }
}
