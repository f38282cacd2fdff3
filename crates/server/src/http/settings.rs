//! `/api/v1/settings`

use std::time::{Duration, Instant};

use axum::extract::State;
use ibid_domain::{Code, Problem};
use ibid_models::{ChatMessage, ChatRequest, complete};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Server,
    extract::{Caller, Json},
    problem::ApiResult,
    wire,
};
use crate::{
    config::{ChatKind, CitationFormat, CitationSettings},
    settings::{Answers, Kept},
    tools,
};

/// The settings in force that an app shows.
#[derive(Serialize, ToSchema)]
pub(super) struct Settings {
    answers: AnswerSettings,
    citations: ShownCitationSettings,
    embedder: EmbedderSettings,
    web_search: WebSearchSettings,
    version: &'static str,
    /// `sqlite` or `postgres`.
    engine: &'static str,
    /// `folder` or `s3`.
    blobs: &'static str,
}

/// Who writes answers.
#[derive(Serialize, ToSchema)]
pub(super) struct AnswerSettings {
    /// `none` if answers are quoted.
    provider: ChatKind,
    model: String,
    /// Where it listens; empty in its usual place.
    url: String,
    /// Whether there is a key for it. The key itself is never told.
    has_key: bool,
    /// Whether only the one who starts the server can change this.
    is_fixed: bool,
    /// Where it is set: `default`, `app`, `ibid.toml`, `flag`, or the name of a variable.
    from: String,
}

/// How citations are found and shown.
#[derive(Serialize, ToSchema)]
pub(super) struct ShownCitationSettings {
    /// Whether the results of tools are looked at for sources.
    enabled: bool,
    format: CitationFormat,
    /// Whether all that is quoted of a source is shown at first, or only the first of it.
    expand_sources_by_default: bool,
    /// How many sources the list shows at first.
    max_sources_displayed: u32,
    /// Whose results are looked at, as names in which `*` and `?` are wild.
    enabled_tools: Vec<String>,
    /// Whether a marker shows its source when pointed at.
    enable_tooltips: bool,
    /// Whether only the one who starts the server can change this.
    is_fixed: bool,
    /// Where it is set.
    from: String,
}

/// What turns text into vectors.
#[derive(Serialize, ToSchema)]
pub(super) struct EmbedderSettings {
    provider: String,
    /// Its model, if there is one.
    #[schema(required)]
    model: Option<String>,
}

/// What searches the web.
#[derive(Serialize, ToSchema)]
pub(super) struct WebSearchSettings {
    is_configured: bool,
}

/// What is to be set; what is not said stays.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangedSettings {
    answers: Option<ChangedAnswers>,
    citations: Option<ChangedCitations>,
}

/// Who is to write answers.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangedAnswers {
    provider: ChatKind,
    #[serde(default)]
    model: String,
    /// Where it listens, if not in its usual place; a server of your own as http://localhost:11434/v1.
    #[serde(default)]
    url: String,
    /// The key for it; the one that is kept if not said, for the same provider and address.
    key: Option<String>,
}

/// How citations are to be found and shown.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangedCitations {
    enabled: Option<bool>,
    format: Option<CitationFormat>,
    expand_sources_by_default: Option<bool>,
    /// From 1 to 1000.
    max_sources_displayed: Option<u32>,
    enabled_tools: Option<Vec<String>>,
    enable_tooltips: Option<bool>,
}

/// Whether a model answers.
#[derive(Serialize, ToSchema)]
pub(super) struct Tested {
    ok: bool,
    latency_ms: f64,
    /// What it said.
    #[schema(required)]
    reply: Option<String>,
    /// What went wrong.
    #[schema(required)]
    error: Option<String>,
}

/// The settings
#[utoipa::path(
    get, path = "/api/v1/settings", tag = "status", operation_id = "get_settings",
    responses((status = 200, description = "Those in force", body = Settings)),
)]
pub(super) async fn get(State(server): State<Server>, Caller(scope): Caller) -> ApiResult<axum::Json<Settings>> {
    let kept = Kept::of(&server.app, &scope).await?;
    Ok(axum::Json(shown_settings(&server, &kept)))
}

