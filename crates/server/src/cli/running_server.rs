//! How a command notices that a server runs on the same library.
//!
//! A server writes its address into the folder of the library. A command that finds it there, and gets an answer, sends
//! its requests to that server: its index is loaded, and it does the jobs.

use std::{path::PathBuf, time::Duration};

use ibid_domain::Sha256;
use serde::{Deserialize, Serialize};
use sha2::Digest;

use crate::config::Config;

/// Time for a server on this machine to answer that it lives.
const PATIENCE: Duration = Duration::from_secs(2);

/// A server on a library, as it is written into the folder of the library.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RunningServer {
    /// Address of the server, without a slash at its end.
    pub(super) url: String,
    /// Process id of the server.
    pub(super) pid: u32,
    /// Names the database without telling its password: a folder may be used with several.
    database: String,
}

fn record_path(config: &Config) -> PathBuf {
    config.data.as_path().join("server.json")
}

fn database_name(config: &Config) -> String {
    match config.database_url.as_str() {
        "" => "embedded".to_owned(),
        url => Sha256::from(<[u8; 32]>::from(sha2::Sha256::digest(url))).to_string(),
    }
}

/// Removes the record of a server when the server ends.
pub(super) struct ServerRecord(PathBuf);

impl ServerRecord {
    /// Writes the record of this process. Without it commands still work, only slower: so a failure is only logged.
    pub(super) fn write(config: &Config, url: &str) -> Self {
        let path = record_path(config);
        let record = RunningServer { url: url.to_owned(), pid: std::process::id(), database: database_name(config) };
        let written = serde_json::to_vec(&record).map_err(std::io::Error::other).and_then(|json| {
            let new = path.with_extension(format!("json.{}", std::process::id()));
            std::fs::write(&new, json)?;
            std::fs::rename(&new, &path)
        });
        if let Err(error) = written {
            tracing::warn!(%error, "cannot write {}: commands will not notice this server", path.display());
        }
        Self(path)
    }
}

impl Drop for ServerRecord {
    fn drop(&mut self) {
        // Another server on the same library may have taken the place.
        if read_record(&self.0).is_some_and(|record| record.pid == std::process::id()) {
            let _ = std::fs::remove_file(&self.0);
        }
    }
}

fn read_record(path: &std::path::Path) -> Option<RunningServer> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Finds the server that runs on the library of these settings. A flag that says how the library works is not for a
/// server that was started without it, so then there is none.
pub(super) async fn find(config: &Config) -> Option<RunningServer> {
    let record = read_record(&record_path(config))?;
    if record.database != database_name(config) || config.has_library_flags() {
        return None;
    }
    is_alive(&record.url).await.then_some(record)
}

/// Returns true if Ibid answers at this address.
pub(super) async fn is_alive(url: &str) -> bool {
    let Ok(client) = reqwest::Client::builder().timeout(PATIENCE).no_proxy().build() else { return false };
    let Ok(response) = client.get(format!("{url}/health")).send().await else { return false };
    let health: serde_json::Value = response.json().await.unwrap_or_default();
    health["status"] == "ok" && health["version"].is_string()
}
