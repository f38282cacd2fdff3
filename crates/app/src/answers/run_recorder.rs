//! Runs that this server carries out: what happens in them is written down for all of them together, and told to those
//! who watch only then, so that nobody has seen what a crash could take back.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use ibid_citations::cited_stream::ShownText;
use ibid_domain::{RunEventData, RunId, TenantId, run_event::ContentDelta};
use ibid_store::Store;
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use crate::{Result, Scope};

/// For so long a server is taken to be alive after it last said so.
pub(super) const ALIVE: Duration = Duration::from_secs(15);
/// Interval at which a server renews the lease of its runs; well below `ALIVE`, so that one missed renewal does no
/// harm.
const BEAT: Duration = Duration::from_secs(4);
/// So often writing is tried again while the database does not take it.
const TRIES: u32 = 5;

/// The runs that this process carries out; writes their events to the database in batches.
#[derive(Clone, Default)]
pub(crate) struct RunRecorder(Arc<RecorderState>);

#[derive(Default)]
struct RecorderState {
    pending: Mutex<PendingEvents>,
    wake: Notify,
    runs: Mutex<HashMap<RunId, (Scope, CancellationToken)>>,
    tasks: OnceLock<()>,
}

/// Events of one run that are not written to the database yet.
type RunEventBatch = (RunId, Scope, Vec<RunEventData>);

#[derive(Default)]
struct PendingEvents {
    /// In the order in which each run first had something to say.
    runs: Vec<RunEventBatch>,
    /// Those who wait until it is written.
    waiting: Vec<oneshot::Sender<()>>,
}

/// A run that this server carries out, until it is dropped.
pub(crate) struct RunHandle {
    live: RunRecorder,
    pub(crate) id: RunId,
    pub(crate) scope: Scope,
    pub(crate) stop: CancellationToken,
}

impl Drop for RunHandle {
    fn drop(&mut self) {
        self.live.lock_runs().remove(&self.id);
    }
}

impl RunHandle {
    /// Something happened; it is written down soon.
    pub(crate) fn record(&self, event: RunEventData) {
        let mut pending = self.live.lock_pending();
        let place = pending.runs.iter().position(|(id, ..)| *id == self.id);
        let place = place.unwrap_or_else(|| {
            pending.runs.push((self.id, self.scope, Vec::new()));
            pending.runs.len() - 1
        });
        let events = &mut pending.runs[place].2;
        match (events.last_mut(), event) {
            // Words that come faster than they are written down go together.
            (Some(RunEventData::ContentDelta(last)), RunEventData::ContentDelta(more)) => {
                last.text.push_str(&more.text);
                last.markers.extend(more.markers);
            }
            (_, event) => events.push(event),
        }
        drop(pending);
        self.live.0.wake.notify_one();
    }

    /// Appends text to the streamed answer; empty text is ignored.
    pub(crate) fn push_text(&self, shown: ShownText) {
        let ShownText { text, markers } = shown;
        if !text.is_empty() {
            self.record(RunEventData::ContentDelta(ContentDelta { text, markers }));
        }
    }

    /// Waits until everything that was told is written down.
    pub(crate) async fn flush(&self) {
        let (done, written) = oneshot::channel();
        self.live.lock_pending().waiting.push(done);
        self.live.0.wake.notify_one();
        let _ = written.await;
    }
}

impl RunRecorder {
    fn lock_pending(&self) -> MutexGuard<'_, PendingEvents> {
        self.0.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_runs(&self) -> MutexGuard<'_, HashMap<RunId, (Scope, CancellationToken)>> {
        self.0.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a run that this process carries out, and starts the background tasks on first use.
    pub(crate) fn register_run(&self, store: &Store, scope: &Scope, id: RunId) -> RunHandle {
        self.0.tasks.get_or_init(|| {
            tokio::spawn(self.clone().write_loop(store.clone()));
            tokio::spawn(self.clone().heartbeat_loop(store.clone()));
        });
        let stop = CancellationToken::new();
        self.lock_runs().insert(id, (*scope, stop.clone()));
        RunHandle { live: self.clone(), id, scope: *scope, stop }
    }

    /// Tells a run to stop, if this server carries it out.
    pub(crate) fn stop_run(&self, id: RunId) {
        if let Some((_, stop)) = self.lock_runs().get(&id) {
            stop.cancel();
        }
    }

    /// Tells every run to stop, and waits for them for a while.
    pub(crate) async fn stop_all(&self, patience: Duration) {
        self.lock_runs().values().for_each(|(_, stop)| stop.cancel());
        let gone = async {
            while !self.lock_runs().is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let _ = tokio::time::timeout(patience, gone).await;
    }

    /// Writes down what is told, as much at once as there is.
    async fn write_loop(self, store: Store) {
        loop {
            self.0.wake.notified().await;
            loop {
                let PendingEvents { runs, waiting } = std::mem::take(&mut *self.lock_pending());
                if runs.is_empty() && waiting.is_empty() {
                    break;
                }
                let mut tries = 0;
                while let Err(error) = write_events(&store, &runs).await {
                    tries += 1;
                    tracing::warn!(%error, tries, "what happened in runs could not be written down");
                    if tries == TRIES {
                        // What cannot be kept is not said; the runs end, and say why if they can.
                        runs.iter().for_each(|(id, ..)| self.stop_run(*id));
                        break;
                    }
                    tokio::time::sleep(Duration::from_millis(50 << tries)).await;
                }
                for waiter in waiting {
                    let _ = waiter.send(());
                }
            }
        }
    }

    /// Says from time to time that this server is alive, and hears which runs were to stop.
    async fn heartbeat_loop(self, store: Store) {
        loop {
            tokio::time::sleep(BEAT).await;
            let mut by_tenant: HashMap<TenantId, (Scope, Vec<RunId>)> = HashMap::new();
            for (id, (scope, _)) in self.lock_runs().iter() {
                by_tenant.entry(scope.tenant()).or_insert_with(|| (*scope, Vec::new())).1.push(*id);
            }
            if by_tenant.is_empty() {
                continue;
            }
            match renew_leases(&store, by_tenant.values()).await {
                Ok(stopped) => stopped.into_iter().for_each(|id| self.stop_run(id)),
                Err(error) => tracing::warn!(%error, "cannot say that this server is alive"),
            }
        }
    }
}

async fn write_events(store: &Store, runs: &[RunEventBatch]) -> Result<()> {
    if runs.is_empty() {
        return Ok(());
    }
    let mut tx = store.write().await?;
    for (id, scope, events) in runs {
        tx.runs(scope).record_events(*id, events.clone()).await?;
    }
    Ok(tx.commit().await?)
}

/// Says that this server is alive, and gives the runs that were asked to stop or ended. After a power cut it is not alive,
/// whatever it said before.
async fn renew_leases(store: &Store, runs: impl Iterator<Item = &(Scope, Vec<RunId>)>) -> Result<Vec<RunId>> {
    let mut tx = store.write_relaxed().await?;
    let until = tx.now().later_by(ALIVE);
    let mut stopped = Vec::new();
    for (scope, ids) in runs {
        stopped.extend(tx.runs(scope).renew_leases(ids, until).await?);
    }
    tx.commit().await?;
    Ok(stopped)
}
