//! The aggregates: one file each, every statement in one place.

pub(crate) mod artifacts;
pub(crate) mod changes;
pub(crate) mod idempotency;
pub(crate) mod job_events;
pub(crate) mod jobs;
pub(crate) mod manifests;
pub(crate) mod passages;
pub(crate) mod pointers;
pub(crate) mod queue;
pub(crate) mod revisions;
pub(crate) mod search;
pub(crate) mod sources;
pub(crate) mod vectors;
