//! What the use cases reach the outside by: readers, the web, models.

use std::sync::Arc;

use ibid_citations::Registry;
use ibid_domain::Source;
use ibid_fetch::{FetchError, FetchRules, Fetcher, WebSearch};
use ibid_ingest::chunks::ChunkRules;
use ibid_models::{ChatModel, Embedder};

use crate::{
    EntityJudge, Extractor, Judge, LocalJudge, OriginAdapter, Press, PressHere, ReadHere, Reader, RulesEntityJudge,
    RulesExtractor,
};

/// The tools of a library. Cheap to clone.
#[derive(Clone)]
pub struct Tools {
    /// Turns bytes into text.
    pub reader: Arc<dyn Reader>,
    /// Fetches pages.
    pub fetcher: Fetcher,
    /// Fetches from other origins than the web.
    pub origins: Vec<Arc<dyn OriginAdapter>>,
    /// Turns text into vectors; without one, sources are found by words only.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Whether vectors come from outside, with passages and queries.
    pub external_vectors: bool,
    /// How text is cut into chunks.
    pub chunk_rules: ChunkRules,
    /// Finds what can be cited in the results of other tools.
    pub extractors: Arc<Registry>,
    /// Writes answers; without one, they are quoted.
    pub chat: Option<Arc<dyn ChatModel>>,
    /// Whether that also says what sources are about.
    pub notes_by_model: bool,
    /// Finds pages of the web, if research may look there.
    pub web_search: Option<Arc<dyn WebSearch>>,
    /// Says whether a passage bears a claim out.
    pub judge: Arc<dyn Judge>,
    /// Reads texts for what they tell.
    pub extractor: Arc<dyn Extractor>,
    /// Says whether two names mean the same.
    pub entity_judge: Arc<dyn EntityJudge>,
    /// Sets documents.
    pub press: Arc<dyn Press>,
    /// What models cost.
    pub prices: Vec<Price>,
}

/// What a model costs, in US dollars for a million tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// The model, with or without its provider: `gpt-4.1-mini`, `openai:gpt-4.1-mini`.
    pub model: String,
    /// What it reads.
    pub input: f64,
    /// What it writes.
    pub output: f64,
}

impl Tools {
    /// Tools that read in this process, fetch public pages and embed nothing.
    pub fn plain() -> Result<Self, FetchError> {
        Ok(Self {
            reader: Arc::new(ReadHere),
            fetcher: Fetcher::new(FetchRules::default())?,
            origins: Vec::new(),
            embedder: None,
            external_vectors: false,
            chunk_rules: ChunkRules::default(),
            extractors: Arc::default(),
            chat: None,
            notes_by_model: false,
            web_search: None,
            judge: Arc::new(LocalJudge { embedder: None }),
            extractor: Arc::new(RulesExtractor),
            entity_judge: Arc::new(RulesEntityJudge),
            press: Arc::new(PressHere::default()),
            prices: Vec::new(),
        })
    }

    /// What fetches the content of a source: the adapter of its origin, or the web's if it only has an address.
    pub(crate) fn adapter(&self, source: &Source) -> Option<&dyn OriginAdapter> {
        let own = self.origins.iter().map(|adapter| &**adapter).find(|adapter| adapter.origin() == source.origin);
        Some(own.unwrap_or(&self.fetcher)).filter(|adapter| adapter.can_fetch(source))
    }

    /// How many tokens a text has for the embedder, or about how many if there is none.
    pub(crate) fn count_tokens(&self, text: &str) -> usize {
        match &self.embedder {
            Some(embedder) => embedder.count_tokens(text),
            // Most models take a little more than a token a word, and one a character where there are no spaces.
            None => text.split_whitespace().map(|word| 1 + word.chars().count() / 6).sum(),
        }
    }
}
