//! all-MiniLM-L6-v2 on this machine, run by ONNX Runtime with 8-bit weights.

use std::sync::{Arc, Mutex};

use tokio::sync::Semaphore;

use super::{BoxFuture, EmbedError, Embedder, Purpose, estimate_tokens, vectors::normalize_vector};
use crate::local::{
    LocalModel, LocalModelConfig, LocalModelError, ModelFiles, SessionPool, Urgency, Workers, run_blocking,
};

const MODEL: &str = "all-MiniLM-L6-v2";
const FILES: ModelFiles = ModelFiles { folder: MODEL, graph: "model.int8.onnx" };
const DIMENSION: usize = 384;
/// Positions that the model knows, with the two marks around a text.
const POSITIONS: usize = 512;
/// A second or two of work: callers see progress, and the end of a call does not leave a core idle for long.
const BATCH: usize = 64;

/// The local model. It is loaded when it is first used, and once for all clones.
#[derive(Clone)]
pub struct LocalEmbedder {
    shared: Arc<SharedEmbedder>,
}

struct SharedEmbedder {
    model: LocalModel,
    threads: usize,
    /// Waiting for a session is done here, without holding a thread: what somebody waits for does not wait for passages.
    passages: Arc<Semaphore>,
    urgent: Arc<Semaphore>,
    for_passages: SessionPool,
    for_urgent: SessionPool,
}

impl LocalEmbedder {
    /// Looks at nothing yet: what is missing is told by the first call, and looked for again by the next.
    pub fn new(config: LocalModelConfig) -> Self {
        let threads = config.thread_count();
        let shared = SharedEmbedder {
            model: LocalModel::new(FILES, config),
            threads,
            passages: Arc::new(Semaphore::new(1)),
            urgent: Arc::new(Semaphore::new((threads / 2).clamp(1, 4))),
            for_passages: Mutex::default(),
            for_urgent: Mutex::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Loads what the first question needs, so that it does not wait. Says what is missing, if anything is.
    pub async fn warm_up(&self) -> Result<(), EmbedError> {
        self.embed_texts(vec![String::new()], Purpose::Query).await.map(drop)
    }

    /// The tokens of a text as the model gets them: cut to what it looks at, and with the marks around them.
    pub fn encode_tokens(&self, text: &str) -> Result<Vec<i64>, EmbedError> {
        Ok(self.shared.model.tokenizer()?.encode(text, POSITIONS))
    }

    async fn embed_texts(&self, texts: Vec<String>, purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let urgency = match purpose {
            Purpose::Passage => Urgency::Background,
            Purpose::Query | Purpose::Comparison => Urgency::Awaited,
        };
        let gate = if urgency == Urgency::Awaited { &self.shared.urgent } else { &self.shared.passages };
        let gone =
            |error: tokio::sync::AcquireError| EmbedError::Unavailable(format!("the local model stopped: {error}"));
        let turn = gate.clone().acquire_owned().await.map_err(gone)?;
        let shared = self.shared.clone();
        let vectors = run_blocking(turn, move |abandoned| {
            let pool = if urgency == Urgency::Awaited { &shared.for_urgent } else { &shared.for_passages };
            let workers = Workers { pool, threads: shared.threads, urgency };
            let tokenizer = shared.model.tokenizer()?;
            let lengths: Vec<_> = texts.iter().map(String::len).collect();
            shared.model.run_parallel(&lengths, workers, abandoned, |session, number| {
                session.compute_vector(&tokenizer.encode(&texts[number], POSITIONS))
            })
        });
        vectors.await?.into_iter().map(|vector| normalize_vector(vector, Some(DIMENSION))).collect()
    }
}

impl From<LocalModelError> for EmbedError {
    fn from(error: LocalModelError) -> Self {
        match error {
            LocalModelError::NotInstalled(detail) => Self::NotInstalled(detail),
            LocalModelError::Failed(_) => Self::Unavailable(error.to_string()),
        }
    }
}

impl Embedder for LocalEmbedder {
    fn provider(&self) -> &str {
        "local"
    }

    fn model(&self) -> &str {
        MODEL
    }

    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn reads_language(&self, code: &str) -> bool {
        code == "en"
    }

    fn batch_size(&self) -> usize {
        BATCH
    }

    fn max_tokens(&self) -> usize {
        POSITIONS - 2
    }

    fn count_tokens(&self, text: &str) -> usize {
        // Without the vocabulary nothing can be embedded either, but texts can be cut into chunks.
        self.shared.model.tokenizer().map_or_else(|_| estimate_tokens(text), |tokenizer| tokenizer.count_tokens(text))
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str], purpose: Purpose) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async move {
            if texts.is_empty() {
                return Ok(Vec::new());
            }
            self.embed_texts(texts.iter().map(|&text| text.to_owned()).collect(), purpose).await
        })
    }
}
