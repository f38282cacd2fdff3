//! What is set in the app. It comes after what the one who started the server has said: a file, the environment and
//! flags win, and what they say cannot be changed in the app.

use std::time::Duration;

use ibid_app::{App, Scope};
use ibid_domain::{Code, Problem, problem::shorten_for_error};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{
    config::{ChatKind, CitationSettings, Config},
    tools,
};

/// The longest of what can be typed into a field.
const LONGEST: usize = 2000;

/// Settings that were changed in the app and are stored in the library.
#[derive(Clone, Default, PartialEq)]
pub struct AppSettings {
    /// Model that writes answers; `None` if it was not set in the app.
    pub answers: Option<ChatSettings>,
    /// Settings for citations; `None` if they were not set in the app.
    pub citations: Option<CitationSettings>,
}

/// Settings of the model that writes answers.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatSettings {
    /// Provider, which decides the protocol.
    pub provider: ChatKind,
    /// Name of the model, as the provider calls it.
    pub model: String,
    /// Base URL of the provider; empty for its default.
    pub url: String,
    /// API key of the provider; empty if none is needed.
    pub key: String,
}

impl AppSettings {
    /// Parses stored settings. A value that this version cannot parse is ignored, as if it had not been set.
    pub fn from_rows(kept: Vec<(String, Json)>) -> Self {
        let mut all = Self::default();
        for (name, value) in kept {
            match name.as_str() {
                "answers" => all.answers = serde_json::from_value(value).ok(),
                "citations" => all.citations = serde_json::from_value(value).ok(),
                _ => {}
            }
        }
        all
    }

    /// Loads the settings that are stored in a library.
    pub async fn load(app: &App, scope: &Scope) -> ibid_app::Result<Self> {
        Ok(Self::from_rows(app.settings(scope).all().await?))
    }
}

impl ChatSettings {
    /// Validates the settings before they are stored: lengths, a model name, and an http(s) address.
    pub fn validate(self) -> Result<Self, Problem> {
        let wrong =
            |field: &'static str, detail: String| Err(Problem::new(Code::InvalidField, detail).with_field(field));
        for (field, text) in [("model", &self.model), ("url", &self.url), ("key", &self.key)] {
            if text.len() > LONGEST || text.contains(char::is_control) {
                return wrong(field, format!("{field} takes at most {LONGEST} bytes, on one line"));
            }
        }
        if self.provider == ChatKind::None {
            return Ok(self);
        }
        if self.model.trim().is_empty() {
            return wrong("model", format!("model is missing: which of {}'s is to write answers", self.provider));
        }
        let is_address = self.url.starts_with("http://") || self.url.starts_with("https://");
        if self.provider == ChatKind::Compatible && self.url.is_empty() {
            return wrong("url", "url is missing: where the server listens, as http://localhost:11434/v1".to_owned());
        }
        if !self.url.is_empty() && !is_address {
            return wrong(
                "url",
                format!("url is '{}'; it takes an address like https://host/v1", shorten_for_error(&self.url)),
            );
        }
        Ok(self)
    }
}

/// Interval between two checks for settings that another process changed.
const POLL_INTERVAL: Duration = Duration::from_secs(10);

/// Goes by what other processes set in the app, from a few seconds after they did.
pub fn watch_changes(app: &App, scope: Scope, config: &Config, stop: &CancellationToken) -> JoinHandle<()> {
    let (app, config, stop) = (app.clone(), config.clone(), stop.clone());
    tokio::spawn(async move {
        let mut known = AppSettings::load(&app, &scope).await.ok();
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
            let Ok(kept) = AppSettings::load(&app, &scope).await else { continue };
            if known.as_ref() == Some(&kept) {
                continue;
            }
            match tools::reopen(&config.with_app_settings(&kept), &app.tools()) {
                Ok(tools) => app.set_tools(tools),
                Err(error) => tracing::warn!(error, "what was set in the app cannot be used"),
            }
            known = Some(kept);
        }
    })
}
