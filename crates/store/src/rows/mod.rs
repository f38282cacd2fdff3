//! The aggregates: one file each, every statement in one place.

pub(crate) mod artifacts;
pub(crate) mod change_log;
pub(crate) mod citations;
pub(crate) mod conversations;
pub(crate) mod documents;
pub(crate) mod idempotency;
pub(crate) mod job_events;
pub(crate) mod jobs;
pub(crate) mod knowledge;
pub(crate) mod manifests;
pub(crate) mod passages;
pub(crate) mod pointers;
pub(crate) mod queue;
pub(crate) mod revisions;
pub(crate) mod runs;
pub(crate) mod search;
pub(crate) mod settings;
pub(crate) mod sources;
pub(crate) mod vectors;

use serde::Serialize;

/// A value of ours as JSON for a column.
fn to_json_value(value: &impl Serialize) -> crate::Result<serde_json::Value> {
    serde_json::to_value(value).map_err(|error| crate::Error::Corrupt(error.to_string()))
}
