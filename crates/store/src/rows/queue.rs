//! How workers take jobs: leases, heartbeats, retries.
//!
//! A lease is a random token with an end. Whoever still holds the token may report on the job; a worker that was
//! thought dead and comes back finds its token gone and its report ignored. Times of leases are the database's own on
//! PostgreSQL, so that workers whose clocks differ agree on them.

use std::time::Duration;

use ibid_domain::{
    JobId, TenantId, Timestamp, UserId,
    job::{Job, JobChange, Progress},
};
use serde_json::Value as Json;
use uuid::Uuid;

use super::jobs::read_job;
use crate::{
    EngineKind, Error, Result, Scope, Tx,
    sql::{SqlValue, params},
};

/// The queue over all tenants, as a worker sees it.
pub struct Queue<'a> {
    tx: &'a mut Tx,
}

impl Tx {
    /// Returns the job queue of all tenants, for workers.
    pub fn queue(&mut self) -> Queue<'_> {
        Queue { tx: self }
    }
}

/// The right to work on a job, for a while.
#[derive(Clone, Copy, Debug)]
pub struct Lease {
    job: JobId,
    tenant: TenantId,
    token: Uuid,
}

/// A job that a worker has a lease on.
#[derive(Clone, Debug)]
pub struct LeasedJob {
    pub job: Job,
    /// Scope of the tenant and user the job runs for.
    pub scope: Scope,
    /// Lease that proves the worker may report on the job.
    pub lease: Lease,
}

/// Reason for which an attempt of a job failed.
#[derive(Clone, Debug)]
pub enum JobError {
    /// It failed; it may go better another time.
    Retry(String),
    /// It can never succeed; the job is dead at once.
    Permanent(String),
    /// Someone asked to wait, such as a provider with `Retry-After`. Uses up no attempt.
    Deferred(String, Duration),
}

impl From<Error> for JobError {
    fn from(error: Error) -> Self {
        Self::Retry(error.to_string())
    }
}

