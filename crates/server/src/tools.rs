//! The tools that the settings name: how files are read, pages fetched, texts embedded.

use std::{sync::Arc, time::Duration};

use ibid_app::{
    ClaimJudge, EntityJudge, KnowledgeExtractor, LocalJudge, ModelEntityJudge, ModelExtractor, ModelJudge, ModelPrice,
    OriginAdapter, RulesEntityJudge, RulesExtractor, SandboxedReader, SandboxedTypesetter, Tools,
};
use ibid_citations::ExtractorRegistry;
use ibid_fetch::{BraveSearch, FetchRules, Fetcher, Firecrawl, WebSearch};
use ibid_ingest::chunks::ChunkRules;
use ibid_models::{
    ChatConfig, ChatMessage, ChatModel, ChatProvider, ChatRequest, Embedder, EmbedderConfig, LocalModelConfig,
    LocalPairJudge, PairJudge, RemoteEmbedderConfig, Secret, complete_chat, open_chat, open_embedder,
};

use crate::config::{ChatKind, CitationSettings, Config, EmbedderKind, JudgeKind, LocalOrModel};

/// Maximum time for the sandboxed reader to read one file.
pub const READ_TIMEOUT: Duration = Duration::from_secs(180);
/// Maximum time for the typesetter to render one document.
const TYPESET_TIMEOUT: Duration = Duration::from_secs(20);

/// The tools, or what is wrong with the settings.
pub async fn open(config: &Config) -> Result<Tools, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let allow = config.fetch_allow.split(',').map(str::trim).filter(|one| !one.is_empty());
    let allow =
        allow.map(str::parse).collect::<Result<_, String>>().map_err(|error| format!("fetch_allow: {error}"))?;
    let fetcher = Fetcher::new(FetchRules { allow, ..FetchRules::default() }).map_err(|error| error.to_string())?;
    let embedder = configured_embedder(config).await?;
    let longest = embedder.as_ref().map_or(usize::MAX, |embedder| embedder.max_tokens());
    let tools = Tools {
        typesetter: Arc::new(SandboxedTypesetter::new(program.clone(), TYPESET_TIMEOUT)),
        reader: Arc::new(SandboxedReader { program, timeout: READ_TIMEOUT }),
        fetcher,
        origins: firecrawl_adapters(config)?,
        embedder,
        network: configured_network(config),
        external_vectors: config.embedder == EmbedderKind::External,
        chunk_rules: ChunkRules {
            // What a model does not look at, it does not find.
            max_tokens: (config.chunk_tokens as usize).min(longest),
            overlap: config.chunk_overlap_percent as f32 / 100.0,
        },
        ..Tools::in_process().map_err(|error| error.to_string())?
    };
    reopen(config, &tools)
}

/// The tools, with those that can be changed while they are used as the settings have them now.
pub fn reopen(config: &Config, tools: &Tools) -> Result<Tools, String> {
    let chat = open_chat_model(config)?;
    let local = LocalJudge { network: tools.network.clone(), embedder: tools.embedder.clone() };
    let judge: Arc<dyn ClaimJudge> = match (config.judge, &chat) {
        (JudgeKind::Model, Some(model)) => Arc::new(ModelJudge { model: model.clone(), local }),
        (JudgeKind::Model, None) => return Err("judge model: no language model is configured, see chat".to_owned()),
        (JudgeKind::Words | JudgeKind::Local, _) => Arc::new(local),
    };
    let needs = |what: &str| format!("{what} model: no language model is configured, see chat");
    let extractor: Arc<dyn KnowledgeExtractor> = match (config.knowledge, &chat) {
        (LocalOrModel::Model, Some(model)) => Arc::new(ModelExtractor { model: model.clone() }),
        (LocalOrModel::Model, None) => return Err(needs("knowledge")),
        (LocalOrModel::Local, _) => Arc::new(RulesExtractor),
    };
    let entity_judge: Arc<dyn EntityJudge> = match (config.knowledge_judge, &chat) {
        (LocalOrModel::Model, Some(model)) => Arc::new(ModelEntityJudge { model: model.clone() }),
        (LocalOrModel::Model, None) => return Err(needs("knowledge_judge")),
        (LocalOrModel::Local, _) => Arc::new(RulesEntityJudge),
    };
    Ok(Tools {
        extractor,
        entity_judge,
        extractors: Arc::new(build_extractors(&config.citations)?),
        chat,
        judge,
        notes_by_model: config.notes == LocalOrModel::Model,
        revises_answers: config.revise,
        web_search: web_search(config)?,
        prices: parse_prices(&config.chat_prices)?,
        ..tools.clone()
    })
}

/// The extractors that come with Ibid, after those that the settings describe.
fn build_extractors(settings: &CitationSettings) -> Result<ExtractorRegistry, String> {
    let tools = if settings.enabled { settings.enabled_tools.clone() } else { Vec::new() };
    let mut registry = ExtractorRegistry::default().enabled_for(tools);
    // The first of them that fits is to win.
    for mapping in settings.extractors.iter().rev() {
        let at = |error: &dyn std::fmt::Display| format!("citations.extractors, '{}': {error}", mapping.pattern);
        let extractor = mapping.build_extractor().map_err(|error| at(&error))?;
        registry.register_first(&mapping.pattern, extractor).map_err(|error| at(&error))?;
    }
    Ok(registry)
}

