//! What the use cases reach the outside by: readers, the web, models.

use std::sync::Arc;

use ibid_citations::ExtractorRegistry;
use ibid_domain::Source;
use ibid_fetch::{FetchError, FetchRules, Fetcher, WebSearch};
use ibid_ingest::chunks::ChunkRules;
use ibid_language::{Language, detect::detect_short};
use ibid_models::{ChatModel, Embedder, PairJudge};

use crate::{
    ClaimJudge, ContentReader, EntityJudge, InProcessReader, InProcessTypesetter, KnowledgeExtractor, LocalJudge,
    OriginAdapter, RulesEntityJudge, RulesExtractor, Typesetter,
};

/// The tools of a library. Cheap to clone.
#[derive(Clone)]
pub struct Tools {
    /// Extracts text and metadata from files.
    pub reader: Arc<dyn ContentReader>,
    /// Fetches pages and files from the web.
    pub fetcher: Fetcher,
    /// Fetches from other origins than the web.
    pub origins: Vec<Arc<dyn OriginAdapter>>,
    /// Turns text into vectors; without one, sources are found by words only.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// True if clients send vectors with passages and queries.
    pub external_vectors: bool,
    /// Size and overlap of the chunks a text is split into.
    pub chunk_rules: ChunkRules,
    /// Finds what can be cited in the results of other tools.
    pub extractors: Arc<ExtractorRegistry>,
    /// Writes answers; without one, they are quoted.
    pub chat: Option<Arc<dyn ChatModel>>,
    /// True if the language model also writes notes on cited sources.
    pub notes_by_model: bool,
    /// True if the language model rewrites once what the sources of its answer do not support.
    pub revises_answers: bool,
    /// Finds pages of the web, if research may look there.
    pub web_search: Option<Arc<dyn WebSearch>>,
    /// Reads questions and claims together with passages, on this machine.
    pub network: Option<Arc<dyn PairJudge>>,
    /// Says whether a passage bears a claim out.
    pub judge: Arc<dyn ClaimJudge>,
    /// Reads texts for what they tell.
    pub extractor: Arc<dyn KnowledgeExtractor>,
    /// Says whether two names mean the same.
    pub entity_judge: Arc<dyn EntityJudge>,
    /// Renders documents to PDF, SVG, PNG and HTML.
    pub typesetter: Arc<dyn Typesetter>,
    /// Prices of language models, to compute the cost of a run.
    pub prices: Vec<ModelPrice>,
}

/// The price of a language model, in US dollars per million tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelPrice {
    /// The model, with or without its provider: `gpt-4.1-mini`, `openai:gpt-4.1-mini`.
    pub model: String,
    /// Price of a million input tokens.
    pub input: f64,
    /// Price of a million output tokens.
    pub output: f64,
}

impl Tools {
    /// Tools that read in this process, fetch public pages and embed nothing.
    pub fn in_process() -> Result<Self, FetchError> {
        Ok(Self {
            reader: Arc::new(InProcessReader),
            fetcher: Fetcher::new(FetchRules::default())?,
            origins: Vec::new(),
            embedder: None,
            external_vectors: false,
            chunk_rules: ChunkRules::default(),
            extractors: Arc::default(),
            chat: None,
            notes_by_model: false,
            revises_answers: false,
            web_search: None,
            network: None,
            judge: Arc::new(LocalJudge::default()),
            extractor: Arc::new(RulesExtractor),
            entity_judge: Arc::new(RulesEntityJudge),
            typesetter: Arc::new(InProcessTypesetter::default()),
            prices: Vec::new(),
        })
    }

    /// Returns the adapter of the source's origin, else the web fetcher; `None` if there is nothing to fetch.
    pub(crate) fn adapter_for(&self, source: &Source) -> Option<&dyn OriginAdapter> {
        let own = self.origins.iter().map(|adapter| &**adapter).find(|adapter| adapter.origin() == source.origin);
        Some(own.unwrap_or(&self.fetcher)).filter(|adapter| adapter.can_fetch(source))
    }

    /// Returns true if the embedder compares meanings in the language of this text: an English model knows no German.
    pub(crate) fn reads_language_of(&self, text: &str) -> bool {
        let language = detect_short(text).unwrap_or(Language::ENGLISH);
        self.embedder.as_ref().is_some_and(|embedder| embedder.reads_language(language.code()))
    }

    /// Returns true if a model on this machine or elsewhere compares more than words.
    pub(crate) fn compares_meaning(&self) -> bool {
        self.embedder.is_some() || self.network.is_some()
    }

    /// Counts the tokens of a text with the embedder, or estimates them if there is none.
    pub(crate) fn count_tokens(&self, text: &str) -> usize {
        match &self.embedder {
            Some(embedder) => embedder.count_tokens(text),
            // Most models take a little more than a token a word, and one a character where there are no spaces.
            None => text.split_whitespace().map(|word| 1 + word.chars().count() / 6).sum(),
        }
    }
}
