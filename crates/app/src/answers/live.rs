//! Runs that this server carries out: what happens in them is written down for all of them together, and told to those
//! who watch only then, so that nobody has seen what a crash could take back.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use ibid_domain::{RunEventKind, RunId};
use ibid_store::Store;
use serde_json::{Value as Json, json};
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use crate::{Result, Scope};

/// For so long a server is taken to be alive after it last said so.
pub(super) const ALIVE: Duration = Duration::from_secs(15);
/// So often it says so.
const BEAT: Duration = Duration::from_secs(4);
/// So often writing is tried again while the database does not take it.
const TRIES: u32 = 5;

/// The runs of this process.
#[derive(Clone, Default)]
pub(crate) struct Live(Arc<Inner>);

#[derive(Default)]
struct Inner {
    pending: Mutex<Pending>,
    wake: Notify,
    runs: Mutex<HashMap<RunId, CancellationToken>>,
    tasks: OnceLock<()>,
}

/// What happened in a run.
type Told = (RunId, Scope, Vec<(RunEventKind, Json)>);

#[derive(Default)]
struct Pending {
    /// In the order in which each run first had something to say.
    runs: Vec<Told>,
    /// Those who wait until it is written.
    waiting: Vec<oneshot::Sender<()>>,
}

/// A run that this server carries out, until it is dropped.
pub(crate) struct LiveRun {
    live: Live,
    pub(crate) id: RunId,
    pub(crate) scope: Scope,
    pub(crate) stop: CancellationToken,
}

impl Drop for LiveRun {
    fn drop(&mut self) {
        self.live.runs().remove(&self.id);
    }
}

impl LiveRun {
    /// Something happened; it is written down soon.
    pub(crate) fn tell(&self, kind: RunEventKind, data: Json) {
        let mut pending = self.live.pending();
        let place = pending.runs.iter().position(|(id, ..)| *id == self.id);
        let place = place.unwrap_or_else(|| {
            pending.runs.push((self.id, self.scope, Vec::new()));
            pending.runs.len() - 1
        });
        let events = &mut pending.runs[place].2;
        match events.last_mut() {
            // Words that come faster than they are written down go together.
            Some((RunEventKind::ContentDelta, last)) if kind == RunEventKind::ContentDelta => {
                if let (Some(Json::String(text)), Some(more)) = (last.get_mut("text"), data["text"].as_str()) {
                    text.push_str(more);
                }
            }
            _ => events.push((kind, data)),
        }
        drop(pending);
        self.live.0.wake.notify_one();
    }

    /// More words of the answer.
    pub(crate) fn say(&self, text: &str) {
        if !text.is_empty() {
            self.tell(RunEventKind::ContentDelta, json!({ "text": text }));
        }
    }

    /// Waits until everything that was told is written down.
    pub(crate) async fn settle(&self) {
        let (done, written) = oneshot::channel();
        self.live.pending().waiting.push(done);
        self.live.0.wake.notify_one();
        let _ = written.await;
    }
}

impl Live {
    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.0.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<RunId, CancellationToken>> {
        self.0.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a run on.
    pub(crate) fn take(&self, store: &Store, scope: &Scope, id: RunId) -> LiveRun {
        self.0.tasks.get_or_init(|| {
            tokio::spawn(self.clone().write(store.clone()));
            tokio::spawn(self.clone().beat(store.clone()));
        });
        let stop = CancellationToken::new();
        self.runs().insert(id, stop.clone());
        LiveRun { live: self.clone(), id, scope: *scope, stop }
    }

    /// Tells a run to stop, if this server carries it out.
    pub(crate) fn stop(&self, id: RunId) {
        if let Some(stop) = self.runs().get(&id) {
            stop.cancel();
        }
    }

    /// Tells every run to stop, and waits for them for a while.
    pub(crate) async fn stop_all(&self, patience: Duration) {
        self.runs().values().for_each(CancellationToken::cancel);
        let gone = async {
            while !self.runs().is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let _ = tokio::time::timeout(patience, gone).await;
    }

    /// Writes down what is told, as much at once as there is.
    async fn write(self, store: Store) {
        loop {
            self.0.wake.notified().await;
            loop {
                let Pending { runs, waiting } = std::mem::take(&mut *self.pending());
                if runs.is_empty() && waiting.is_empty() {
                    break;
                }
                let mut tries = 0;
                while let Err(error) = keep(&store, &runs).await {
                    tries += 1;
                    tracing::warn!(%error, tries, "what happened in runs could not be written down");
                    if tries == TRIES {
                        // What cannot be kept is not said; the runs end, and say why if they can.
                        runs.iter().for_each(|(id, ..)| self.stop(*id));
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
    async fn beat(self, store: Store) {
        loop {
            tokio::time::sleep(BEAT).await;
            let ids: Vec<_> = self.runs().keys().copied().collect();
            if ids.is_empty() {
                continue;
            }
            match alive(&store, &ids).await {
                Ok(stopped) => stopped.into_iter().for_each(|id| self.stop(id)),
                Err(error) => tracing::warn!(%error, "cannot say that this server is alive"),
            }
        }
    }
}

async fn keep(store: &Store, runs: &[Told]) -> Result<()> {
    if runs.is_empty() {
        return Ok(());
    }
    let mut tx = store.write().await?;
    for (id, scope, events) in runs {
        tx.runs(scope).record(*id, events.clone()).await?;
    }
    tx.commit().await
}

async fn alive(store: &Store, ids: &[RunId]) -> Result<Vec<RunId>> {
    let mut tx = store.write().await?;
    let until = tx.now().after(ALIVE);
    let stopped = tx.runs_alive(ids, until).await?;
    tx.commit().await?;
    Ok(stopped)
}
