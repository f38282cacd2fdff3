//! `/api/v1/settings`

use std::time::Instant;

use axum::extract::State;
use ibid_domain::{Code, Problem};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Server,
    extract::{Caller, Json},
    problem::ApiResult,
};
use crate::{
    config::{ChatKind, CitationFormat, CitationSettings},
    settings::{AppSettings, ChatSettings},
    tools,
    wire::{
        self,
        values::{BlobStorageKind, LibraryEngine},
    },
};

/// The settings in force that an app shows.
#[derive(Serialize, ToSchema)]
pub(super) struct Settings {
    answers: AnswerSettings,
    citations: CitationSettingsView,
    embedder: EmbedderSettings,
    web_search: WebSearchSettings,
    version: &'static str,
    /// Database of the library.
    engine: LibraryEngine,
    /// Storage of artifacts.
    blobs: BlobStorageKind,
}

/// Settings of the model that writes answers.
#[derive(Serialize, ToSchema)]
pub(super) struct AnswerSettings {
    /// `none` if answers are quoted.
    provider: ChatKind,
    model: String,
    /// Base URL of the provider; empty for its default.
    url: String,
    /// True if an API key is set. The key itself is never returned.
    has_key: bool,
    /// True if a flag, a variable or the configuration file sets this, so that the app cannot change it.
    is_fixed: bool,
    /// Origin of the setting: `default`, `app`, `ibid.toml`, `flag`, or the name of an environment variable.
    from: String,
}

/// Settings for extracting and displaying citations.
#[derive(Serialize, ToSchema)]
pub(super) struct CitationSettingsView {
    /// True if tool results are searched for sources.
    enabled: bool,
    format: CitationFormat,
    /// True if the app shows all quotes of a source at first; false shows only the first quote.
    expand_sources_by_default: bool,
    /// Number of sources that the list shows at first.
    max_sources_displayed: u32,
    /// Names of tools whose results are searched; `*` and `?` are wildcards.
    enabled_tools: Vec<String>,
    /// True if the app shows the source when the pointer is over a marker.
    enable_tooltips: bool,
    /// True if a flag, a variable or the configuration file sets this, so that the app cannot change it.
    is_fixed: bool,
    /// Origin of the setting, as for answers.
    from: String,
}

/// Settings of the embedding model that turns text into vectors.
#[derive(Serialize, ToSchema)]
pub(super) struct EmbedderSettings {
    provider: String,
    /// Its model, if there is one.
    #[schema(required)]
    model: Option<String>,
}

/// Settings of the provider that searches the web.
#[derive(Serialize, ToSchema)]
pub(super) struct WebSearchSettings {
    is_configured: bool,
}

/// Changes to the settings; fields that are left out stay as they are.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SettingsPatch {
    answers: Option<AnswerSettingsPatch>,
    citations: Option<CitationSettingsPatch>,
}

/// Changes to the model that writes answers.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerSettingsPatch {
    provider: ChatKind,
    #[serde(default)]
    model: String,
    /// Base URL of the provider; empty for its default. For a server of your own, such as http://localhost:11434/v1.
    #[serde(default)]
    url: String,
    /// The key for it; the one that is kept if not said, for the same provider and address.
    key: Option<String>,
}

/// Changes to the settings for citations.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CitationSettingsPatch {
    enabled: Option<bool>,
    format: Option<CitationFormat>,
    expand_sources_by_default: Option<bool>,
    /// Number of sources that the list shows at first, 1 to 1000.
    max_sources_displayed: Option<u32>,
    enabled_tools: Option<Vec<String>>,
    enable_tooltips: Option<bool>,
}

/// Result of testing the model that writes answers.
#[derive(Serialize, ToSchema)]
pub(super) struct ModelTestResult {
    ok: bool,
    latency_ms: f64,
    /// Reply of the model; null if the test failed.
    #[schema(required)]
    reply: Option<String>,
    /// Reason why the test failed; null if it succeeded.
    #[schema(required)]
    error: Option<String>,
}

/// Get the settings of the library
#[utoipa::path(
    get, path = "/api/v1/settings", tag = "status", operation_id = "get_settings",
    responses((status = 200, description = "Those in force", body = Settings)),
)]
pub(super) async fn get(State(server): State<Server>, Caller(scope): Caller) -> ApiResult<axum::Json<Settings>> {
    let kept = AppSettings::load(&server.app, &scope).await?;
    Ok(axum::Json(settings_view(&server, &kept)))
}

