//! What is set in the app, and kept with the library.

use serde_json::Value as Json;

use crate::{App, Result, Scope};

impl App {
    /// Returns the stored settings by name.
    pub async fn settings(&self, scope: &Scope) -> Result<Vec<(String, Json)>> {
        self.store.read().await?.settings(scope).list_all().await
    }

    /// Stores the value of a setting.
    pub async fn save_setting(&self, scope: &Scope, name: &str, value: Json) -> Result<()> {
        let mut tx = self.store.write().await?;
        tx.settings(scope).set_value(name, value).await?;
        tx.commit().await
    }
}
