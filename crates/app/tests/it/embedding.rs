//! Embedding: nothing lost, nothing doubled, whatever the provider does.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::{FutureExt, future::BoxFuture};
use ibid_app::{App, Tools};
use ibid_domain::{EmbeddingState, Limit, SourceId, SourceStatus};
use ibid_models::{EmbedError, Embedder, Purpose};
use ibid_store::JobFilter;
use ibid_testkit::{TestLibrary, on_both};

use crate::{
    sources::{Working, of_artifact, until},
    upload,
};

on_both!(embeds, rate_limited, recovers, gives_up, hopeless, change_of_model, deleted_meanwhile);

/// An embedder that does as it is told.
#[derive(Default)]
pub(crate) struct Scripted {
    model: &'static str,
    dimension: usize,
    /// Texts that it embeds at once.
    batch: usize,
    tokens_per_word: usize,
    script: Mutex<VecDeque<EmbedError>>,
    texts: AtomicUsize,
    slow: Option<Duration>,
}

impl Scripted {
    fn new(script: impl IntoIterator<Item = EmbedError>) -> Arc<Self> {
        let script = Mutex::new(script.into_iter().collect());
        Arc::new(Self { script, ..Self::with_short_chunks() })
    }

    /// One that always succeeds, for which a sentence is long enough to be a chunk.
    fn with_short_chunks() -> Self {
        Self { model: "scripted", dimension: 3, batch: 2, tokens_per_word: 100, ..Self::default() }
    }

    /// One that always succeeds, with batches and chunks as the local model has them.
    pub(crate) fn like_local_model() -> Self {
        Self { model: "scripted", dimension: 3, batch: 64, tokens_per_word: 1, ..Self::default() }
    }
}

impl Embedder for Scripted {
    fn provider(&self) -> &str {
        "test"
    }

    fn model(&self) -> &str {
        self.model
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn batch_size(&self) -> usize {
        self.batch
    }

    fn max_tokens(&self) -> usize {
        512
    }

    fn count_tokens(&self, text: &str) -> usize {
        text.split_whitespace().count() * self.tokens_per_word
    }

    fn embed<'a>(
        &'a self,
        texts: &'a [&'a str],
        _purpose: Purpose,
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        async move {
            if let Some(slow) = self.slow {
                tokio::time::sleep(slow).await;
            }
            if let Some(error) = self.script.lock().unwrap().pop_front() {
                return Err(error);
            }
            self.texts.fetch_add(texts.len(), Ordering::SeqCst);
            Ok(texts.iter().map(|text| vec![text.len() as f32; self.dimension]).collect())
        }
        .boxed()
    }
}

fn app(library: &TestLibrary, embedder: Arc<Scripted>) -> App {
    let tools = Tools { embedder: Some(embedder), ..Tools::in_process().unwrap() };
    App::new(library.store.clone(), tools)
}

const TEXT: &str = "One sentence here. Another sentence there. A third one follows. And a fourth as well. \
                    Then comes a fifth. Finally there is a sixth.";

async fn add(app: &App, library: &TestLibrary, text: &str) -> SourceId {
    let artifact = upload(app, &library.scope, text).await;
    app.sources(&library.scope).create(of_artifact(artifact.sha256)).await.unwrap().0.source.id
}

/// How many chunks have a vector, and how many there are.
async fn embedded(app: &App, library: &TestLibrary, id: SourceId) -> (usize, usize) {
    let chunks = app.sources(&library.scope).chunks(id, None, Limit::default(), None).await.unwrap().items;
    (chunks.iter().filter(|chunk| chunk.embedded).count(), chunks.len())
}

async fn embeds(library: TestLibrary) {
    let embedder = Scripted::new([]);
    let app = app(&library, Arc::clone(&embedder));
    let _working = Working::start(&app);
    let id = add(&app, &library, TEXT).await;
    let ready = until(&app, &library.scope, id, |now| now.source.embedding == EmbeddingState::Ready).await;
    assert_eq!(ready.source.status, SourceStatus::Ready);
    let (with, all) = embedded(&app, &library, id).await;
    assert!(all > 2 && with == all, "{with} of {all}");
    assert_eq!(embedder.texts.load(Ordering::SeqCst), all, "each passage once");
}

