//! Jobs as those who ask for them see them. How workers take them is in `queue.rs`.

use std::collections::{HashMap, HashSet};

use ibid_domain::{
    Code, Cursor, JobId, Limit, Page, Problem, Timestamp,
    job::{Job, JobChange, JobState, MAX_ATTEMPTS},
};
use serde_json::Value as Json;

use crate::{
    Error, Result, Scope, Tx,
    sql::{SqlRow, params},
};

/// Access to the jobs of one tenant.
pub struct Jobs<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
}

impl Tx {
    /// The jobs that this scope may see.
    pub fn jobs<'a>(&'a mut self, scope: &'a Scope) -> Jobs<'a> {
        Jobs { tx: self, scope }
    }
}

/// Work to be done once the transaction that asks for it is committed.
#[derive(Clone, Debug)]
pub struct NewJob {
    /// Name of the handler that runs the job.
    pub kind: &'static str,
    /// Ids of the rows that the job works on.
    pub payload: Json,
    /// While a job of this kind with this key waits, asking again gives that one.
    pub dedupe_key: Option<String>,
    /// Rank in the queue; lower runs first, the default is 100.
    pub priority: i64,
    /// Not before, if not at once.
    pub run_at: Option<Timestamp>,
}

impl NewJob {
    /// A job to be done as soon as may be.
    pub fn new(kind: &'static str, payload: Json) -> Self {
        Self { kind, payload, dedupe_key: None, priority: 100, run_at: None }
    }

    /// Before or after others that wait; lower goes first, 100 is the middle.
    #[must_use]
    pub fn with_priority(mut self, priority: i64) -> Self {
        self.priority = priority;
        self
    }

    /// While one with this key waits, asking again gives that one.
    #[must_use]
    pub fn with_dedupe_key(mut self, key: impl Into<String>) -> Self {
        self.dedupe_key = Some(key.into());
        self
    }
}

/// Restricts a list of jobs; an unset field does not restrict.
#[derive(Clone, Debug, Default)]
pub struct JobFilter {
    pub state: Option<JobState>,
    pub kind: Option<String>,
}

