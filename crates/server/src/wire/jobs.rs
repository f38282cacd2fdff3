//! Background jobs and their changes.

use ibid_domain::{Timestamp, job};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;
use uuid::Uuid;

use super::values::{JobChange, JobKind, JobState};

/// Progress that a running job reports.
#[derive(Serialize, ToSchema)]
#[schema(as = JobProgress)]
pub(crate) struct JobProgress {
    /// Number of units that are done, out of `total` if that is known.
    done: u64,
    /// Of how much, if that is known.
    #[schema(required)]
    total: Option<u64>,
    /// Current step of the job, for people.
    #[schema(required)]
    message: Option<String>,
}

/// A durable unit of background work.
#[derive(Serialize, ToSchema)]
pub(crate) struct Job {
    /// Id of the job, a UUID.
    id: Uuid,
    /// Kind of the job, such as `ingest`; it selects the handler.
    #[schema(value_type = JobKind)]
    kind: String,
    /// State of the job; it ends as succeeded, dead or cancelled.
    state: JobState,
    /// Arguments of the job, mostly ids.
    #[schema(value_type = HashMap<String, serde_json::Value>)]
    payload: Json,
    /// Progress of the job; null if it reports none.
    #[schema(required)]
    progress: Option<JobProgress>,
    /// Result of the job; null until it succeeds.
    #[schema(required, value_type = Option<HashMap<String, serde_json::Value>>)]
    result: Option<Json>,
    /// Number of attempts made so far.
    attempt: u32,
    /// Maximum number of attempts before the job is dead.
    max_attempts: u32,
    /// Why the last attempt failed or was put off.
    #[schema(required)]
    last_error: Option<String>,
    /// Earliest start of the next attempt.
    #[schema(value_type = String, format = DateTime)]
    run_at: Timestamp,
    /// Time at which the job was queued.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Time of the last change to the job.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
    /// Start of the first attempt; null if there was none.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    started_at: Option<Timestamp>,
    /// Time at which the job ended; null until then.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    finished_at: Option<Timestamp>,
}

impl From<job::Job> for Job {
    fn from(job: job::Job) -> Self {
        let progress = job.progress.map(|progress| JobProgress {
            done: progress.done,
            total: progress.total,
            message: progress.message,
        });
        Self {
            id: job.id.uuid(),
            kind: job.kind,
            state: job.state.into(),
            payload: job.payload,
            progress,
            result: job.result,
            attempt: job.attempt,
            max_attempts: job.max_attempts,
            last_error: job.last_error,
            run_at: job.run_at,
            created_at: job.created_at,
            updated_at: job.updated_at,
            started_at: job.started_at,
            finished_at: job.finished_at,
        }
    }
}

/// A change of a job, as the stream of events tells it.
#[derive(Serialize, ToSchema)]
pub(crate) struct JobEvent {
    /// Kind of change that happened to the job.
    change: JobChange,
    /// State of the job after the change.
    job: Job,
    /// Time at which the change happened.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
}

impl From<ibid_store::JobEvent> for JobEvent {
    fn from(event: ibid_store::JobEvent) -> Self {
        Self { change: event.change.into(), job: event.job.into(), at: event.at }
    }
}