async fn rate_limited(library: TestLibrary) {
    let wait = Duration::from_millis(50);
    let limited = || EmbedError::RateLimited { retry_after: Some(wait), detail: "slow down".to_owned() };
    let embedder = Scripted::new([limited(), limited(), limited(), limited(), limited()]);
    let app = app(&library, Arc::clone(&embedder));
    let _working = Working::start(&app);
    let id = add(&app, &library, TEXT).await;
    // More often than a job has attempts: being asked to wait uses up none.
    let waiting = until(&app, &library.scope, id, |now| now.source.embedding_error.is_some()).await;
    assert!(waiting.source.embedding_error.unwrap().contains("slow down"), "the reason can be seen");
    assert_eq!(waiting.source.status, SourceStatus::Indexed, "its words are found meanwhile");
    for _ in 0..40 {
        library.clock.advance(Duration::from_millis(100));
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let ready = until(&app, &library.scope, id, |now| now.source.embedding == EmbeddingState::Ready).await;
    assert_eq!(ready.source.embedding_error, None);
    let (with, all) = embedded(&app, &library, id).await;
    assert_eq!((with, embedder.texts.load(Ordering::SeqCst)), (all, all));
}

async fn recovers(library: TestLibrary) {
    let broken = || EmbedError::Unavailable("HTTP 500".to_owned());
    let embedder = Scripted::new([broken(), broken()]);
    let app = app(&library, Arc::clone(&embedder));
    let _working = Working::start(&app);
    let id = add(&app, &library, TEXT).await;
    until(&app, &library.scope, id, |now| now.source.embedding_error.is_some()).await;
    // Time goes on until the last failure, and then once past the wait for the next attempt: while that runs it stands
    // still, so that its lease does not run out.
    while !embedder.script.lock().unwrap().is_empty() {
        library.clock.advance(Duration::from_secs(2));
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        library.clock.advance(Duration::from_secs(4));
    }
    until(&app, &library.scope, id, |now| now.source.embedding == EmbeddingState::Ready).await;
    let (with, all) = embedded(&app, &library, id).await;
    assert_eq!((with, embedder.texts.load(Ordering::SeqCst)), (all, all), "no loss, nothing twice");
}

async fn gives_up(library: TestLibrary) {
    let broken = || EmbedError::Unavailable("HTTP 503".to_owned());
    let embedder = Scripted::new([broken(), broken(), broken()]);
    let app = app(&library, embedder);
    let _working = Working::start(&app);
    let id = add(&app, &library, TEXT).await;
    until(&app, &library.scope, id, |now| now.source.embedding_error.is_some()).await;
    for _ in 0..60 {
        library.clock.advance(Duration::from_secs(2));
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let failed = until(&app, &library.scope, id, |now| now.source.embedding == EmbeddingState::Failed).await;
    assert!(failed.source.embedding_error.unwrap().contains("503"));
    assert_eq!(failed.source.status, SourceStatus::Indexed);
    // The job is dead with its reason, and can be started over.
    let dead = JobFilter { kind: Some("embed".to_owned()), ..JobFilter::default() };
    let job = app.jobs(&library.scope).list(&dead, Limit::default(), None).await.unwrap().items.remove(0);
    assert!(job.last_error.unwrap().contains("503"));
    app.jobs(&library.scope).retry(job.id).await.unwrap();
    until(&app, &library.scope, id, |now| now.source.embedding == EmbeddingState::Ready).await;
}

async fn hopeless(library: TestLibrary) {
    let embedder = Scripted::new([EmbedError::Refused("the key is not valid".to_owned())]);
    let app = app(&library, embedder);
    let _working = Working::start(&app);
    let id = add(&app, &library, TEXT).await;
    let failed = until(&app, &library.scope, id, |now| now.source.embedding == EmbeddingState::Failed).await;
    assert!(failed.source.embedding_error.unwrap().contains("key"));
}

async fn change_of_model(library: TestLibrary) {
    let old = Scripted::new([]);
    let id = {
        let app = app(&library, old);
        let _working = Working::start(&app);
        let id = add(&app, &library, TEXT).await;
        until(&app, &library.scope, id, |now| now.source.embedding == EmbeddingState::Ready).await;
        id
    };
    let new = Arc::new(Scripted { model: "better", dimension: 5, ..Scripted::with_short_chunks() });
    let app = app(&library, Arc::clone(&new));
    let _working = Working::start(&app);
    for _ in 0..1500 {
        let spaces = library.store.read().await.unwrap().embedding_spaces().await.unwrap();
        assert!(spaces.iter().any(|space| space.in_use), "search always has vectors to use");
        if spaces.len() == 1 && spaces[0].model == "better" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let spaces = library.store.read().await.unwrap().embedding_spaces().await.unwrap();
    assert_eq!((spaces.len(), spaces[0].model.as_str(), spaces[0].dimension), (1, "better", 5));
    let (with, all) = embedded(&app, &library, id).await;
    assert_eq!((with, new.texts.load(Ordering::SeqCst)), (all, all));
}

async fn deleted_meanwhile(library: TestLibrary) {
    let slow = Arc::new(Scripted {
        model: "slow",
        dimension: 2,
        slow: Some(Duration::from_millis(150)),
        ..Scripted::with_short_chunks()
    });
    let app = app(&library, slow);
    let _working = Working::start(&app);
    let id = add(&app, &library, TEXT).await;
    until(&app, &library.scope, id, |now| now.source.status == SourceStatus::Indexed).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    app.sources(&library.scope).delete(id).await.unwrap();
    for _ in 0..500 {
        let jobs = app.jobs(&library.scope).list(&JobFilter::default(), Limit::default(), None).await.unwrap().items;
        if jobs.iter().all(|job| job.finished_at.is_some()) {
            assert!(jobs.iter().all(|job| job.last_error.is_none()), "{jobs:?}");
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("a job about a source that is gone did not end");
}
