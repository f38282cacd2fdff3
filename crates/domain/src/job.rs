//! Durable units of background work.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Code, JobId, Problem, Timestamp, UserId, problem::shown};

/// How often a job is tried before it is dead.
pub const MAX_ATTEMPTS: u32 = 3;

/// A job and how far it has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// Which handler does it.
    pub kind: String,
    /// Ids of what it is about, never the data itself.
    pub payload: Value,
    /// Where it stands.
    pub state: JobState,
    /// How far it has come.
    pub progress: Option<Progress>,
    /// What it brought, once it has succeeded.
    pub result: Option<Value>,
    /// How many attempts were used.
    pub attempt: u32,
    /// How many there are.
    pub max_attempts: u32,
    /// Why the last attempt failed or was put off.
    pub last_error: Option<String>,
    /// Who asked for it.
    pub created_by: Option<UserId>,
    /// Not to be started before.
    pub run_at: Timestamp,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it was first started.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobState {
    /// Waiting for a worker, or for its time.
    Queued,
    /// A worker holds it.
    Running,
    /// Done.
    Succeeded,
    /// Given up after its attempts; the reason is kept and it can be retried.
    Dead,
    /// Taken back before it was done.
    Cancelled,
}

impl JobState {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Succeeded, Self::Dead, Self::Cancelled];

    /// The name on the wire.
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
                format!("'{}' is not a job state; it is one of {}", shown(text), legal.join(", ")),
            )
            .field("state")
        })
    }
}

/// What happened to a job, as told to those who watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobChange {
    /// It was asked for, or asked for again.
    Queued,
    /// A worker took it.
    Started,
    /// It came further.
    Progress,
    /// An attempt failed or was put off; another follows.
    Retrying,
    /// It is done.
    Succeeded,
    /// It was given up.
    Dead,
    /// It was taken back.
    Cancelled,
}

impl JobChange {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Queued, Self::Started, Self::Progress, Self::Retrying, Self::Succeeded, Self::Dead, Self::Cancelled];

    /// The name on the wire.
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

/// How far a job has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// How much is done.
    pub done: u64,
    /// Of how much, if that is known.
    pub total: Option<u64>,
    /// What is being done, in a few words.
    pub message: Option<String>,
}
