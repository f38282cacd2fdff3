//! The tool about background work: `job_status`.

use ibid_domain::{Limit, job, job::JobState};
use ibid_store::JobFilter;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Mcp, tool_answer::ToolAnswer, tool_table::ToolArguments};
use crate::{http::jobs::job_id, wire::Job};

/// Arguments of the tool `job_status`.
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

/// State of the background jobs.
#[derive(Serialize, ToSchema)]
pub(super) struct JobReport {
    /// The jobs that were asked for, newest first.
    jobs: Vec<Job>,
    /// Number of jobs in each state, regardless of the filter.
    counts: JobCounts,
}

/// Number of jobs in each state.
#[derive(Default, Serialize, ToSchema)]
pub(super) struct JobCounts {
    /// Number of jobs that wait for a worker.
    queued: u64,
    /// Number of jobs that a worker runs now.
    running: u64,
    /// Number of jobs that ended without an error.
    succeeded: u64,
    /// Given up after several attempts.
    dead: u64,
    /// Number of jobs that a user cancelled.
    cancelled: u64,
}

/// Runs the tool `job_status`: returns jobs and their counts.
pub(super) async fn job_status(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let query: JobQuery = arguments.parse_into()?;
    let jobs = match &query.id {
        Some(id) => vec![mcp.app.jobs(&mcp.scope).get(job_id(id)?).await?],
        None => {
            let filter = JobFilter { state: query.state.as_deref().map(str::parse).transpose()?, kind: None };
            let limit = Limit::new(query.limit.unwrap_or(10)).map_err(|problem| problem.with_field("limit"))?;
            mcp.app.jobs(&mcp.scope).list(&filter, limit, None).await?.items
        }
    };
    let mut counts = JobCounts::default();
    for (state, count) in mcp.app.jobs(&mcp.scope).count().await? {
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
    ToolAnswer::new(&JobReport { jobs: jobs.into_iter().map(Job::from).collect(), counts }, text)
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
