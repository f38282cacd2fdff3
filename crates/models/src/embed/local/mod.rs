//! all-MiniLM-L6-v2 on this machine, run by ONNX Runtime with 8-bit weights.
//!
//! Each text is run on its own: that is as fast as any batch (a passage of a hundred words fills a core by itself), needs
//! no padding and little memory, and gives a text the same vector whatever stands beside it. Several cores work on
//! several texts.

mod paths;
mod runtime;
mod wordpiece;

use std::{
    num::NonZero,
    path::PathBuf,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use runtime::ModelSession;
use tokio::sync::Semaphore;
use wordpiece::WordPiece;

use super::{BoxFuture, EmbedError, Embedder, Purpose, estimate_tokens, vectors::normalize_vector};

pub(super) const MODEL: &str = "all-MiniLM-L6-v2";
const DIMENSION: usize = 384;
/// Positions that the model knows, with the two marks around a text.
const POSITIONS: usize = 512;
/// A second or two of work: callers see progress, and the end of a call does not leave a core idle for long.
const BATCH: usize = 64;
/// Questions come one at a time; a list of them is a batch.
const FEW: usize = 8;

/// Paths of the local model and its number of threads.
#[derive(Clone, Debug, Default)]
pub struct LocalEmbedderConfig {
    /// The folder of models; `IBID_MODELS` or the cache if none.
    pub models: Option<PathBuf>,
    /// The file of ONNX Runtime; `IBID_ONNXRUNTIME` or the cache if none. A process loads it once.
    pub library: Option<PathBuf>,
    /// Number of threads that embed passages; one per core if `None`.
    pub threads: Option<NonZero<usize>>,
}

/// The local model. It is loaded when it is first used, and once for all clones.
#[derive(Clone)]
pub struct LocalEmbedder {
    shared: Arc<LocalModel>,
}

struct LocalModel {
    config: LocalEmbedderConfig,
    threads: usize,
    tokenizer: OnceLock<WordPiece>,
    /// Waiting for a session is done here, without holding a thread: passages and questions do not wait for each other.
    passages: Arc<Semaphore>,
    questions: Arc<Semaphore>,
    /// Idle sessions, ready to be reused.
    for_passages: Mutex<Vec<ModelSession>>,
    for_questions: Mutex<Vec<ModelSession>>,
}

impl LocalEmbedder {
    /// Looks at nothing yet: what is missing is told by the first call, and looked for again by the next.
    pub fn new(config: LocalEmbedderConfig) -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let threads = config.threads.map_or(cores, NonZero::get);
        let shared = LocalModel {
            config,
            threads,
            tokenizer: OnceLock::new(),
            passages: Arc::new(Semaphore::new(1)),
            questions: Arc::new(Semaphore::new((threads / 2).clamp(1, 4))),
            for_passages: Mutex::default(),
            for_questions: Mutex::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Loads what the first question needs, so that it does not wait. Says what is missing, if anything is.
    pub async fn warm_up(&self) -> Result<(), EmbedError> {
        self.embed_texts(vec![String::new()], Purpose::Query).await.map(drop)
    }

    /// The tokens of a text as the model gets them: cut to what it looks at, and with the marks around them.
    pub fn encode_tokens(&self, text: &str) -> Result<Vec<i64>, EmbedError> {
        Ok(self.shared.tokenizer()?.encode(text, POSITIONS))
    }

    async fn embed_texts(&self, texts: Vec<String>, purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let question = purpose == Purpose::Query && texts.len() <= FEW;
        let gate = if question { &self.shared.questions } else { &self.shared.passages };
        let gone = |error: String| EmbedError::Unavailable(format!("the local model stopped: {error}"));
        let turn = gate.clone().acquire_owned().await.map_err(|error| gone(error.to_string()))?;
        let (shared, abandoned) = (self.shared.clone(), CancelOnDrop::default());
        let flag = abandoned.0.clone();
        let work = tokio::task::spawn_blocking(move || {
            // The turn ends with the work, not with whoever waits for it.
            let _turn = turn;
            let (pool, threads) =
                if question { (&shared.for_questions, 1) } else { (&shared.for_passages, shared.threads) };
            shared.embed_parallel(&texts, pool, threads, &flag)
        });
        work.await.map_err(|error| gone(error.to_string()))?
    }
}

/// Set when nobody waits for the result any more.
#[derive(Default)]
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl LocalModel {
    fn tokenizer(&self) -> Result<&WordPiece, EmbedError> {
        if let Some(tokenizer) = self.tokenizer.get() {
            return Ok(tokenizer);
        }
        let file = paths::find_model_folder(&self.config)?.join(paths::TOKENIZER);
        let read = std::fs::read(&file).map_err(|error| error.to_string()).and_then(|json| WordPiece::from_json(&json));
        let tokenizer = read.map_err(|error| EmbedError::NotInstalled(format!("{}: {error}", file.display())))?;
        Ok(self.tokenizer.get_or_init(|| tokenizer))
    }

    fn take_session(&self, pool: &Mutex<Vec<ModelSession>>) -> Result<ModelSession, EmbedError> {
        if let Some(session) = pool.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(session);
        }
        let graph = paths::find_model_folder(&self.config)?.join(paths::GRAPH);
        let environment = runtime::load_runtime(&paths::find_library(&self.config)?)?;
        ModelSession::load(&environment, &graph)
    }

    fn embed_parallel(
        &self,
        texts: &[String],
        pool: &Mutex<Vec<ModelSession>>,
        threads: usize,
        abandoned: &AtomicBool,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let tokenizer = self.tokenizer()?;
        // The longest first: a long text begun last would keep one core busy while the others rest. Bytes tell enough.
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&number| std::cmp::Reverse(texts[number].len()));
        let next = AtomicUsize::new(0);
        let work = || -> Result<Vec<(usize, Vec<f32>)>, EmbedError> {
            let mut session = self.take_session(pool)?;
            let mut done = Vec::new();
            while let Some(&number) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                if abandoned.load(Ordering::Relaxed) {
                    break;
                }
                let vector = session.compute_vector(&tokenizer.encode(&texts[number], POSITIONS));
                match vector.and_then(|vector| normalize_vector(vector, Some(DIMENSION))) {
                    Ok(vector) => done.push((number, vector)),
                    Err(error) => {
                        // All succeed or none: the others can stop.
                        next.store(order.len(), Ordering::Relaxed);
                        return Err(error);
                    }
                }
            }
            pool.lock().unwrap_or_else(PoisonError::into_inner).push(session);
            Ok(done)
        };
        let mut vectors = vec![Vec::new(); texts.len()];
        let mut place = |done: Vec<(usize, Vec<f32>)>| {
            for (number, vector) in done {
                vectors[number] = vector;
            }
        };
        thread::scope(|scope| {
            let others: Vec<_> = (1..threads.min(texts.len())).map(|_| scope.spawn(work)).collect();
            let mine = work();
            for other in others {
                let stopped = |_| EmbedError::Unavailable("a thread of the local model stopped".to_owned());
                place(other.join().map_err(stopped)??);
            }
            place(mine?);
            Ok::<_, EmbedError>(())
        })?;
        Ok(vectors)
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

    fn batch_size(&self) -> usize {
        BATCH
    }

    fn max_tokens(&self) -> usize {
        POSITIONS - 2
    }

    fn count_tokens(&self, text: &str) -> usize {
        // Without the vocabulary nothing can be embedded either, but texts can be cut into chunks.
        self.shared.tokenizer().map_or_else(|_| estimate_tokens(text), |tokenizer| tokenizer.count_tokens(text))
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