/// Change settings
///
/// What a file, the environment or a flag says cannot be changed here.
#[utoipa::path(
    patch, path = "/api/v1/settings", tag = "status", operation_id = "change_settings",
    request_body = SettingsPatch,
    responses(
        (status = 200, description = "Those in force now", body = Settings),
        (status = 409, description = "One is set where the server was started", body = wire::Problem, content_type = "application/problem+json"),
        (status = 422, description = "One is not legal", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn change(
    State(server): State<Server>,
    Caller(scope): Caller,
    Json(change): Json<SettingsPatch>,
) -> ApiResult<axum::Json<Settings>> {
    let mut kept = AppSettings::load(&server.app, &scope).await?;
    let fixed = |name: &str, from: &str| {
        let detail = format!("{name} is set by {from}; change it there");
        Err(Problem::new(Code::SettingIsFixed, detail).with_field(name))
    };
    if let Some(answers) = change.answers {
        if let Some(from) = server.config.chat_from() {
            fixed("answers", from)?;
        }
        kept.answers = Some(answers.with_key(kept.answers.as_ref()).validate()?);
    }
    if let Some(citations) = change.citations {
        if let Some(from) = server.config.citations_from() {
            fixed("citations", from)?;
        }
        kept.citations = Some(citations.apply_to(kept.citations.take().unwrap_or_default())?);
    }
    let tools = tools::reopen(&server.config.with_app_settings(&kept), &server.app.tools())
        .map_err(|error| Problem::new(Code::InvalidField, error).with_field("answers"))?;
    for (name, value) in [
        ("answers", kept.answers.as_ref().map(serde_json::to_value)),
        ("citations", kept.citations.as_ref().map(serde_json::to_value)),
    ] {
        if let Some(value) = value {
            let value = value.map_err(ibid_app::Error::internal("write a setting"))?;
            server.app.settings(&scope).save(name, value).await?;
        }
    }
    server.app.set_tools(tools);
    Ok(axum::Json(settings_view(&server, &kept)))
}

/// Ask a model for one word
///
/// Nothing is kept. Without a key, the one that is kept for the same provider and address is used.
#[utoipa::path(
    post, path = "/api/v1/settings/test", tag = "status", operation_id = "test_settings",
    request_body = AnswerSettingsPatch,
    responses(
        (status = 200, description = "Whether it answered", body = ModelTestResult),
        (status = 422, description = "A setting is not legal", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn test_model(
    State(server): State<Server>,
    Caller(scope): Caller,
    Json(answers): Json<AnswerSettingsPatch>,
) -> ApiResult<axum::Json<ModelTestResult>> {
    let kept = AppSettings::load(&server.app, &scope).await?;
    let inherited = match server.config.chat_from() {
        Some(_) => Some(server.config.chat_settings()),
        None => kept.answers,
    };
    let answers = answers.with_key(inherited.as_ref()).validate()?;
    let started = Instant::now();
    let wanted = AppSettings { answers: Some(answers), citations: None };
    let said = async {
        let model = tools::open_chat_model(&server.config.without_chat_origin().with_app_settings(&wanted))?
            .ok_or("no provider is chosen")?;
        tools::try_chat_model(model.as_ref()).await
    };
    let (reply, error) = match said.await {
        Ok(reply) => (Some(reply), None),
        Err(error) => (None, Some(error)),
    };
    let latency_ms = started.elapsed().as_secs_f64() * 1000.0;
    Ok(axum::Json(ModelTestResult { ok: error.is_none(), latency_ms, reply, error }))
}

impl AnswerSettingsPatch {
    /// With the key that is kept, if none is said and it would go to the same place: a key is never sent elsewhere.
    fn with_key(self, kept: Option<&ChatSettings>) -> ChatSettings {
        let url = self.url.trim().to_owned();
        let same = kept.filter(|kept| kept.provider == self.provider && kept.url == url);
        let key = self.key.map(|key| key.trim().to_owned());
        ChatSettings {
            key: key.or_else(|| same.map(|kept| kept.key.clone())).unwrap_or_default(),
            provider: self.provider,
            model: self.model.trim().to_owned(),
            url,
        }
    }
}

impl CitationSettingsPatch {
    fn apply_to(self, kept: CitationSettings) -> Result<CitationSettings, Problem> {
        let wrong = |field: &str, detail: &str| Err(Problem::new(Code::InvalidField, detail).with_field(field));
        if self.max_sources_displayed.is_some_and(|most| !(1..=1000).contains(&most)) {
            return wrong("max_sources_displayed", "max_sources_displayed takes a number from 1 to 1000");
        }
        let is_odd = |names: &Vec<String>| names.len() > 200 || names.iter().any(|name| name.len() > 200);
        if self.enabled_tools.as_ref().is_some_and(is_odd) {
            return wrong("enabled_tools", "enabled_tools takes at most 200 names of at most 200 bytes");
        }
        Ok(CitationSettings {
            enabled: self.enabled.unwrap_or(kept.enabled),
            format: self.format.unwrap_or(kept.format),
            expand_sources_by_default: self.expand_sources_by_default.unwrap_or(kept.expand_sources_by_default),
            max_sources_displayed: self.max_sources_displayed.unwrap_or(kept.max_sources_displayed),
            enabled_tools: self.enabled_tools.unwrap_or(kept.enabled_tools),
            enable_tooltips: self.enable_tooltips.unwrap_or(kept.enable_tooltips),
            extractors: kept.extractors,
        })
    }
}

fn settings_view(server: &Server, kept: &AppSettings) -> Settings {
    let config = server.config.with_app_settings(kept);
    let from = |fixed: Option<&str>, is_kept: bool| match fixed {
        Some(from) => from.to_owned(),
        None => if is_kept { "app" } else { "default" }.to_owned(),
    };
    let (chat_from, citations_from) = (server.config.chat_from(), server.config.citations_from());
    let store = server.app.store();
    let CitationSettings {
        enabled,
        format,
        expand_sources_by_default,
        max_sources_displayed,
        enabled_tools,
        enable_tooltips,
        ..
    } = config.citations;
    Settings {
        answers: AnswerSettings {
            provider: config.chat,
            model: config.chat_model,
            url: config.chat_url,
            has_key: !config.chat_key.is_empty(),
            is_fixed: chat_from.is_some(),
            from: from(chat_from, kept.answers.is_some()),
        },
        citations: CitationSettingsView {
            enabled,
            format,
            expand_sources_by_default,
            max_sources_displayed,
            enabled_tools,
            enable_tooltips,
            is_fixed: citations_from.is_some(),
            from: from(citations_from, kept.citations.is_some()),
        },
        embedder: EmbedderSettings {
            provider: config.embedder.to_string(),
            model: server.app.tools().embedder.as_ref().map(|embedder| embedder.model().to_string()),
        },
        web_search: WebSearchSettings { is_configured: server.app.tools().web_search.is_some() },
        version: env!("CARGO_PKG_VERSION"),
        engine: store.engine().into(),
        blobs: store.blobs().kind().into(),
    }
}
