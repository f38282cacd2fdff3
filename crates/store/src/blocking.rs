//! The one way to run work that holds a thread: computing, waiting for a disk or for another process.

use tokio::runtime::{Handle, RuntimeFlavor};

use crate::{Error, Result};

/// Runs blocking work on a thread of its own and waits for it. A panic in it becomes an error.
pub async fn run_blocking<T: Send + 'static, E: Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T>
where
    Error: From<E>,
{
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => Ok(result?),
        Err(error) => Err(Error::Panicked(error.to_string())),
    }
}

/// Runs blocking work on this thread, while the runtime moves its other tasks elsewhere.
pub(crate) fn run_in_place<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        // A runtime of one thread has nowhere to move its tasks to.
        _ => work(),
    }
}
