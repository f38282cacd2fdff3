//! What has to be forgotten from time to time, so that nothing grows for ever.

use std::time::Duration;

use crate::{App, Result};

const DAY: Duration = Duration::from_secs(24 * 3600);

impl App {
    /// Forgets old idempotency keys, job events and finished jobs.
    pub async fn forget_old(&self) -> Result<()> {
        let now = self.store.clock().now();
        let mut tx = self.store.write().await?;
        tx.forget_idempotency_keys(now.earlier_by(DAY)).await?;
        tx.forget_job_events(now.earlier_by(7 * DAY)).await?;
        tx.forget_finished_jobs(now.earlier_by(30 * DAY)).await?;
        Ok(tx.commit().await?)
    }

    /// Removes what killed processes left in the spool.
    pub async fn sweep_spool(&self) -> Result<u64> {
        Ok(self.store.blobs().sweep_spool(true).await?.0)
    }
}
