//! What is set in the app, and kept with the library.

use serde_json::Value as Json;

use crate::{App, Result, Scope};

impl App {
    /// What was set, by name.
    pub async fn settings(&self, scope: &Scope) -> Result<Vec<(String, Json)>> {
        self.store.read().await?.settings(scope).all().await
    }

    /// Sets something.
    pub async fn set(&self, scope: &Scope, name: &str, value: Json) -> Result<()> {
        let mut tx = self.store.write().await?;
        tx.settings(scope).put(name, value).await?;
        tx.commit().await
    }
}