/// Change settings
///
/// What a file, the environment or a flag says cannot be changed here.
#[utoipa::path(
    patch, path = "/api/v1/settings", tag = "status", operation_id = "change_settings",
    request_body = ChangedSettings,
    responses(
        (status = 200, description = "Those in force now", body = Settings),
        (status = 409, description = "One is set where the server was started", body = wire::Problem, content_type = "application/problem+json"),
        (status = 422, description = "One is not legal", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn change(
    State(server): State<Server>,
    Caller(scope): Caller,
    Json(change): Json<ChangedSettings>,
) -> ApiResult<axum::Json<Settings>> {
    let mut kept = Kept::of(&server.app, &scope).await?;
    let fixed = |name: &str, from: &str| {
        let detail = format!("{name} is set by {from}; change it there");
        Err(Problem::new(Code::SettingIsFixed, detail).field(name))
    };
    if let Some(answers) = change.answers {
        if let Some(from) = server.config.chat_from() {
            fixed("answers", from)?;
        }
        kept.answers = Some(answers.with_key(kept.answers.as_ref()).checked()?);
    }
    if let Some(citations) = change.citations {
        if let Some(from) = server.config.citations_from() {
            fixed("citations", from)?;
        }
        kept.citations = Some(citations.applied(kept.citations.take().unwrap_or_default())?);
    }
    let tools = tools::reopen(&server.config.with(&kept), &server.app.tools())
        .map_err(|error| Problem::new(Code::InvalidField, error).field("answers"))?;
    for (name, value) in [
        ("answers", kept.answers.as_ref().map(serde_json::to_value)),
        ("citations", kept.citations.as_ref().map(serde_json::to_value)),
    ] {
        if let Some(value) = value {
            let value = value.map_err(|error| ibid_app::Error::Corrupt(error.to_string()))?;
            server.app.set(&scope, name, value).await?;
        }
    }
    server.app.retool(tools);
    Ok(axum::Json(shown_settings(&server, &kept)))
}

/// How long a model may take to say one word.
const PATIENCE: Duration = Duration::from_secs(30);

/// Ask a model for one word
///
/// Nothing is kept. Without a key, the one that is kept for the same provider and address is used.
#[utoipa::path(
    post, path = "/api/v1/settings/test", tag = "status", operation_id = "test_settings",
    request_body = ChangedAnswers,
    responses(
        (status = 200, description = "Whether it answered", body = Tested),
        (status = 422, description = "A setting is not legal", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn test(
    State(server): State<Server>,
    Caller(scope): Caller,
    Json(answers): Json<ChangedAnswers>,
) -> ApiResult<axum::Json<Tested>> {
    let kept = Kept::of(&server.app, &scope).await?;
    let inherited = match server.config.chat_from() {
        Some(_) => Some(server.config.answers()),
        None => kept.answers,
    };
    let answers = answers.with_key(inherited.as_ref()).checked()?;
    let started = Instant::now();
    let wanted = Kept { answers: Some(answers), citations: None };
    let said = async {
        let model = tools::chat(&server.config.free().with(&wanted))?.ok_or("no provider is chosen")?;
        let request = ChatRequest {
            messages: vec![ChatMessage::User("Reply with the one word: ready".to_owned())],
            max_output_tokens: Some(64),
            ..ChatRequest::default()
        };
        match tokio::time::timeout(PATIENCE, complete(model.as_ref(), request)).await {
            Ok(Ok(told)) => Ok(told.text.trim().chars().take(200).collect::<String>()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!("no answer within {} seconds", PATIENCE.as_secs())),
        }
    };
    let (reply, error) = match said.await {
        Ok(reply) => (Some(reply), None),
        Err(error) => (None, Some(error)),
    };
    let latency_ms = started.elapsed().as_secs_f64() * 1000.0;
    Ok(axum::Json(Tested { ok: error.is_none(), latency_ms, reply, error }))
}

impl ChangedAnswers {
    /// With the key that is kept, if none is said and it would go to the same place: a key is never sent elsewhere.
    fn with_key(self, kept: Option<&Answers>) -> Answers {
        let url = self.url.trim().to_owned();
        let same = kept.filter(|kept| kept.provider == self.provider && kept.url == url);
        let key = self.key.map(|key| key.trim().to_owned());
        Answers {
            key: key.or_else(|| same.map(|kept| kept.key.clone())).unwrap_or_default(),
            provider: self.provider,
            model: self.model.trim().to_owned(),
            url,
        }
    }
}

impl ChangedCitations {
    fn applied(self, kept: CitationSettings) -> Result<CitationSettings, Problem> {
        let wrong = |field: &str, detail: &str| Err(Problem::new(Code::InvalidField, detail).field(field));
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

fn shown_settings(server: &Server, kept: &Kept) -> Settings {
    let config = server.config.with(kept);
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
        citations: ShownCitationSettings {
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
        engine: store.engine().as_str(),
        blobs: store.blobs().kind(),
    }
}
