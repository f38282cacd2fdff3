//! What happened to jobs, for those who watch.
//!
//! On PostgreSQL two transactions may commit in another order than they took their sequence numbers, so a reader that
//! remembered only the last number could miss one. Events are therefore read in the order of their transactions, and
//! only those of which no older transaction is still open.

use ibid_domain::{
    JobId, TenantId, Timestamp,
    job::{Job, JobChange},
};

use super::jobs;
use crate::{EngineKind, Error, Result, Scope, Tx, sql::params};

/// Numbers of events that are left out when a SQLite library is opened: more than jobs can write between two commits
/// that wait for the disk, and few enough to open it a billion times.
const LOST_EVENTS: i64 = 1 << 20;

/// One change of a job, with the job as it is now.
#[derive(Clone, Debug)]
pub struct JobEvent {
    /// Position in the stream, to resume from.
    pub cursor: JobEventCursor,
    pub change: JobChange,
    /// The job in its current state, not as of the event.
    pub job: Job,
    pub at: Timestamp,
}

/// A place in the stream of changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobEventCursor {
    writer: i64,
    seq: i64,
}

impl std::fmt::Display for JobEventCursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.writer, self.seq)
    }
}

impl std::str::FromStr for JobEventCursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (writer, seq) = text.split_once('-').ok_or(())?;
        Ok(Self { writer: writer.parse().map_err(drop)?, seq: seq.parse().map_err(drop)? })
    }
}

impl Tx {
    /// Writes down that a job changed and tells those who wait.
    pub(super) async fn record_job_change(&mut self, tenant: TenantId, job: JobId, change: JobChange) -> Result<()> {
        let now = self.now();
        self.execute(
            "INSERT INTO job_events (tenant_id, job_id, change, created_at) VALUES ($1, $2, $3, $4)",
            params![tenant, job, change.as_str(), now],
        )
        .await?;
        self.signal_jobs_changed().await
    }

    /// Leaves numbers out that events before a power cut may have had. Somebody may have read those events and go on
    /// after them, and must not miss what happens now because it has the same numbers.
    pub(crate) async fn skip_lost_job_events(&mut self) -> Result<()> {
        if self.engine() == EngineKind::Postgres {
            return Ok(());
        }
        let sql = "UPDATE sqlite_sequence SET seq = seq + $1 WHERE name = 'job_events'";
        self.execute(sql, params![LOST_EVENTS]).await?;
        Ok(())
    }

    /// Changes after a place in the stream, oldest first.
    pub async fn job_events_after(
        &mut self,
        scope: &Scope,
        after: JobEventCursor,
        count: i64,
    ) -> Result<Vec<JobEvent>> {
        let settled = match self.engine() {
            EngineKind::Sqlite => "",
            EngineKind::Postgres => "AND e.writer < pg_snapshot_xmin(pg_current_snapshot())::text::bigint",
        };
        let sql = format!(
            "SELECT j.*, e.writer, e.seq, e.change, e.created_at AS happened_at
             FROM job_events e JOIN jobs j ON j.id = e.job_id
             WHERE e.tenant_id = $1 AND (e.writer, e.seq) > ($2, $3) {settled}
             ORDER BY e.writer, e.seq LIMIT $4"
        );
        let rows = self.rows_built(sql, params![scope.tenant(), after.writer, after.seq, count]).await?;
        rows.iter()
            .map(|row| {
                let change: String = row.get("change")?;
                Ok(JobEvent {
                    cursor: JobEventCursor { writer: row.get("writer")?, seq: row.get("seq")? },
                    change: change.parse().map_err(|()| Error::Corrupt(format!("change = '{change}'")))?,
                    job: jobs::read_job(row)?,
                    at: row.get("happened_at")?,
                })
            })
            .collect()
    }

    /// The place in the stream after everything that has happened, for one who wants only what is to come.
    pub async fn last_job_event(&mut self, scope: &Scope) -> Result<JobEventCursor> {
        let settled = match self.engine() {
            EngineKind::Sqlite => "",
            EngineKind::Postgres => "AND writer < pg_snapshot_xmin(pg_current_snapshot())::text::bigint",
        };
        let sql = format!(
            "SELECT writer, seq FROM job_events WHERE tenant_id = $1 {settled} ORDER BY writer DESC, seq DESC LIMIT 1"
        );
        let rows = self.rows_built(sql, params![scope.tenant()]).await?;
        match rows.first() {
            Some(row) => Ok(JobEventCursor { writer: row.get("writer")?, seq: row.get("seq")? }),
            None => Ok(JobEventCursor::default()),
        }
    }

    /// Forgets what happened before `cutoff`.
    pub async fn forget_job_events(&mut self, cutoff: Timestamp) -> Result<u64> {
        self.execute("DELETE FROM job_events WHERE created_at < $1", params![cutoff]).await
    }
}
