//! `ibid job`

use clap::Subcommand;
use ibid_domain::{
    JobId, Limit,
    job::{Job, JobState},
};
use ibid_store::JobFilter;

use super::{
    CommandResult, LocalLibrary, Output,
    output::{print_fields, print_table},
};
use crate::wire;

#[derive(Subcommand)]
pub(super) enum JobCommand {
    /// List background jobs, newest first
    List {
        /// Only those in this state: queued, running, succeeded, dead or cancelled
        #[arg(long)]
        state: Option<JobState>,
        /// Maximum number of jobs to list
        #[arg(long, default_value = "50")]
        limit: i64,
    },
    /// Show the state of a background job
    Show {
        /// Id of the job, as `ibid job list` prints it
        id: JobId,
    },
    /// Start a dead or cancelled job over
    Retry {
        /// Id of the job, as `ibid job list` prints it
        id: JobId,
    },
    /// Cancel a job that is queued or running
    Cancel {
        /// Id of the job, as `ibid job list` prints it
        id: JobId,
    },
}

pub(super) async fn run(command: JobCommand, library: &LocalLibrary, output: &Output) -> CommandResult {
    let (app, scope) = (&library.app, &library.scope);
    match command {
        JobCommand::List { state, limit } => {
            let page = app.jobs(scope).list(&JobFilter { state, kind: None }, Limit::new(limit)?, None).await?;
            let json: Vec<_> = page.items.iter().cloned().map(wire::Job::from).collect();
            output.print_value(&json, || {
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
                print_table(&page.items.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        JobCommand::Show { id } => print_job(app.jobs(scope).get(id).await?, output)?,
        JobCommand::Retry { id } => print_job(app.jobs(scope).retry(id).await?, output)?,
        JobCommand::Cancel { id } => print_job(app.jobs(scope).cancel(id).await?, output)?,
    }
    Ok(true)
}

fn print_job(job: Job, output: &Output) -> Result<(), serde_json::Error> {
    output.print_value(&wire::Job::from(job.clone()), || {
        print_fields(&[
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
