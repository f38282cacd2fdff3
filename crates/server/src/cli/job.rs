//! `ibid job`

use clap::Subcommand;
use ibid_domain::{JobId, job::JobState};
use serde_json::Value as Json;

use super::{
    CommandResult, Output,
    api::Api,
    output::{number, print_fields, print_table, text},
};

#[derive(Subcommand)]
pub(super) enum JobCommand {
    /// List background jobs, newest first
    List {
        /// Only those in this state: queued, running, succeeded, dead or cancelled
        #[arg(long)]
        state: Option<JobState>,
        /// Maximum number of jobs to list
        #[arg(long, default_value = "50")]
        limit: usize,
    },
    /// Show the state of a background job
    Show {
        /// Id of the job, as `ibid job list` prints it
        id: JobId,
    },
    /// Start a dead or cancelled job again
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

pub(super) async fn run(command: JobCommand, api: &Api, output: &Output) -> CommandResult {
    let job = match command {
        JobCommand::List { state, limit } => {
            let query: Vec<_> = state.map(|state| ("state", state.as_str().to_owned())).into_iter().collect();
            let jobs = api.list("/api/v1/jobs", &query, limit).await?;
            let row = |job: &Json| {
                let attempts = format!("{}/{}", number(job, "attempt"), number(job, "max_attempts"));
                let [id, kind, state, error] = ["id", "kind", "state", "last_error"].map(|field| text(job, field));
                vec![id.to_owned(), kind.to_owned(), state.to_owned(), attempts, error.to_owned()]
            };
            output.print_value(&jobs, || print_table(&jobs.iter().map(row).collect::<Vec<_>>()))?;
            return Ok(true);
        }
        JobCommand::Show { id } => api.get(format!("/api/v1/jobs/{id}")).json().await?,
        JobCommand::Retry { id } => api.post(format!("/api/v1/jobs/{id}/retry")).json().await?,
        JobCommand::Cancel { id } => api.post(format!("/api/v1/jobs/{id}/cancel")).json().await?,
    };
    output.print_value(&job, || {
        print_fields(&[
            ("job", text(&job, "id").to_owned()),
            ("kind", text(&job, "kind").to_owned()),
            ("state", text(&job, "state").to_owned()),
            ("attempt", format!("{} of {}", number(&job, "attempt"), number(&job, "max_attempts"))),
            ("created", text(&job, "created_at").to_owned()),
            ("error", text(&job, "last_error").to_owned()),
            ("result", job["result"].as_object().map(|_| job["result"].to_string()).unwrap_or_default()),
        ]);
    })?;
    Ok(true)
}
