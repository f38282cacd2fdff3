//! Workers: what becomes of a job that succeeds, fails, panics, is put off, is taken back, or whose worker stops.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use futures::future::BoxFuture;
use ibid_app::{App, JobContext, JobHandler, JobRequest, Result, Tools, Worker, WorkerOptions};
use ibid_domain::{
    JobId,
    job::{Job, JobChange, JobState},
};
use ibid_store::{JobError, JobEventCursor, NewJob, Store};
use ibid_testkit::{TestLibrary, on_both};
use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;

on_both!(ends, ends_with_its_work, waits, taking_back, stopping, upkeep_jobs, another_worker_takes_over);

/// Does what the payload says.
#[derive(Default)]
struct Puppet {
    runs: Mutex<HashMap<JobId, u32>>,
    cancelled: AtomicU32,
    store: OnceLock<Store>,
}

impl JobHandler for Puppet {
    fn kind(&self) -> &'static str {
        "puppet"
    }

    fn run<'a>(&'a self, context: &'a JobContext) -> BoxFuture<'a, Result<Option<Json>, JobError>> {
        Box::pin(async move {
            *self.runs.lock().unwrap().entry(context.job.id).or_default() += 1;
            match context.job.payload["do"].as_str().unwrap() {
                "succeed" => Ok(Some(json!({"done": true}))),
                "fail" => Err(JobError::Retry("no luck".to_owned())),
                "panic" => panic!("oh"),
                "hopeless" => Err(JobError::Permanent("never".to_owned())),
                "finish" => {
                    let result = json!({"finished": true});
                    let mut tx = self.store.get().unwrap().write().await.unwrap();
                    context.finish_in(&mut tx, &result).await.unwrap();
                    if context.job.attempt == 1 {
                        return Err(JobError::Retry("cut off before the commit".to_owned()));
                    }
                    // Longer than between two renewals of the lease, which wait for this transaction.
                    tokio::time::sleep(QUICK.lease / 2).await;
                    tx.commit().await.unwrap();
                    Ok(Some(result))
                }
                "wait" => Err(JobError::Deferred("429".to_owned(), Duration::from_secs(20))),
                _ => {
                    let guard = Told(&self.cancelled);
                    context.progress.update(1, Some(2), "half way").await;
                    tokio::time::sleep(Duration::from_secs(60)).await;
                    drop(guard);
                    Ok(None)
                }
            }
        })
    }
}

/// Counts how often a run ended before its time.
struct Told<'a>(&'a AtomicU32);

impl Drop for Told<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

struct Stage {
    app: App,
    library: TestLibrary,
    puppet: Arc<Puppet>,
    stop: CancellationToken,
    running: tokio::task::JoinHandle<()>,
}

const QUICK: WorkerOptions = WorkerOptions {
    concurrency: 3,
    lease: Duration::from_millis(600),
    poll: Duration::from_millis(20),
    drain: Duration::from_millis(100),
    sweep: Duration::from_secs(30),
};

impl Stage {
    fn new(library: TestLibrary) -> Self {
        let app = App::new(library.store.clone(), Tools::in_process().unwrap());
        let (puppet, stop) = (Arc::new(Puppet::default()), CancellationToken::new());
        puppet.store.get_or_init(|| library.store.clone());
        let worker = Worker::new(app.clone(), QUICK).with_handler(Arc::clone(&puppet) as Arc<dyn JobHandler>);
        let running = tokio::spawn(worker.run(stop.clone()));
        Self { app, library, puppet, stop, running }
    }

    async fn ask(&self, what: &str) -> JobId {
        let mut tx = self.library.store.write().await.unwrap();
        let job = tx.jobs(&self.library.scope).enqueue(NewJob::new("puppet", json!({"do": what}))).await.unwrap();
        tx.commit().await.unwrap();
        job.id
    }

