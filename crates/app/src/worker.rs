//! Doing jobs: taking them, keeping their leases alive, and reporting how they ended.

use std::{
    collections::HashMap,
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use futures::{FutureExt, future::BoxFuture};
use ibid_domain::job::{Job, Progress};
use ibid_store::{JobError, Lease, LeasedJob, Tx};
use serde_json::Value as Json;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::{App, Result, Scope, background_jobs::all_kinds};

/// Does one kind of job. It may be run again for the same job, after a crash or a lost lease, and must then come to
/// the same end.
pub trait JobHandler: Send + Sync {
    /// Returns the kind of job it handles, as stored in the queue.
    fn kind(&self) -> &'static str;

    /// Returns the maximum number of its jobs that one worker runs at once; `None` means no own limit.
    fn at_once(&self) -> Option<u32> {
        None
    }

    /// Does the job. When the context is cancelled the job is no longer its own and it should stop.
    fn run<'a>(&'a self, context: &'a JobContext) -> BoxFuture<'a, Result<Option<Json>, JobError>>;
}

/// The job and everything a handler needs to run it.
pub struct JobContext {
    pub app: App,
    /// Tenant and user the job runs for.
    pub scope: Scope,
    pub job: Job,
    /// Reports the progress of the job.
    pub progress: ProgressReport,
    /// Cancelled when the job is taken back or its lease is lost.
    pub cancelled: CancellationToken,
    lease: Lease,
    /// The handler has written down that the job succeeded.
    is_reported: AtomicBool,
}

impl JobContext {
    /// Ends the job well in the transaction of what it did, so that both are kept or neither. The handler commits, waits
    /// for nothing after that, and returns the same result. If the job is not its own any more, nothing is written, and
    /// what the handler did may be kept all the same: the job comes to the same end when it is run again.
    pub async fn finish_in(&self, tx: &mut Tx, result: &Json) -> Result<()> {
        if tx.queue().mark_succeeded(&self.lease, Some(result.clone())).await? {
            self.is_reported.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Tells how far something has come, often enough to be seen and seldom enough not to matter.
#[derive(Clone)]
pub struct ProgressReport(Option<Arc<ProgressThrottle>>);

type ProgressCallback = Box<dyn Fn(Progress) -> BoxFuture<'static, ()> + Send + Sync>;

struct ProgressThrottle {
    last: Mutex<Option<Instant>>,
    tell: ProgressCallback,
}

impl ProgressReport {
    const EVERY: Duration = Duration::from_millis(250);

    /// For those whom nobody watches.
    pub fn silent() -> Self {
        Self(None)
    }

    /// Calls `tell`, at most four times a second.
    pub fn with_callback(tell: impl Fn(Progress) -> BoxFuture<'static, ()> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(ProgressThrottle { last: Mutex::new(None), tell: Box::new(tell) })))
    }

    /// Reports progress; dropped if the last report was less than 250 ms ago.
    pub async fn update(&self, done: u64, total: Option<u64>, message: &str) {
        let Some(reporter) = &self.0 else { return };
        {
            let mut last = reporter.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if last.is_some_and(|last| last.elapsed() < Self::EVERY) {
                return;
            }
            *last = Some(Instant::now());
        }
        (reporter.tell)(Progress { done, total, message: Some(message.to_owned()) }).await;
    }
}

/// Concurrency and intervals of a worker.
#[derive(Clone, Copy, Debug)]
pub struct WorkerOptions {
    /// Maximum number of jobs run at once.
    pub concurrency: u32,
    /// Time after which a job without a renewed lease goes to another worker.
    pub lease: Duration,
    /// Interval at which the queue is polled for jobs without a notification.
    pub poll: Duration,
    /// Time that running jobs get to finish after a shutdown request.
    pub drain: Duration,
    /// Interval at which unfinished sources without a job are looked for.
    pub sweep: Duration,
}

impl Default for WorkerOptions {
    fn default() -> Self {
        Self {
            concurrency: 4,
            lease: Duration::from_secs(30),
            poll: Duration::from_secs(1),
            drain: Duration::from_secs(20),
            sweep: Duration::from_secs(30),
        }
    }
}

/// Shows whether a worker lives: how long ago it last looked for jobs.
#[derive(Clone, Debug)]
pub struct WorkerPulse {
    started: Instant,
    beat: Arc<AtomicU64>,
}

impl WorkerPulse {
    fn new() -> Self {
        Self { started: Instant::now(), beat: Arc::new(AtomicU64::new(u64::MAX)) }
    }

    fn record_beat(&self) {
        self.beat.store(u64::try_from(self.started.elapsed().as_millis()).unwrap_or(0), Ordering::Relaxed);
    }

    /// Returns the time since the worker last polled the queue; `None` if it has not started.
    pub fn since_last_beat(&self) -> Option<Duration> {
        match self.beat.load(Ordering::Relaxed) {
            u64::MAX => None,
            beat => Some(self.started.elapsed().saturating_sub(Duration::from_millis(beat))),
        }
    }
}

/// Takes jobs and does them, until it is told to stop.
pub struct Worker {
    app: App,
    handlers: HashMap<&'static str, Arc<dyn JobHandler>>,
    options: WorkerOptions,
    pulse: WorkerPulse,
}

impl Worker {
    /// A worker with the handlers that come with Ibid.
    pub fn new(app: App, options: WorkerOptions) -> Self {
        let worker = Self { app, handlers: HashMap::new(), options, pulse: WorkerPulse::new() };
        all_kinds().into_iter().fold(worker, Self::with_handler)
    }

    /// Also does this kind of job.
    #[must_use]
    pub fn with_handler(mut self, handler: Arc<dyn JobHandler>) -> Self {
        self.handlers.insert(handler.kind(), handler);
        self
    }

    /// Returns a handle that shows if the worker is alive.
    pub fn pulse(&self) -> WorkerPulse {
        self.pulse.clone()
    }

    /// Works until `stop`, then lets running jobs finish for a while and gives the rest back.
    pub async fn run(self, stop: CancellationToken) {
        let mut changed = self.app.store.jobs_changed();
        let mut running: JoinSet<String> = JoinSet::new();
        // How many jobs of each kind are running.
        let mut busy: HashMap<String, u32> = HashMap::new();
        let abandon = CancellationToken::new();
        let mut upkeep = tokio::time::interval(Duration::from_secs(600));
        let mut sweep = tokio::time::interval(self.options.sweep);
        while !stop.is_cancelled() {
            self.pulse.record_beat();
            changed.mark_unchanged();
            let free = self.options.concurrency.saturating_sub(u32::try_from(running.len()).unwrap_or(u32::MAX));
            let taken = if free == 0 { Ok(vec![]) } else { self.lease_jobs(free, &busy).await };
            let more = match taken {
                Ok(jobs) => {
                    let more = !jobs.is_empty();
                    for job in jobs {
                        let kind = job.job.kind.clone();
                        *busy.entry(kind.clone()).or_default() += 1;
                        let work = self.run_job(job, abandon.clone());
                        running.spawn(async move {
                            work.await;
                            kind
                        });
                    }
                    more
                }
                Err(error) => {
                    tracing::error!(%error, "cannot take jobs");
                    false
                }
            };
            if more && running.len() < self.options.concurrency as usize {
                continue;
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(self.options.poll) => {}
                _ = changed.changed(), if running.len() < self.options.concurrency as usize => {}
                Some(ended) = running.join_next() => {
                    if let Some(count) = ended.ok().and_then(|kind| busy.get_mut(&kind)) {
                        *count = count.saturating_sub(1);
                    }
                }
                _ = sweep.tick() => {
                    if let Err(error) = self.app.sweep_sources().await {
                        tracing::warn!(%error, "the sweep over unfinished sources failed; it is tried again later");
                    }
                }
                _ = upkeep.tick() => {
                    if let Err(error) = self.app.forget_old().await {
                        tracing::warn!(%error, "upkeep failed; it is tried again later");
                    }
                }
            }
        }
        let drained = async { while running.join_next().await.is_some() {} };
        if tokio::time::timeout(self.options.drain, drained).await.is_err() {
            tracing::warn!(jobs = running.len(), "giving back jobs that did not finish in time");
            abandon.cancel();
            while running.join_next().await.is_some() {}
        }
    }

    /// Takes what is due. Kinds that are at their bound wait; of those that have a bound, one is taken at a time, so
    /// that it is not passed.
    async fn lease_jobs(&self, count: u32, busy: &HashMap<String, u32>) -> Result<Vec<LeasedJob>> {
        let others = self.options.concurrency.saturating_sub(1).max(1);
        let (mut free, mut bound) = (Vec::new(), Vec::new());
        for (kind, handler) in &self.handlers {
            match handler.at_once() {
                None => free.push(*kind),
                // One place is always left for the others, where there are several.
                Some(most) if busy.get(*kind).copied().unwrap_or(0) < most.min(others) => bound.push(*kind),
                Some(_) => {}
            }
        }
        // A job that a power cut gives back to the queue is taken again.
        let mut tx = self.app.store.write_relaxed().await?;
        let mut jobs = tx.queue().lease_jobs(&free, count, self.options.lease).await?;
        for kind in bound {
            let left = count.saturating_sub(u32::try_from(jobs.len()).unwrap_or(u32::MAX));
            if left > 0 {
                jobs.extend(tx.queue().lease_jobs(&[kind], 1, self.options.lease).await?);
            }
        }
        tx.commit().await?;
        Ok(jobs)
    }

    fn run_job(&self, leased: LeasedJob, abandon: CancellationToken) -> impl Future<Output = ()> + Send + use<> {
        let handler = self.handlers.get(leased.job.kind.as_str()).cloned();
        let (app, lease_for) = (self.app.clone(), self.options.lease);
        async move {
            let (lease, kind) = (leased.lease, leased.job.kind.clone());
            let Some(handler) = handler else { return };
            let started = Instant::now();
            let context = JobContext {
                app: app.clone(),
                scope: leased.scope,
                job: leased.job.clone(),
                progress: progress_of(&app, lease),
                cancelled: CancellationToken::new(),
                lease,
                is_reported: AtomicBool::new(false),
            };
            let span = tracing::info_span!("job", kind, id = %leased.job.id, attempt = leased.job.attempt);
            let mut work = pin!(AssertUnwindSafe(handler.run(&context).instrument(span)).catch_unwind());
            let ended = tokio::select! {
                biased;
                ended = &mut work => ended,
                () = keep_alive(&app, lease, lease_for) => {
                    // The lease is gone, too, when the handler has ended the job itself and is about to return.
                    if !context.is_reported.load(Ordering::Relaxed) {
                        context.cancelled.cancel();
                        tracing::warn!(job = %leased.job.id, kind, "the job was taken back or its lease was lost");
                        return;
                    }
                    work.await
                }
                () = abandon.cancelled() => {
                    context.cancelled.cancel();
                    report_outcome(&app, &leased, None).await;
                    return;
                }
            };
            let ended = ended.unwrap_or_else(|panic| Err(JobError::Retry(panic_message(&*panic))));
            let outcome = match &ended {
                Ok(_) => "succeeded",
                Err(JobError::Deferred(..)) => "put_off",
                Err(_) => "failed",
            };
            if let Err(failure) = &ended {
                tracing::warn!(job = %leased.job.id, kind, attempt = leased.job.attempt, ?failure, "a job did not succeed");
            }
            metrics::counter!("ibid_jobs_total", "kind" => kind.clone(), "outcome" => outcome).increment(1);
            metrics::histogram!("ibid_job_seconds", "kind" => kind).record(started.elapsed().as_secs_f64());
            // A failure after the end was prepared means that it was not committed.
            if ended.is_err() || !context.is_reported.load(Ordering::Relaxed) {
                report_outcome(&app, &leased, Some(ended)).await;
            }
        }
    }
}

/// Writes down how a job ended, or gives it back. If the database does not answer it tries a few times; after that
/// the lease runs out and another worker takes the job.
async fn report_outcome(app: &App, leased: &LeasedJob, ended: Option<Result<Option<Json>, JobError>>) {
    for wait in [0, 200, 1000, 5000] {
        tokio::time::sleep(Duration::from_millis(wait)).await;
        let written = async {
            let mut tx = app.store.write().await?;
            let mut queue = tx.queue();
            let held = match &ended {
                None => queue.give_back(&leased.lease).await?,
                Some(Ok(result)) => queue.mark_succeeded(&leased.lease, result.clone()).await?,
                Some(Err(failure)) => queue.record_failure(leased, failure).await?,
            };
            tx.commit().await?;
            Ok::<_, crate::Error>(held)
        };
        match written.await {
            Ok(true) => return,
            Ok(false) => return tracing::warn!(job = %leased.job.id, "a late report on a job was ignored"),
            Err(error) => tracing::error!(job = %leased.job.id, %error, "cannot report on a job"),
        }
    }
}

/// Renews a lease for as long as it can; ends when the job is not ours any more.
async fn keep_alive(app: &App, lease: Lease, lease_for: Duration) {
    let mut heard = Instant::now();
    loop {
        tokio::time::sleep(lease_for / 3).await;
        let renewed = async {
            let mut tx = app.store.write_relaxed().await?;
            let held = tx.queue().renew_lease(&lease, lease_for).await?;
            tx.commit().await?;
            Ok::<_, crate::Error>(held)
        };
        match renewed.await {
            Ok(true) => heard = Instant::now(),
            Ok(false) => return,
            Err(error) if heard.elapsed() < lease_for => tracing::warn!(%error, "cannot renew a lease; trying again"),
            Err(_) => return,
        }
    }
}

fn progress_of(app: &App, lease: Lease) -> ProgressReport {
    let app = app.clone();
    ProgressReport::with_callback(move |progress| {
        let app = app.clone();
        Box::pin(async move {
            let written = async {
                let mut tx = app.store.write_relaxed().await?;
                tx.queue().report_progress(&lease, &progress).await?;
                tx.commit().await
            };
            if let Err(error) = written.await {
                tracing::debug!(%error, "progress was not written");
            }
        })
    })
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the handler panicked: {}", said.unwrap_or("no reason given"))
}