/// Opens the configured model that writes answers; `None` if there is none.
pub fn open_chat_model(config: &Config) -> Result<Option<Arc<dyn ChatModel>>, String> {
    let provider = match config.chat {
        ChatKind::None => return Ok(None),
        ChatKind::Openai | ChatKind::Compatible => ChatProvider::OpenAi,
        ChatKind::Anthropic => ChatProvider::Anthropic,
        ChatKind::Google => ChatProvider::Google,
    };
    let set = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    let silence = Duration::from_secs(config.chat_silence_seconds.max(1));
    let wanted = ChatConfig {
        base_url: set(&config.chat_url),
        key: set(&config.chat_key).map(Secret::from),
        context_tokens: config.chat_context_tokens as usize,
        first_token_timeout: silence,
        idle_timeout: silence,
        ..ChatConfig::new(provider, config.chat_model.clone())
    };
    if config.chat == ChatKind::Compatible && wanted.base_url.is_none() {
        return Err("chat compatible: chat_url is missing, as http://localhost:11434/v1".to_owned());
    }
    open_chat(&wanted).map(Some).map_err(|error| format!("chat {}: {error}", config.chat))
}

/// Maximum time for a model to answer a test.
const TEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Asks a model for one word, to see whether it can be used. Returns what it said.
pub async fn try_chat_model(model: &dyn ChatModel) -> Result<String, String> {
    let request = ChatRequest {
        messages: vec![ChatMessage::User("Reply with the one word: ready".to_owned())],
        max_output_tokens: Some(64),
        ..ChatRequest::default()
    };
    match tokio::time::timeout(TEST_TIMEOUT, complete_chat(model, request)).await {
        Ok(Ok(told)) => Ok(told.text.trim().chars().take(200).collect()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(format!("no answer within {} seconds", TEST_TIMEOUT.as_secs())),
    }
}

/// Opens the configured web search; `None` if there is none.
fn web_search(config: &Config) -> Result<Option<Arc<dyn WebSearch>>, String> {
    if config.brave_key.is_empty() {
        return Ok(None);
    }
    let url = if config.brave_url.is_empty() { BraveSearch::URL } else { &config.brave_url };
    let brave = BraveSearch::new(url, &config.brave_key).map_err(|error| format!("brave_url: {error}"))?;
    Ok(Some(Arc::new(brave)))
}

/// Returns the Firecrawl adapter that fetches web pages instead of the built-in fetcher; empty if it is not configured.
fn firecrawl_adapters(config: &Config) -> Result<Vec<Arc<dyn OriginAdapter>>, String> {
    // A server of one's own may need no key.
    if config.firecrawl_key.is_empty() && config.firecrawl_url.is_empty() {
        return Ok(Vec::new());
    }
    let url = if config.firecrawl_url.is_empty() { Firecrawl::URL } else { &config.firecrawl_url };
    let opened = Firecrawl::new(url, &config.firecrawl_key).map_err(|error| format!("firecrawl_url: {error}"))?;
    Ok(vec![Arc::new(opened)])
}

/// Parses model prices such as `gpt-4.1-mini=0.4/1.6, …`, in US dollars per million tokens of input and output.
fn parse_prices(text: &str) -> Result<Vec<ModelPrice>, String> {
    let price = |one: &str| {
        let (model, price) = one.rsplit_once('=')?;
        let (input, output) = price.split_once('/')?;
        let cost = |text: &str| text.trim().parse().ok().filter(|cost: &f64| cost.is_finite() && *cost >= 0.0);
        Some(ModelPrice { model: model.trim().to_owned(), input: cost(input)?, output: cost(output)? })
    };
    let listed = text.split(',').map(str::trim).filter(|one| !one.is_empty());
    listed.map(|one| price(one).ok_or_else(|| format!("chat_prices: '{one}' is not model=input/output"))).collect()
}

/// Opens the judge that comes with Ibid; `None` if it is not wanted or not installed.
fn configured_network(config: &Config) -> Option<Arc<dyn PairJudge>> {
    if config.judge == JudgeKind::Words {
        return None;
    }
    let judge = LocalPairJudge::new(LocalModelConfig::default());
    match judge.check_installed() {
        Ok(()) => Some(Arc::new(judge)),
        Err(error) => {
            tracing::info!("claims and answers are judged without the judge: {error}");
            None
        }
    }
}

/// Opens the configured embedder; `None` if there is none.
pub async fn configured_embedder(config: &Config) -> Result<Option<Arc<dyn Embedder>>, String> {
    let set = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    let remote = RemoteEmbedderConfig {
        base_url: set(&config.embedder_url),
        model: set(&config.embedder_model),
        key: set(&config.embedder_key).map(Secret::from),
        dimension: Some(config.embedder_dimension as usize).filter(|dimension| *dimension > 0),
        ..RemoteEmbedderConfig::default()
    };
    let wanted = match config.embedder {
        EmbedderKind::None | EmbedderKind::External => return Ok(None),
        EmbedderKind::Local => EmbedderConfig::Local(LocalModelConfig::default()),
        EmbedderKind::Openai => EmbedderConfig::OpenAi(remote),
        EmbedderKind::Google => EmbedderConfig::Google(remote),
        EmbedderKind::Compatible => EmbedderConfig::Compatible(remote),
    };
    let opened = open_embedder(wanted).await;
    opened.map(Some).map_err(|error| format!("embedder {}: {error}", config.embedder))
}
