//! The one way to run work that holds a thread: computing, waiting for a disk or for another process.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Work on a thread of its own panicked, or was cancelled because the program ends.
#[derive(Debug, thiserror::Error)]
#[error("a background thread failed: {0}")]
pub struct ThreadFailed(String);

impl From<tokio::task::JoinError> for ThreadFailed {
    fn from(error: tokio::task::JoinError) -> Self {
        Self(error.to_string())
    }
}

/// Runs blocking work on a thread of its own and waits for its result.
pub async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ThreadFailed> {
    tokio::task::spawn_blocking(work).await.map_err(ThreadFailed::from)
}

/// Runs blocking work on this thread, while the runtime moves its other tasks elsewhere.
pub(crate) fn run_in_place<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        // A runtime of one thread has nowhere to move its tasks to.
        _ => work(),
    }
}
