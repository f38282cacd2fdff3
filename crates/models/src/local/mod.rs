//! What the models on this machine share: where their files are, ONNX Runtime, the tokenizer, and sessions on several
//! threads.
//!
//! Each text is run on its own: that is as fast as any batch (a passage of a hundred words fills a core by itself), needs
//! no padding and little memory, and gives a text the same result whatever stands beside it. Several cores work on
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

use self::wordpiece::WordPiece;
pub(crate) use self::{paths::ModelFiles, runtime::ModelSession, wordpiece::EncodedPair};

/// Paths of the local models and their number of threads.
#[derive(Clone, Debug, Default)]
pub struct LocalModelConfig {
    /// The folder of models; `IBID_MODELS` or the cache if none.
    pub models: Option<PathBuf>,
    /// The file of ONNX Runtime; `IBID_ONNXRUNTIME` or the cache if none. A process loads it once.
    pub library: Option<PathBuf>,
    /// Number of threads that work on many texts; one per core if `None`.
    pub threads: Option<NonZero<usize>>,
}

impl LocalModelConfig {
    /// Number of threads that work on many texts.
    pub(crate) fn thread_count(&self) -> usize {
        self.threads.map_or_else(|| thread::available_parallelism().map_or(1, NonZero::get), NonZero::get)
    }
}

/// Reason why a model of this machine gave no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocalModelError {
    /// A part of it is missing; the text says which, and how to get it.
    #[error("the local model is not installed: {0}")]
    NotInstalled(String),
    /// It failed on this text, or was stopped.
    #[error("the local model failed: {0}")]
    Failed(String),
}

/// A graph and its tokenizer, loaded when they are first used.
pub(crate) struct LocalModel {
    files: ModelFiles,
    config: LocalModelConfig,
    tokenizer: OnceLock<WordPiece>,
}

/// Whether somebody waits for a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// A person or an agent waits.
    Awaited,
    /// Work in the background, which leaves the processors to everything else that wants them.
    Background,
}

/// What computes: sessions, and the number and urgency of their threads.
#[derive(Clone, Copy)]
pub(crate) struct Workers<'pool> {
    pub pool: &'pool SessionPool,
    pub threads: usize,
    pub urgency: Urgency,
}

/// Idle sessions of a model, ready to be reused.
pub(crate) type SessionPool = Mutex<Vec<ModelSession>>;

impl LocalModel {
    pub fn new(files: ModelFiles, config: LocalModelConfig) -> Self {
        Self { files, config, tokenizer: OnceLock::new() }
    }

    /// Looks whether the files are there.
    pub fn check_installed(&self) -> Result<(), LocalModelError> {
        self.files.find_folder(&self.config).and(paths::find_library(&self.config)).map(drop)
    }

    pub fn tokenizer(&self) -> Result<&WordPiece, LocalModelError> {
        if let Some(tokenizer) = self.tokenizer.get() {
            return Ok(tokenizer);
        }
        let file = self.files.find_folder(&self.config)?.join(paths::TOKENIZER);
        let read = std::fs::read(&file).map_err(|error| error.to_string()).and_then(|json| WordPiece::from_json(&json));
        let tokenizer = read.map_err(|error| LocalModelError::NotInstalled(format!("{}: {error}", file.display())))?;
        Ok(self.tokenizer.get_or_init(|| tokenizer))
    }

    fn take_session(&self, pool: &SessionPool) -> Result<ModelSession, LocalModelError> {
        if let Some(session) = pool.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(session);
        }
        let graph = self.files.find_folder(&self.config)?.join(self.files.graph);
        let environment = runtime::load_runtime(&paths::find_library(&self.config)?)?;
        ModelSession::load(&environment, &graph)
    }

    /// Computes something of each text on several threads, in the order of `lengths`. All succeed or none. Ends early,
    /// with an error, once nobody waits any more.
    pub fn run_parallel<Output: Clone + Default + Send>(
        &self,
        lengths: &[usize],
        workers: Workers<'_>,
        abandoned: &AtomicBool,
        compute: impl Fn(&mut ModelSession, usize) -> Result<Output, LocalModelError> + Sync,
    ) -> Result<Vec<Output>, LocalModelError> {
        // The longest first: a long text begun last would keep one core busy while the others rest. Bytes tell enough.
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by_key(|&number| std::cmp::Reverse(lengths[number]));
        let next = AtomicUsize::new(0);
        let work = || -> Result<Vec<(usize, Output)>, LocalModelError> {
            let mut session = self.take_session(workers.pool)?;
            let mut done = Vec::new();
            while let Some(&number) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                if abandoned.load(Ordering::Relaxed) {
                    return Err(LocalModelError::Failed("nobody waits for it any more".to_owned()));
                }
                match compute(&mut session, number) {
                    Ok(output) => done.push((number, output)),
                    Err(error) => {
                        // The others can stop.
                        next.store(order.len(), Ordering::Relaxed);
                        return Err(error);
                    }
                }
            }
            workers.pool.lock().unwrap_or_else(PoisonError::into_inner).push(session);
            Ok(done)
        };
        let mut outputs = vec![Output::default(); lengths.len()];
        let mut place = |done: Vec<(usize, Output)>| {
            for (number, output) in done {
                outputs[number] = output;
            }
        };
        thread::scope(|scope| {
            let threads = workers.threads.min(lengths.len());
            let stopped = |_| LocalModelError::Failed("a thread of the local model stopped".to_owned());
            let (others, mine) = match workers.urgency {
                // This thread is used for other work later, and could not be given its priority back.
                Urgency::Background => {
                    let lowered = || {
                        lower_priority();
                        work()
                    };
                    let others: Vec<_> = (0..threads).map(|_| scope.spawn(lowered)).collect();
                    (others, Ok(Vec::new()))
                }
                Urgency::Awaited => {
                    let others = (1..threads).map(|_| scope.spawn(work)).collect();
                    (others, work())
                }
            };
            for other in others {
                place(other.join().map_err(stopped)??);
            }
            place(mine?);
            Ok::<_, LocalModelError>(())
        })?;
        Ok(outputs)
    }
}

/// Lets other threads go first wherever there are not enough processors for all.
fn lower_priority() {
    // On Linux each thread has a priority of its own; elsewhere this would slow the whole process.
    #[cfg(target_os = "linux")]
    {
        let _ = rustix::process::setpriority_process(None, BACKGROUND_PRIORITY);
    }
}

/// From -20, the first, to 19, the last; 0 is usual.
#[cfg(target_os = "linux")]
const BACKGROUND_PRIORITY: i32 = 15;

/// Runs work that takes long on a thread of its own. `turn` is held until it ends, also if nobody waits for it any more:
/// the flag that the work gets says so.
pub(crate) async fn run_blocking<Turn: Send + 'static, Output: Send + 'static>(
    turn: Turn,
    work: impl FnOnce(&AtomicBool) -> Result<Output, LocalModelError> + Send + 'static,
) -> Result<Output, LocalModelError> {
    let abandoned = CancelOnDrop::default();
    let flag = abandoned.0.clone();
    let work = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work(&flag)
    });
    work.await.map_err(|error| LocalModelError::Failed(error.to_string()))?
}

/// Set when nobody waits for the result any more.
#[derive(Default)]
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
