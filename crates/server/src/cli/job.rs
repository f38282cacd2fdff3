//! `ibid job`

use clap::Subcommand;
use ibid_domain::{
    JobId, Limit,
    job::{Job, JobState},
};
use ibid_store::JobFilter;

use super::{
    Library, Outcome, Output,
    output::{fields, table},
};
use crate::http::wire;

#[derive(Subcommand)]
pub(super) enum Command {
    /// List jobs, newest first
    List {
        /// Only those in this state: queued, running, succeeded, dead or cancelled
        #[arg(long)]
        state: Option<JobState>,
        /// How many
        #[arg(long, default_value = "50")]
        limit: i64,
    },
    /// Show a job
    Show {
        /// Its id
        id: JobId,
    },
    /// Start a dead or cancelled job over
    Retry {
        /// Its id
        id: JobId,
    },
    /// Take a job back
    Cancel {
        /// Its id
        id: JobId,
    },
}

pub(super) async fn run(command: Command, library: &Library, output: &Output) -> Outcome {
    let (app, scope) = (&library.app, &library.scope);
    match command {
        Command::List { state, limit } => {
            let page = app.jobs(scope, &JobFilter { state, kind: None }, Limit::new(limit)?, None).await?;
            let json: Vec<_> = page.items.iter().cloned().map(wire::Job::from).collect();
            output.show(&json, || {
                let row = |job: &Job| {
                    let attempts = format!("{}/{}", job.attempt, job.max_attempts);
                    let state = job.state.as_str().to_owned();
                    vec![
                        job.id.to_string(),
                        job.kind.clone(),
                        state,
                        attempts,
                        job.last_error.clone().unwrap_or_default(),
                    ]
                };
                table(&page.items.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        Command::Show { id } => show(app.job(scope, id).await?, output)?,
        Command::Retry { id } => show(app.retry_job(scope, id).await?, output)?,
        Command::Cancel { id } => show(app.cancel_job(scope, id).await?, output)?,
    }
    Ok(true)
}

fn show(job: Job, output: &Output) -> Result<(), serde_json::Error> {
    output.show(&wire::Job::from(job.clone()), || {
        fields(&[
            ("job", job.id.to_string()),
            ("kind", job.kind.clone()),
            ("state", job.state.as_str().to_owned()),
            ("attempt", format!("{} of {}", job.attempt, job.max_attempts)),
            ("asked for", job.created_at.to_string()),
            ("error", job.last_error.clone().unwrap_or_default()),
            ("result", job.result.as_ref().map(ToString::to_string).unwrap_or_default()),
        ]);
    })
}
