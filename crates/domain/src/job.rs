//! Durable units of background work.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Code, JobId, Problem, Timestamp, UserId, problem::shorten_for_error};

/// Number of attempts before a job is dead.
pub const MAX_ATTEMPTS: u32 = 3;

/// A job and how far it has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    pub id: JobId,
    /// Name of the handler that runs the job, such as `ingest`.
    pub kind: String,
    /// Ids of what it is about, never the data itself.
    pub payload: Value,
    pub state: JobState,
    /// Last reported progress; `None` before the first report.
    pub progress: Option<Progress>,
    /// Result of the handler; `None` until the job has succeeded.
    pub result: Option<Value>,
    /// Number of attempts started so far.
    pub attempt: u32,
    /// Number of attempts before the job is dead.
    pub max_attempts: u32,
    /// Why the last attempt failed or was put off.
    pub last_error: Option<String>,
    /// User who asked for the job; `None` for the system.
    pub created_by: Option<UserId>,
    /// Earliest time of the next attempt.
    pub run_at: Timestamp,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Start of the first attempt; `None` if no worker took it yet.
    pub started_at: Option<Timestamp>,
    /// Time at which it succeeded, died or was cancelled.
    pub finished_at: Option<Timestamp>,
}

/// State of a job in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobState {
    /// Waiting for a worker, or for its time.
    Queued,
    /// A worker has a lease on it.
    Running,
    Succeeded,
    /// Given up after its attempts; the reason is kept and it can be retried.
    Dead,
    /// Taken back before it was done.
    Cancelled,
}

impl JobState {
    /// All states, in the order of the lifecycle.
    pub const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Succeeded, Self::Dead, Self::Cancelled];

    /// Returns the name used on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Dead => "dead",
            Self::Cancelled => "cancelled",
        }
    }
}

impl FromStr for JobState {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or_else(|| {
            let legal: Vec<_> = Self::ALL.iter().map(|state| state.as_str()).collect();
            Problem::new(
                Code::InvalidQuery,
                format!("'{}' is not a job state; it is one of {}", shorten_for_error(text), legal.join(", ")),
            )
            .with_field("state")
        })
    }
}

/// Kind of change of a job, as sent to watchers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobChange {
    /// It was asked for, or asked for again.
    Queued,
    /// A worker started an attempt.
    Started,
    /// The handler reported progress.
    Progress,
    /// An attempt failed or was put off; another follows.
    Retrying,
    Succeeded,
    /// It failed for good; a user can retry it.
    Dead,
    Cancelled,
}

impl JobChange {
    /// All kinds of change, in the order of the lifecycle.
    pub const ALL: [Self; 7] =
        [Self::Queued, Self::Started, Self::Progress, Self::Retrying, Self::Succeeded, Self::Dead, Self::Cancelled];

    /// Returns the name used on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Started => "started",
            Self::Progress => "progress",
            Self::Retrying => "retrying",
            Self::Succeeded => "succeeded",
            Self::Dead => "dead",
            Self::Cancelled => "cancelled",
        }
    }
}

impl FromStr for JobChange {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|change| change.as_str() == text).ok_or(())
    }
}

/// Progress of a job, as its handler last reported it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Number of units that are done.
    pub done: u64,
    /// Of how much, if that is known.
    pub total: Option<u64>,
    /// Short description of the current step, for people.
    pub message: Option<String>,
}
