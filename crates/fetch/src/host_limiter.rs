//! Politeness: a host is asked seldom, and by few at once.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep_until},
};

/// Rate limiter per host: spaces out requests and caps how many run at once.
pub(crate) struct HostLimiter {
    interval: Duration,
    at_once: usize,
    hosts: Mutex<HashMap<String, Arc<HostState>>>,
}

struct HostState {
    places: Arc<Semaphore>,
    next: Mutex<Instant>,
}

/// Hosts remembered before those that nobody waits for are forgotten.
const REMEMBERED: usize = 1024;

impl HostLimiter {
    pub(crate) fn new(interval: Duration, at_once: usize) -> Self {
        Self { interval, at_once: at_once.max(1), hosts: Mutex::new(HashMap::new()) }
    }

    /// Waits for a turn at `host`; the turn ends when what it gives back is dropped.
    pub(crate) async fn wait_turn(&self, host: &str) -> Option<OwnedSemaphorePermit> {
        let host = self.host_state(host);
        // The semaphore is never closed, so that a permit always comes.
        let permit = Arc::clone(&host.places).acquire_owned().await.ok();
        let start = {
            let mut next = host.next.lock().unwrap_or_else(PoisonError::into_inner);
            let start = (*next).max(Instant::now());
            *next = start + self.interval;
            start
        };
        sleep_until(start).await;
        permit
    }

    fn host_state(&self, name: &str) -> Arc<HostState> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= REMEMBERED && !hosts.contains_key(name) {
            let now = Instant::now();
            hosts.retain(|_, host| {
                Arc::strong_count(host) > 1
                    || host.places.available_permits() < self.at_once
                    || *host.next.lock().unwrap_or_else(PoisonError::into_inner) > now
            });
        }
        let host = hosts.entry(name.to_owned()).or_insert_with(|| {
            Arc::new(HostState { places: Arc::new(Semaphore::new(self.at_once)), next: Mutex::new(Instant::now()) })
        });
        Arc::clone(host)
    }
}
