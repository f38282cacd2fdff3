//! The kinds of background work: each is a payload that says what it is called, what makes two of it one, and what it does.
//!
//! A use case enqueues `IngestJob { … }.to_new_job()` in the transaction of the data the job is about; the worker reads
//! the payload back and calls [`BackgroundJob::run`].

use std::{marker::PhantomData, sync::Arc};

use futures::future::BoxFuture;
use ibid_store::{JobError, NewJob};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value as Json, json};

use crate::{
    answers::notes::NotesJob,
    documents::DraftJob,
    jobs::{FsckJob, GcJob},
    knowledge::{extraction::ExtractEventsJob, graph::GraphUpsertJob},
    sources::{embedding::EmbedJob, import::ImportJob, ingest::IngestJob},
    worker::{JobContext, JobHandler},
};

/// What a job comes to: a result for whoever asks for it, or why there is none.
pub(crate) type JobOutcome = Result<Option<Json>, JobError>;

/// One kind of background work. It may run again for the same payload, after a crash or a lost lease, and must then come
/// to the same end.
pub(crate) trait BackgroundJob: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Name of the kind in the queue. It is stored with every job, so it never changes.
    const KIND: &'static str;

    /// Lower numbers are taken first.
    const PRIORITY: i64 = 100;

    /// Jobs of this kind that one worker does at the same time; `None` for as many as it does in all.
    const AT_ONCE: Option<u32> = None;

    /// Jobs of a kind that have the same key and wait are one.
    fn key(&self) -> String;

    /// Does the work. When the context is cancelled the job is no longer its own, and it should stop.
    fn run(self, context: &JobContext) -> impl Future<Output = JobOutcome> + Send;

    /// Returns the job as it is enqueued.
    fn to_new_job(&self) -> NewJob {
        NewJob::new(Self::KIND, json!(self)).with_priority(Self::PRIORITY).with_dedupe_key(self.key())
    }
}

/// Runs one kind of job for the worker.
struct KindHandler<J>(PhantomData<J>);

impl<J: BackgroundJob> JobHandler for KindHandler<J> {
    fn kind(&self) -> &'static str {
        J::KIND
    }

    fn at_once(&self) -> Option<u32> {
        J::AT_ONCE
    }

    fn run<'a>(&'a self, context: &'a JobContext) -> BoxFuture<'a, JobOutcome> {
        Box::pin(async move {
            let job: J = serde_json::from_value(context.job.payload.clone())
                .map_err(|error| JobError::Permanent(format!("the payload cannot be read: {error}")))?;
            job.run(context).await
        })
    }
}

fn handler<J: BackgroundJob>() -> Arc<dyn JobHandler> {
    Arc::new(KindHandler::<J>(PhantomData))
}

/// Names of the kinds of jobs, as they stand in the queue.
pub fn job_kinds() -> Vec<&'static str> {
    all_kinds().iter().map(|handler| handler.kind()).collect()
}

/// Every kind of job that comes with Ibid.
pub(crate) fn all_kinds() -> Vec<Arc<dyn JobHandler>> {
    vec![
        handler::<DraftJob>(),
        handler::<EmbedJob>(),
        handler::<ExtractEventsJob>(),
        handler::<FsckJob>(),
        handler::<GcJob>(),
        handler::<GraphUpsertJob>(),
        handler::<ImportJob>(),
        handler::<IngestJob>(),
        handler::<NotesJob>(),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_kind_has_a_name_of_its_own() {
        let kinds = all_kinds();
        let names: HashSet<_> = kinds.iter().map(|kind| kind.kind()).collect();
        assert_eq!(names.len(), kinds.len());
    }

    #[test]
    fn a_payload_of_an_earlier_version_is_read() {
        let job: IngestJob = serde_json::from_value(json!({ "source_id": uuid::Uuid::nil() })).unwrap();
        assert!(!job.fetch);
        let all: ExtractEventsJob = serde_json::from_value(json!({})).unwrap();
        assert_eq!((all.source_id, all.again, all.key()), (None, false, "all".to_owned()));
    }
}