impl Queue<'_> {
    /// Takes up to `count` jobs that are due, or whose worker has not been heard of.
    pub async fn lease_jobs(&mut self, kinds: &[&str], count: u32, lease_for: Duration) -> Result<Vec<LeasedJob>> {
        if kinds.is_empty() || count == 0 {
            return Ok(vec![]);
        }
        let now = self.lease_clock_now().await?;
        self.mark_lost_jobs_dead(now).await?;
        let list = crate::sql::placeholder_list(6, kinds.len());
        // Two workers on PostgreSQL pass over the rows that the other is taking; on SQLite there is one writer.
        let skip = if self.tx.engine() == EngineKind::Postgres { "FOR UPDATE SKIP LOCKED" } else { "" };
        let sql = format!(
            "UPDATE jobs SET state = 'running', lease = $1, lease_until = $2, attempt = attempt + 1, updated_at = $3,
                 started_at = COALESCE(started_at, $3)
             WHERE id IN (
                 SELECT id FROM jobs
                 WHERE kind IN {list} AND ((state = 'queued' AND run_at <= $4) OR (state = 'running' AND lease_until <= $4))
                 ORDER BY priority, run_at, id LIMIT $5 {skip})
             RETURNING *"
        );
        let token = Uuid::new_v4();
        let mut values: Vec<SqlValue> = params![token, now.later_by(lease_for), self.tx.now(), now, i64::from(count)];
        values.extend(kinds.iter().map(|kind| (*kind).into()));
        let mut taken = Vec::new();
        for row in self.tx.rows_built(sql, values).await? {
            let (tenant, user): (TenantId, Option<UserId>) = (row.get("tenant_id")?, row.get("created_by")?);
            let job = read_job(&row)?;
            let lease = Lease { job: job.id, tenant, token };
            self.tx.record_job_change(tenant, job.id, JobChange::Started).await?;
            taken.push(LeasedJob { job, scope: Scope::of_job(tenant, user), lease });
        }
        taken.sort_by_key(|leased| (leased.job.run_at, leased.job.id));
        Ok(taken)
    }

    /// A job whose workers were killed as often as it may be tried is what killed them: it is dead, too.
    async fn mark_lost_jobs_dead(&mut self, now: Timestamp) -> Result<()> {
        let sql = "UPDATE jobs SET state = 'dead', lease = NULL, lease_until = NULL, updated_at = $2, finished_at = $2,
                       last_error = 'its worker was lost at each attempt'
                   WHERE state = 'running' AND lease_until <= $1 AND attempt >= max_attempts RETURNING *";
        let values = params![now, self.tx.now()];
        for row in self.tx.fetch_all(sql, values).await? {
            self.tx.record_job_change(row.get("tenant_id")?, row.get("id")?, JobChange::Dead).await?;
        }
        Ok(())
    }

    /// Says that the worker lives; `false` if the job is not its any more.
    pub async fn renew_lease(&mut self, lease: &Lease, lease_for: Duration) -> Result<bool> {
        let now = self.lease_clock_now().await?;
        let sql = "UPDATE jobs SET lease_until = $3 WHERE id = $1 AND lease = $2 AND state = 'running'";
        Ok(self.tx.execute(sql, params![lease.job, lease.token, now.later_by(lease_for)]).await? == 1)
    }

    /// Says how far the job has come; `false` if the job is not its any more.
    pub async fn report_progress(&mut self, lease: &Lease, progress: &Progress) -> Result<bool> {
        let json = serde_json::to_value(progress).map_err(|error| Error::Corrupt(error.to_string()))?;
        let sql = "UPDATE jobs SET progress = $3, updated_at = $4 WHERE id = $1 AND lease = $2 AND state = 'running'";
        let values = params![lease.job, lease.token, json, self.tx.now()];
        self.update_leased(sql, values, lease, JobChange::Progress).await
    }

    /// Ends the job well; `false` if the job is not its any more.
    pub async fn mark_succeeded(&mut self, lease: &Lease, result: Option<Json>) -> Result<bool> {
        let sql =
            "UPDATE jobs SET state = 'succeeded', lease = NULL, lease_until = NULL, result = $3, last_error = NULL,
                       updated_at = $4, finished_at = $4
                   WHERE id = $1 AND lease = $2 AND state = 'running'";
        let values = params![lease.job, lease.token, result, self.tx.now()];
        self.update_leased(sql, values, lease, JobChange::Succeeded).await
    }

    /// Ends an attempt that brought nothing: the job waits for another, or is dead.
    pub async fn record_failure(&mut self, leased: &LeasedJob, failure: &JobError) -> Result<bool> {
        let lease = &leased.lease;
        let dead = |reason: &str, now: Timestamp| {
            let sql =
                "UPDATE jobs SET state = 'dead', lease = NULL, lease_until = NULL, last_error = $3, updated_at = $4,
                           finished_at = $4
                       WHERE id = $1 AND lease = $2 AND state = 'running'";
            (sql, params![lease.job, lease.token, reason, now], JobChange::Dead)
        };
        let again = |reason: &str, attempts_back: i64, now: Timestamp, due: Timestamp| {
            // With a fresh key: one that was asked for meanwhile may wait beside it.
            let sql = "UPDATE jobs SET state = 'queued', lease = NULL, lease_until = NULL, last_error = $3,
                           attempt = attempt - $4, run_at = $5, updated_at = $6, dedupe_key = NULL
                       WHERE id = $1 AND lease = $2 AND state = 'running'";
            (sql, params![lease.job, lease.token, reason, attempts_back, due, now], JobChange::Retrying)
        };
        let (now, clock) = (self.tx.now(), self.lease_clock_now().await?);
        let (sql, values, change) = match failure {
            JobError::Permanent(reason) => dead(reason, now),
            JobError::Retry(reason) if leased.job.attempt >= leased.job.max_attempts => dead(reason, now),
            JobError::Retry(reason) => {
                again(reason, 0, now, clock.later_by(retry_delay(leased.job.attempt, lease.token)))
            }
            JobError::Deferred(reason, wait) => again(reason, 1, now, clock.later_by(*wait)),
        };
        self.update_leased(sql, values, lease, change).await
    }

    /// Gives a job back that was not finished, as at shutdown; it uses up no attempt.
    pub async fn give_back(&mut self, lease: &Lease) -> Result<bool> {
        let sql = "UPDATE jobs SET state = 'queued', lease = NULL, lease_until = NULL, attempt = attempt - 1, updated_at = $3,
                       dedupe_key = NULL
                   WHERE id = $1 AND lease = $2 AND state = 'running'";
        let values = params![lease.job, lease.token, self.tx.now()];
        self.update_leased(sql, values, lease, JobChange::Queued).await
    }

    async fn update_leased(
        &mut self,
        sql: &'static str,
        values: Vec<SqlValue>,
        lease: &Lease,
        change: JobChange,
    ) -> Result<bool> {
        let held = self.tx.execute(sql, values).await? == 1;
        if held {
            self.tx.record_job_change(lease.tenant, lease.job, change).await?;
        }
        Ok(held)
    }

    /// The time by which leases are measured.
    async fn lease_clock_now(&mut self) -> Result<Timestamp> {
        if self.tx.engine() == EngineKind::Postgres && matches!(self.tx.clock, crate::Clock::System) {
            let row = self.tx.fetch_optional("SELECT clock_timestamp() AS now", vec![]).await?;
            return row.ok_or_else(|| Error::Corrupt("PostgreSQL told no time".to_owned()))?.get("now");
        }
        Ok(self.tx.now())
    }
}

/// Returns the delay before the next attempt: 2 s, 8 s, 32 s …, up to an hour. Adds up to a quarter, so that jobs that
/// failed together do not retry together.
fn retry_delay(attempt: u32, token: Uuid) -> Duration {
    let base = Duration::from_secs(4_u64.saturating_pow(attempt.saturating_sub(1)).saturating_mul(2))
        .min(Duration::from_secs(3600));
    base + base.mul_f64(f64::from(token.as_bytes()[0]) / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_are_bounded() {
        let wait = |attempt, byte| retry_delay(attempt, Uuid::from_bytes([byte; 16])).as_secs_f64();
        assert_eq!((wait(1, 0), wait(2, 0), wait(3, 0), wait(50, 0)), (2.0, 8.0, 32.0, 3600.0));
        assert!(wait(1, 255) > 2.4 && wait(1, 255) < 2.5);
    }
}
