//! What is set in the app. It comes after what the one who started the server has said: a file, the environment and
//! flags win, and what they say cannot be changed in the app.

use std::time::Duration;

use ibid_app::{App, Scope};
use ibid_domain::{Code, Problem, problem::shown};
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

/// What was set in the app.
#[derive(Clone, Default, PartialEq)]
pub struct Kept {
    /// Who writes answers.
    pub answers: Option<Answers>,
    /// How citations are found and shown.
    pub citations: Option<CitationSettings>,
}

/// Who writes answers.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Answers {
    /// By which protocol.
    pub provider: ChatKind,
    /// The model.
    pub model: String,
    /// Where it listens, if not in its usual place.
    pub url: String,
    /// The key for it.
    pub key: String,
}

impl Kept {
    /// What a library keeps. What an older or newer version of this program kept and this one cannot read is as if it
    /// had not been set.
    pub fn read(kept: Vec<(String, Json)>) -> Self {
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

    /// What a library keeps.
    pub async fn of(app: &App, scope: &Scope) -> ibid_app::Result<Self> {
        Ok(Self::read(app.settings(scope).await?))
    }
}

impl Answers {
    /// What can be kept: what would open.
    pub fn checked(self) -> Result<Self, Problem> {
        let wrong = |field: &'static str, detail: String| Err(Problem::new(Code::InvalidField, detail).field(field));
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
            return wrong("url", format!("url is '{}'; it takes an address like https://host/v1", shown(&self.url)));
        }
        Ok(self)
    }
}

/// How often to look whether another process has set something.
const LOOK: Duration = Duration::from_secs(10);

/// Goes by what other processes set in the app, from a few seconds after they did.
pub fn follow(app: &App, scope: Scope, config: &Config, stop: &CancellationToken) -> JoinHandle<()> {
    let (app, config, stop) = (app.clone(), config.clone(), stop.clone());
    tokio::spawn(async move {
        let mut known = Kept::of(&app, &scope).await.ok();
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
            let Ok(kept) = Kept::of(&app, &scope).await else { continue };
            if known.as_ref() == Some(&kept) {
                continue;
            }
            match tools::reopen(&config.with(&kept), &app.tools()) {
                Ok(tools) => app.retool(tools),
                Err(error) => tracing::warn!(error, "what was set in the app cannot be used"),
            }
            known = Some(kept);
        }
    })
}