impl Jobs<'_> {
    /// Asks for work, in the same transaction as the data it concerns.
    pub async fn enqueue(&mut self, new: NewJob) -> Result<Job> {
        let now = self.tx.now();
        let row = self
            .tx
            .fetch_optional(
                "INSERT INTO jobs (id, tenant_id, kind, payload, dedupe_key, state, priority, attempt, max_attempts,
                     created_by, run_at, created_at, updated_at)
                 VALUES ($1, $2, $3, $4, $5, 'queued', $6, 0, $7, $8, $9, $10, $10)
                 ON CONFLICT (tenant_id, kind, dedupe_key) WHERE dedupe_key IS NOT NULL AND state = 'queued' DO NOTHING
                 RETURNING *",
                params![
                    JobId::new(),
                    self.scope.tenant(),
                    new.kind,
                    new.payload,
                    new.dedupe_key.clone(),
                    new.priority,
                    i64::from(MAX_ATTEMPTS),
                    self.scope.user(),
                    new.run_at.unwrap_or(now),
                    now,
                ],
            )
            .await?;
        if let Some(row) = row {
            let job = read_job(&row)?;
            self.tx.record_job_change(self.scope.tenant(), job.id, JobChange::Queued).await?;
            return Ok(job);
        }
        let sql = "SELECT * FROM jobs WHERE tenant_id = $1 AND kind = $2 AND dedupe_key = $3 AND state = 'queued'";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), new.kind, new.dedupe_key]).await?;
        read_job(&row.ok_or_else(|| Error::Corrupt("a job that was just queued is gone".to_owned()))?)
    }

    /// Returns a job, if it exists.
    pub async fn get(&mut self, id: JobId) -> Result<Option<Job>> {
        let row = self
            .tx
            .fetch_optional("SELECT * FROM jobs WHERE tenant_id = $1 AND id = $2", params![self.scope.tenant(), id])
            .await?;
        row.as_ref().map(read_job).transpose()
    }

    /// The sources that jobs of these kinds wait for or work on, by the `source_id` of their payload.
    pub async fn live_sources(&mut self, kind: &str) -> Result<HashSet<String>> {
        let sql = "SELECT payload ->> 'source_id' AS source FROM jobs
                   WHERE tenant_id = $1 AND kind = $2 AND state IN ('queued', 'running')";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), kind]).await?;
        let sources: Vec<Option<String>> = rows.iter().map(|row| row.get("source")).collect::<Result<_>>()?;
        Ok(sources.into_iter().flatten().collect())
    }

    /// The sources whose job of this kind was given up, with the reason.
    pub async fn dead_sources(&mut self, kind: &str) -> Result<HashMap<String, String>> {
        let sql =
            "SELECT payload ->> 'source_id' AS source, COALESCE(last_error, 'no reason is known') AS reason FROM jobs
                   WHERE tenant_id = $1 AND kind = $2 AND state = 'dead' ORDER BY id";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), kind]).await?;
        let dead: Vec<(Option<String>, String)> =
            rows.iter().map(|row| Ok((row.get("source")?, row.get("reason")?))).collect::<Result<_>>()?;
        Ok(dead.into_iter().filter_map(|(source, reason)| Some((source?, reason))).collect())
    }

    /// Lists the jobs that a filter matches, newest first.
    pub async fn list(&mut self, filter: &JobFilter, limit: Limit, after: Option<&Cursor>) -> Result<Page<Job>> {
        let mut sql = "SELECT * FROM jobs WHERE tenant_id = $1".to_owned();
        let mut values = params![self.scope.tenant()];
        if let Some(state) = filter.state {
            values.push(state.as_str().into());
            sql += &format!(" AND state = ${}", values.len());
        }
        if let Some(kind) = &filter.kind {
            values.push(kind.as_str().into());
            sql += &format!(" AND kind = ${}", values.len());
        }
        if let Some(cursor) = after {
            let [id] = cursor.key_parts()?;
            let id: JobId = id.parse().map_err(|_| Cursor::invalid_cursor())?;
            values.push(id.into());
            sql += &format!(" AND id < ${}", values.len());
        }
        values.push(limit.probe_count().into());
        sql += &format!(" ORDER BY id DESC LIMIT ${}", values.len());
        let rows = self.tx.rows_built(sql, values).await?;
        let items = rows.iter().map(read_job).collect::<Result<_>>()?;
        Ok(Page::from_rows(items, limit, |last: &Job| vec![last.id.to_string()]))
    }

    /// Counts the jobs of the tenant by state.
    pub async fn count_by_state(&mut self) -> Result<Vec<(JobState, u64)>> {
        let sql = "SELECT state, COUNT(*) AS count FROM jobs WHERE tenant_id = $1 GROUP BY state";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant()]).await?;
        rows.iter().map(|row| Ok((row.parse("state")?, row.get("count")?))).collect()
    }

    /// Starts a dead or cancelled job over, with all its attempts.
    pub async fn retry(&mut self, id: JobId) -> Result<Job> {
        let now = self.tx.now();
        let row = self
            .tx
            .fetch_optional(
                "UPDATE jobs SET state = 'queued', attempt = 0, run_at = $3, updated_at = $3, finished_at = NULL,
                     progress = NULL, dedupe_key = NULL
                 WHERE tenant_id = $1 AND id = $2 AND state IN ('dead', 'cancelled') RETURNING *",
                params![self.scope.tenant(), id, now],
            )
            .await?;
        self.record_or_refuse(id, row, JobChange::Queued, |job| {
            Problem::new(
                Code::JobNotDead,
                format!("the job is {}; only a dead or cancelled one can be retried", job.state.as_str()),
            )
        })
        .await
    }

    /// Takes a job back. A worker that holds it finds its lease gone and stops.
    pub async fn cancel(&mut self, id: JobId) -> Result<Job> {
        let now = self.tx.now();
        let row = self
            .tx
            .fetch_optional(
                "UPDATE jobs SET state = 'cancelled', lease = NULL, lease_until = NULL, updated_at = $3, finished_at = $3
                 WHERE tenant_id = $1 AND id = $2 AND state IN ('queued', 'running') RETURNING *",
                params![self.scope.tenant(), id, now],
            )
            .await?;
        self.record_or_refuse(id, row, JobChange::Cancelled, |job| {
            Problem::new(Code::JobFinished, format!("the job is {} already", job.state.as_str()))
        })
        .await
    }

    async fn record_or_refuse(
        &mut self,
        id: JobId,
        row: Option<SqlRow>,
        change: JobChange,
        refused: impl FnOnce(&Job) -> Problem,
    ) -> Result<Job> {
        match row {
            Some(row) => {
                self.tx.record_job_change(self.scope.tenant(), id, change).await?;
                read_job(&row)
            }
            None => Err(match self.get(id).await? {
                Some(job) => refused(&job),
                None => Problem::new(Code::JobNotFound, format!("there is no job {id}")),
            }
            .into()),
        }
    }
}

impl Tx {
    /// Counts the jobs of all tenants by state.
    pub async fn count_jobs(&mut self) -> Result<Vec<(JobState, u64)>> {
        let rows = self.fetch_all("SELECT state, COUNT(*) AS count FROM jobs GROUP BY state", vec![]).await?;
        rows.iter().map(|row| Ok((row.parse("state")?, row.get("count")?))).collect()
    }

    /// Forgets jobs that ended well or were taken back before `cutoff`, with their events. The dead are kept.
    pub async fn forget_finished_jobs(&mut self, cutoff: Timestamp) -> Result<u64> {
        let sql = "DELETE FROM jobs WHERE finished_at < $1 AND state IN ('succeeded', 'cancelled')";
        self.execute(sql, params![cutoff]).await
    }
}

pub(super) fn read_job(row: &SqlRow) -> Result<Job> {
    let progress: Option<Json> = row.get("progress")?;
    Ok(Job {
        id: row.get("id")?,
        kind: row.get("kind")?,
        payload: row.get("payload")?,
        state: row.parse("state")?,
        progress: progress
            .map(serde_json::from_value)
            .transpose()
            .map_err(|error| Error::Corrupt(error.to_string()))?,
        result: row.get("result")?,
        attempt: saturating_u32(row.get("attempt")?),
        max_attempts: saturating_u32(row.get("max_attempts")?),
        last_error: row.get("last_error")?,
        created_by: row.get("created_by")?,
        run_at: row.get("run_at")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
        started_at: row.get("started_at")?,
        finished_at: row.get("finished_at")?,
    })
}

fn saturating_u32(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