    async fn until(&self, id: JobId, reached: impl Fn(&Job) -> bool) -> Job {
        for _ in 0..1000 {
            let job = self.app.jobs(&self.library.scope).get(id).await.unwrap();
            if reached(&job) {
                return job;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{:?}", self.app.jobs(&self.library.scope).get(id).await.unwrap());
    }

    fn runs(&self, id: JobId) -> u32 {
        self.puppet.runs.lock().unwrap().get(&id).copied().unwrap_or(0)
    }
}

async fn ends(library: TestLibrary) {
    let stage = Stage::new(library);
    let good = stage.ask("succeed").await;
    let done = stage.until(good, |job| job.state == JobState::Succeeded).await;
    assert_eq!((done.result, done.attempt), (Some(json!({"done": true})), 1));
    let hopeless = stage.ask("hopeless").await;
    let dead = stage.until(hopeless, |job| job.state == JobState::Dead).await;
    assert_eq!((dead.attempt, dead.last_error.as_deref()), (1, Some("never")));
    for (what, reason) in [("fail", "no luck"), ("panic", "the handler panicked: oh")] {
        let id = stage.ask(what).await;
        for attempt in 1..=2 {
            let job = stage.until(id, |job| job.state == JobState::Queued && job.attempt == attempt).await;
            assert_eq!(job.last_error.as_deref(), Some(reason));
            stage.library.clock.advance(Duration::from_secs(60));
        }
        let dead = stage.until(id, |job| job.state == JobState::Dead).await;
        assert_eq!((dead.attempt, stage.runs(id)), (3, 3));
    }
    // The worker lives on after all that.
    let good = stage.ask("succeed").await;
    stage.until(good, |job| job.state == JobState::Succeeded).await;
}

async fn ends_with_its_work(library: TestLibrary) {
    let stage = Stage::new(library);
    let id = stage.ask("finish").await;
    let job = stage.until(id, |job| job.state == JobState::Queued && job.attempt == 1).await;
    assert_eq!((job.result, job.last_error.as_deref()), (None, Some("cut off before the commit")));
    stage.library.clock.advance(Duration::from_secs(60));
    let done = stage.until(id, |job| job.state == JobState::Succeeded).await;
    assert_eq!((done.result, done.attempt), (Some(json!({"finished": true})), 2));
    // The worker has nothing to add.
    stage.stop.cancel();
    stage.running.await.unwrap();
    let events = stage.app.jobs(&stage.library.scope).events(JobEventCursor::default()).await.unwrap();
    let succeeded = events.iter().filter(|event| event.change == JobChange::Succeeded);
    assert_eq!((succeeded.count(), stage.puppet.runs.lock().unwrap()[&id]), (1, 2));
}

async fn waits(library: TestLibrary) {
    let stage = Stage::new(library);
    let id = stage.ask("wait").await;
    for round in 1..=5 {
        // First that it ran, then how that ended: the other way round an older state could be taken for the end.
        stage.until(id, |_| stage.runs(id) == round).await;
        let job = stage.until(id, |job| job.state == JobState::Queued).await;
        assert_eq!((job.attempt, job.last_error.as_deref()), (0, Some("429")));
        stage.library.clock.advance(Duration::from_secs(21));
    }
}

async fn taking_back(library: TestLibrary) {
    let stage = Stage::new(library);
    let id = stage.ask("sleep").await;
    let job = stage.until(id, |job| job.progress.is_some()).await;
    assert_eq!(job.progress.unwrap().message.as_deref(), Some("half way"));
    stage.app.jobs(&stage.library.scope).cancel(id).await.unwrap();
    // The worker notices at its next sign of life and stops.
    for _ in 0..300 {
        if stage.puppet.cancelled.load(Ordering::SeqCst) == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(stage.puppet.cancelled.load(Ordering::SeqCst), 1);
    assert_eq!(stage.app.jobs(&stage.library.scope).get(id).await.unwrap().state, JobState::Cancelled);
}

async fn stopping(library: TestLibrary) {
    let stage = Stage::new(library);
    let id = stage.ask("sleep").await;
    stage.until(id, |job| job.state == JobState::Running).await;
    stage.stop.cancel();
    stage.running.await.unwrap();
    let job = stage.app.jobs(&stage.library.scope).get(id).await.unwrap();
    assert_eq!((job.state, job.attempt), (JobState::Queued, 0), "given back, no attempt used up");
}

async fn another_worker_takes_over(library: TestLibrary) {
    let stage = Stage::new(library);
    let id = stage.ask("sleep").await;
    stage.until(id, |job| job.state == JobState::Running).await;
    // Killed, not stopped: nothing is reported.
    stage.running.abort();
    let _ = stage.running.await;
    stage.library.clock.advance(QUICK.lease * 3);
    let puppet = Arc::new(Puppet::default());
    let worker = Worker::new(stage.app.clone(), QUICK).with_handler(Arc::clone(&puppet) as Arc<dyn JobHandler>);
    let stop = CancellationToken::new();
    let running = tokio::spawn(worker.run(stop.clone()));
    for _ in 0..300 {
        if puppet.runs.lock().unwrap().contains_key(&id) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(stage.app.jobs(&stage.library.scope).get(id).await.unwrap().attempt, 2);
    stop.cancel();
    running.await.unwrap();
}

async fn upkeep_jobs(library: TestLibrary) {
    let stage = Stage::new(library);
    crate::upload(&stage.app, &stage.library.scope, "words").await;
    let scope = &stage.library.scope;
    let fsck = stage.app.jobs(scope).request(JobRequest::Fsck).await.unwrap();
    let done = stage.until(fsck.id, |job| job.state == JobState::Succeeded).await;
    assert_eq!(
        (&done.result.as_ref().unwrap()["artifacts"], &done.result.as_ref().unwrap()["findings"]),
        (&json!(1), &json!([]))
    );
    let gc = stage.app.jobs(scope).request(JobRequest::Gc(Default::default())).await.unwrap();
    let done = stage.until(gc.id, |job| job.state == JobState::Succeeded).await;
    assert_eq!(done.result.unwrap()["applied"], json!(false));
}
