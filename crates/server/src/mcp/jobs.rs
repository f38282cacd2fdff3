//! The tool about background work: `job_status`.

use ibid_domain::{Limit, job, job::JobState};
use ibid_store::JobFilter;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Mcp, answer::Answer, table::Arguments};
use crate::http::{jobs::job_id, wire::Job};

/// Which jobs to look at.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct JobQuery {
    /// One job, by its id. By default the most recent ones.
    id: Option<String>,
    /// Only those in this state: queued, running, succeeded, dead or cancelled.
    state: Option<String>,
    /// At most so many, 1 to 500. By default 10.
    limit: Option<i64>,
}

/// How background work is doing.
#[derive(Serialize, ToSchema)]
pub(super) struct JobReport {
    /// The jobs that were asked for, newest first.
    jobs: Vec<Job>,
    /// How many jobs are in each state, whatever was asked for.
    counts: JobCounts,
}

/// How many jobs are in each state.
#[derive(Default, Serialize, ToSchema)]
pub(super) struct JobCounts {
    /// Waiting.
    queued: u64,
    /// Being done.
    running: u64,
    /// Done.
    succeeded: u64,
    /// Given up after several attempts.
    dead: u64,
    /// Taken back.
    cancelled: u64,
}

/// Looks at jobs.
pub(super) async fn status(mcp: &Mcp, arguments: Arguments) -> ibid_app::Result<Answer> {
    let query: JobQuery = arguments.read()?;
    let jobs = match &query.id {
        Some(id) => vec![mcp.app.job(&mcp.scope, job_id(id)?).await?],
        None => {
            let filter = JobFilter { state: query.state.as_deref().map(str::parse).transpose()?, kind: None };
            let limit = Limit::new(query.limit.unwrap_or(10)).map_err(|problem| problem.field("limit"))?;
            mcp.app.jobs(&mcp.scope, &filter, limit, None).await?.items
        }
    };
    let mut counts = JobCounts::default();
    for (state, count) in mcp.app.count_jobs(&mcp.scope).await? {
        let place = match state {
            JobState::Queued => &mut counts.queued,
            JobState::Running => &mut counts.running,
            JobState::Succeeded => &mut counts.succeeded,
            JobState::Dead => &mut counts.dead,
            JobState::Cancelled => &mut counts.cancelled,
        };
        *place = count;
    }
    let mut text = format!(
        "{} waiting, {} running, {} done, {} given up, {} cancelled.",
        counts.queued, counts.running, counts.succeeded, counts.dead, counts.cancelled
    );
    jobs.iter().for_each(|job| text.push_str(&as_text(job)));
    Answer::new(&JobReport { jobs: jobs.into_iter().map(Job::from).collect(), counts }, text)
}

fn as_text(job: &job::Job) -> String {
    let mut text = format!("\n{} {}: {}", job.kind, job.id, job.state.as_str());
    if let Some(source) = job.payload.get("source_id").and_then(serde_json::Value::as_str) {
        text.push_str(&format!(", source {source}"));
    }
    if let Some(message) = job.progress.as_ref().and_then(|progress| progress.message.as_deref()) {
        text.push_str(&format!(", {message}"));
    }
    if let Some(error) = &job.last_error {
        text.push_str(&format!(" (attempt {} of {}: {error})", job.attempt, job.max_attempts));
    }
    text
}
