//! Asking for background work and looking at it; the handlers that come with the substrate.

use std::{str::FromStr, time::Duration};

use ibid_domain::{
    Code, Cursor, JobId, Limit, Page, Problem, SourceId,
    job::{Job, JobState},
    problem::shorten_for_error,
};
use ibid_store::{JobEvent, JobEventCursor, JobFilter};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    GcOptions, Result,
    background_jobs::{BackgroundJob, JobOutcome},
    knowledge::{extraction::ExtractEventsJob, graph::GraphUpsertJob},
    services::JobService,
    worker::JobContext,
};

/// The kinds of work that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobKind {
    /// Removes what nothing reaches.
    Gc,
    /// Checks the integrity of all data of a tenant.
    Fsck,
    /// Reads sources for what they tell.
    ExtractEvents,
    /// Brings the graph up to what is known.
    GraphUpsert,
}

impl JobKind {
    /// Those that can be asked for by name.
    pub const ALL: [Self; 4] = [Self::Gc, Self::Fsck, Self::ExtractEvents, Self::GraphUpsert];

    /// The name on the wire and in the queue.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gc => "gc",
            Self::Fsck => "fsck",
            Self::ExtractEvents => ExtractEventsJob::KIND,
            Self::GraphUpsert => GraphUpsertJob::KIND,
        }
    }
}

impl FromStr for JobKind {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or_else(|| {
            let legal: Vec<_> = Self::ALL.iter().map(|kind| kind.as_str()).collect();
            let detail = format!(
                "'{}' is not a job that can be asked for; there are {}",
                shorten_for_error(text),
                legal.join(", ")
            );
            Problem::new(Code::JobKindUnknown, detail).with_field("kind")
        })
    }
}

/// Work that someone asks for by name.
#[derive(Clone, Copy, Debug)]
pub enum JobRequest {
    /// A garbage collection with these options.
    Gc(GcOptions),
    /// An integrity check of all data.
    Fsck,
    /// Another reading of one source, whether or not it was read before, or of all that this extractor has not read.
    ExtractEvents(Option<SourceId>),
    /// The graph of one source made again, or all of it.
    GraphUpsert(Option<SourceId>),
}

impl JobService<'_> {
    /// Asks for work. While the same work waits, asking again gives that.
    pub async fn request(self, request: JobRequest) -> Result<Job> {
        let new = match request {
            JobRequest::Gc(GcOptions { apply, grace }) => GcJob { apply, grace_seconds: grace.as_secs() }.to_new_job(),
            JobRequest::Fsck => FsckJob {}.to_new_job(),
            JobRequest::ExtractEvents(Some(id)) => {
                self.app.sources(self.scope).get(id).await?;
                ExtractEventsJob { source_id: Some(id), again: true }.to_new_job()
            }
            JobRequest::ExtractEvents(None) => ExtractEventsJob { source_id: None, again: false }.to_new_job(),
            JobRequest::GraphUpsert(source_id) => GraphUpsertJob { source_id, purge: true }.to_new_job(),
        };
        let mut tx = self.app.store.write().await?;
        let job = tx.jobs(self.scope).enqueue(new).await?;
        tx.commit().await?;
        Ok(job)
    }

    /// Returns a job, or a not-found problem.
    pub async fn get(self, id: JobId) -> Result<Job> {
        let job = self.app.store.read().await?.jobs(self.scope).get(id).await?;
        job.ok_or_else(|| Problem::new(Code::JobNotFound, format!("there is no job {id}")).into())
    }

    /// Lists jobs, newest first, one page at a time.
    pub async fn list(self, filter: &JobFilter, limit: Limit, after: Option<&Cursor>) -> Result<Page<Job>> {
        Ok(self.app.store.read().await?.jobs(self.scope).list(filter, limit, after).await?)
    }

    /// Counts the jobs in each state.
    pub async fn count(self) -> Result<Vec<(JobState, u64)>> {
        Ok(self.app.store.read().await?.jobs(self.scope).count_by_state().await?)
    }

    /// Starts a dead or cancelled job over.
    pub async fn retry(self, id: JobId) -> Result<Job> {
        let mut tx = self.app.store.write().await?;
        let job = tx.jobs(self.scope).retry(id).await?;
        tx.commit().await?;
        Ok(job)
    }

    /// Cancels a job that has not ended.
    pub async fn cancel(self, id: JobId) -> Result<Job> {
        let mut tx = self.app.store.write().await?;
        let job = tx.jobs(self.scope).cancel(id).await?;
        tx.commit().await?;
        Ok(job)
    }

    /// Returns the job events after a position in the event stream.
    pub async fn events(self, after: JobEventCursor) -> Result<Vec<JobEvent>> {
        Ok(self.app.store.read().await?.job_events_after(self.scope, after, 500).await?)
    }

    /// The end of the stream of what happened to jobs.
    pub async fn last_event(self) -> Result<JobEventCursor> {
        Ok(self.app.store.read().await?.last_job_event(self.scope).await?)
    }
}

/// Collects garbage, or says what it would remove.
#[derive(Serialize, Deserialize)]
pub(crate) struct GcJob {
    apply: bool,
    grace_seconds: u64,
}

impl BackgroundJob for GcJob {
    const KIND: &'static str = JobKind::Gc.as_str();

    fn key(&self) -> String {
        json!(self).to_string()
    }

    async fn run(self, context: &JobContext) -> JobOutcome {
        let options = GcOptions { apply: self.apply, grace: Duration::from_secs(self.grace_seconds) };
        let report = context.app.maintenance(&context.scope).collect_garbage(options, &context.progress).await?;
        Ok(Some(json!(report)))
    }
}

/// Checks all data of a tenant.
#[derive(Serialize, Deserialize)]
pub(crate) struct FsckJob {}

impl BackgroundJob for FsckJob {
    const KIND: &'static str = JobKind::Fsck.as_str();

    fn key(&self) -> String {
        "all".to_owned()
    }

    async fn run(self, context: &JobContext) -> JobOutcome {
        let mut report = context.app.maintenance(&context.scope).check_integrity(&context.progress).await?;
        report.findings.extend(context.app.check_database().await?);
        Ok(Some(json!(report)))
    }
}
