//! What goes over the wire.

use std::collections::BTreeMap;

use ibid_domain::{JsonObject, Sha256, Timestamp, job, manifest, pagination};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;
use uuid::Uuid;

/// Error response as RFC 9457 problem details.
#[derive(Serialize, ToSchema)]
pub(crate) struct Problem {
    /// URI of the page that explains the error code.
    #[serde(rename = "type")]
    kind: String,
    /// A short, fixed sentence for the code.
    title: &'static str,
    /// HTTP status code of the response.
    status: u16,
    /// The stable name of what went wrong.
    code: &'static str,
    /// Explanation of this error: the value that was wrong, and the one expected.
    detail: String,
    /// The field, parameter or path that was wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// Advice on how to fix the error.
    hint: &'static str,
    /// The id of the request, as it stands in the log.
    request_id: String,
    /// Facts to go on with, such as `current` after a conflict.
    #[serde(flatten)]
    #[schema(value_type = Object, additional_properties)]
    facts: JsonObject,
}

impl Problem {
    pub(crate) fn new(problem: ibid_domain::Problem, request_id: &str) -> Self {
        Self {
            kind: format!("/docs#{}", problem.code.as_str()),
            title: problem.code.title(),
            status: problem.code.status(),
            code: problem.code.as_str(),
            detail: problem.detail,
            field: problem.field,
            hint: problem.code.help(),
            request_id: request_id.to_owned(),
            facts: *problem.facts,
        }
    }
}

/// One page of a list, with a cursor to the next.
#[derive(Serialize, ToSchema)]
pub(crate) struct Page<T: ToSchema> {
    /// Items on this page, at most `limit`.
    items: Vec<T>,
    /// `cursor` of the next page; null on the last.
    #[schema(required)]
    next_cursor: Option<String>,
}

impl<T: ToSchema> Page<T> {
    pub(crate) fn from_page<U>(page: pagination::Page<U>, convert: impl FnMut(U) -> T) -> Self {
        let page = page.map(convert);
        Self { items: page.items, next_cursor: page.next.map(|cursor| cursor.encode()) }
    }
}

/// Immutable bytes, named by their SHA-256.
#[derive(Serialize, ToSchema)]
pub(crate) struct Artifact {
    /// The hash of its bytes, and its name.
    #[schema(value_type = String, pattern = "^[0-9a-f]{64}$")]
    sha256: Sha256,
    /// Media type of the artifact's bytes.
    media_type: String,
    /// Size of the artifact in bytes.
    size_bytes: u64,
    /// Name of the uploaded file; null if there was none.
    #[schema(required)]
    filename: Option<String>,
    /// Location of the bytes, such as a file or S3 URI.
    storage_uri: String,
    /// Storage class of the bytes in the blob store.
    storage_class: String,
    /// The type of source it is the content of, one of the twelve.
    #[schema(required)]
    entity_type: Option<&'static str>,
    /// Further facts that were sent with the upload.
    #[schema(required, value_type = Option<HashMap<String, serde_json::Value>>)]
    entity_metadata: Option<JsonObject>,
    /// Id of the user who uploaded the artifact first.
    #[schema(required)]
    created_by: Option<Uuid>,
    /// Number of manifest entries and other rows that refer to the artifact.
    reference_count: u64,
    /// Time of the first upload of these bytes.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Time of the last upload or change.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<ibid_domain::Artifact> for Artifact {
    fn from(artifact: ibid_domain::Artifact) -> Self {
        Self {
            sha256: artifact.sha256,
            media_type: artifact.media_type.as_str().to_owned(),
            size_bytes: artifact.size_bytes,
            filename: artifact.filename.map(|name| name.as_str().to_owned()),
            storage_uri: artifact.storage_uri,
            storage_class: artifact.storage_class,
            entity_type: artifact.entity_type.map(|kind| kind.as_str()),
            entity_metadata: artifact.entity_metadata,
            created_by: artifact.created_by.map(|user| user.uuid()),
            reference_count: artifact.reference_count,
            created_at: artifact.created_at,
            updated_at: artifact.updated_at,
        }
    }
}

/// One file in the tree of a manifest.
#[derive(Serialize, ToSchema)]
#[schema(as = TreeEntry)]
pub(crate) struct TreeEntry {
    /// SHA-256 of the artifact with the file's bytes.
    #[schema(value_type = String, pattern = "^[0-9a-f]{64}$")]
    sha256: Sha256,
    /// Media type of the file's bytes.
    media_type: String,
    /// Size of the file, in bytes.
    size_bytes: u64,
    /// The type of source it is the content of.
    #[serde(skip_serializing_if = "Option::is_none")]
    entity_type: Option<&'static str>,
}

impl From<&manifest::Entry> for TreeEntry {
    fn from(entry: &manifest::Entry) -> Self {
        Self {
            sha256: entry.sha256,
            media_type: entry.media_type.as_str().to_owned(),
            size_bytes: entry.size_bytes,
            entity_type: entry.entity_type.map(|kind| kind.as_str()),
        }
    }
}

/// A manifest without its tree.
#[derive(Serialize, ToSchema)]
pub(crate) struct ManifestSummary {
    /// The hash of the canonical JSON (RFC 8785) of `{message, parent_sha256, tree}`, and its name.
    #[schema(value_type = String, pattern = "^[0-9a-f]{64}$")]
    sha256: Sha256,
    /// SHA-256 of the parent manifest; null if it has none.
    #[schema(required, value_type = Option<String>)]
    parent_sha256: Option<Sha256>,
    /// Reason for the manifest, like a commit message.
    #[schema(required)]
    message: Option<String>,
    /// Number of files in the tree.
    entry_count: u64,
    /// Total size of the files, in bytes.
    total_size_bytes: u64,
    /// Id of the user who created the manifest.
    #[schema(required)]
    created_by: Option<Uuid>,
    /// Time at which the manifest was first created.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Time at which the same manifest was last submitted.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<ibid_domain::Manifest> for ManifestSummary {
    fn from(manifest: ibid_domain::Manifest) -> Self {
        Self {
            sha256: manifest.sha256,
            parent_sha256: manifest.parent,
            message: manifest.message,
            entry_count: manifest.entry_count,
            total_size_bytes: manifest.total_size_bytes,
            created_by: manifest.created_by.map(|user| user.uuid()),
            created_at: manifest.created_at,
            updated_at: manifest.updated_at,
        }
    }
}

/// An immutable tree of paths to artifacts.
#[derive(Serialize, ToSchema)]
pub(crate) struct Manifest {
    #[serde(flatten)]
    summary: ManifestSummary,
    /// Files of the manifest, by path.
    tree: BTreeMap<String, TreeEntry>,
}

impl Manifest {
    pub(crate) fn new(manifest: ibid_domain::Manifest, tree: &ibid_domain::Tree) -> Self {
        let tree = tree.iter().map(|(path, entry)| (path.to_string(), entry.into())).collect();
        Self { summary: manifest.into(), tree }
    }
}

/// A path that is only in one of two trees.
#[derive(Serialize, ToSchema)]
pub(crate) struct PathEntry {
    path: String,
    entry: TreeEntry,
}

/// A path that is in two trees and not the same.
#[derive(Serialize, ToSchema)]
pub(crate) struct PathChange {
    path: String,
    before: TreeEntry,
    after: TreeEntry,
}

/// Differences between two manifests.
#[derive(Serialize, ToSchema)]
#[schema(as = ManifestDiff)]
pub(crate) struct ManifestDiff {
    /// SHA-256 of the first manifest.
    #[schema(value_type = String)]
    from: Sha256,
    /// SHA-256 of the second manifest.
    #[schema(value_type = String)]
    to: Sha256,
    /// Files that only the second manifest has.
    added: Vec<PathEntry>,
    /// Files that only the first manifest has.
    removed: Vec<PathEntry>,
    /// Files that both manifests have with different content.
    changed: Vec<PathChange>,
    /// Number of files that are the same in both.
    unchanged_count: u64,
}

impl ManifestDiff {
    pub(crate) fn new(from: Sha256, to: Sha256, diff: &manifest::Diff<'_>) -> Self {
        let one = |(path, entry): &(&ibid_domain::ManifestPath, &manifest::Entry)| PathEntry {
            path: path.to_string(),
            entry: (*entry).into(),
        };
        Self {
            from,
            to,
            added: diff.added.iter().map(one).collect(),
            removed: diff.removed.iter().map(one).collect(),
            changed: diff
                .changed
                .iter()
                .map(|(path, before, after)| PathChange {
                    path: path.to_string(),
                    before: (*before).into(),
                    after: (*after).into(),
                })
                .collect(),
            unchanged_count: diff.unchanged,
        }
    }
}

/// The mutable name of a manifest.
#[derive(Serialize, ToSchema)]
pub(crate) struct Pointer {
    /// Id of the pointer, a UUID.
    id: Uuid,
    /// First part of the name `namespace/name`.
    namespace: String,
    /// Its name within the namespace; it may have slashes.
    name: String,
    /// The manifest it stands for; null before the first advance.
    #[schema(required, value_type = Option<String>)]
    manifest_sha256: Option<Sha256>,
    /// Type of the pointer, which tells its purpose.
    pointer_type: PointerType,
    /// Description of the pointer in one sentence.
    #[schema(required)]
    description: Option<String>,
    /// Further facts about the pointer, as a JSON object.
    #[schema(value_type = HashMap<String, serde_json::Value>)]
    meta: JsonObject,
    /// Id of the user who created the pointer.
    #[schema(required)]
    created_by: Option<Uuid>,
    /// Time of creation, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Time of the last move or change.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<ibid_domain::Pointer> for Pointer {
    fn from(pointer: ibid_domain::Pointer) -> Self {
        Self {
            id: pointer.id.uuid(),
            namespace: pointer.name.namespace().to_owned(),
            name: pointer.name.name().to_owned(),
            manifest_sha256: pointer.manifest,
            pointer_type: pointer.pointer_type.into(),
            description: pointer.description,
            meta: pointer.meta,
            created_by: pointer.created_by.map(|user| user.uuid()),
            created_at: pointer.created_at,
            updated_at: pointer.updated_at,
        }
    }
}

/// One move of a pointer from a manifest to another.
#[derive(Serialize, ToSchema)]
pub(crate) struct PointerMove {
    /// Id of the pointer move, a UUID.
    id: Uuid,
    /// The how-manieth move of the pointer it is, from 1.
    seq: u64,
    /// SHA-256 of the manifest before the move; null for the first move.
    #[schema(required, value_type = Option<String>)]
    from_manifest_sha256: Option<Sha256>,
    /// SHA-256 of the manifest after the move.
    #[schema(required, value_type = Option<String>)]
    to_manifest_sha256: Option<Sha256>,
    /// Reason for the move; null if none was given.
    #[schema(required)]
    reason: Option<String>,
    /// Id of the user who moved the pointer.
    #[schema(required)]
    changed_by: Option<Uuid>,
    /// Time at which the pointer was moved.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<ibid_domain::pointer::PointerMove> for PointerMove {
    fn from(step: ibid_domain::pointer::PointerMove) -> Self {
        Self {
            id: step.id,
            seq: step.seq,
            from_manifest_sha256: step.from,
            to_manifest_sha256: step.to,
            reason: step.reason,
            changed_by: step.changed_by.map(|user| user.uuid()),
            created_at: step.created_at,
        }
    }
}

/// Progress that a running job reports.
#[derive(Serialize, ToSchema)]
#[schema(as = JobProgress)]
pub(crate) struct JobProgress {
    /// Number of units that are done, out of `total` if that is known.
    done: u64,
    /// Of how much, if that is known.
    #[schema(required)]
    total: Option<u64>,
    /// Current step of the job, for people.
    #[schema(required)]
    message: Option<String>,
}

/// A durable unit of background work.
#[derive(Serialize, ToSchema)]
pub(crate) struct Job {
    /// Id of the job, a UUID.
    id: Uuid,
    /// Kind of the job, such as `ingest`; it selects the handler.
    kind: String,
    /// State of the job: queued, running, succeeded, dead or cancelled.
    state: JobState,
    /// Arguments of the job, mostly ids.
    #[schema(value_type = HashMap<String, serde_json::Value>)]
    payload: Json,
    /// Progress of the job; null if it reports none.
    #[schema(required)]
    progress: Option<JobProgress>,
    /// Result of the job; null until it succeeds.
    #[schema(required, value_type = Option<HashMap<String, serde_json::Value>>)]
    result: Option<Json>,
    /// Number of attempts made so far.
    attempt: u32,
    /// Maximum number of attempts before the job is dead.
    max_attempts: u32,
    /// Why the last attempt failed or was put off.
    #[schema(required)]
    last_error: Option<String>,
    /// Earliest start of the next attempt.
    #[schema(value_type = String, format = DateTime)]
    run_at: Timestamp,
    /// Time at which the job was queued.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Time of the last change to the job.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
    /// Start of the first attempt; null if there was none.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    started_at: Option<Timestamp>,
    /// Time at which the job ended; null until then.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    finished_at: Option<Timestamp>,
}

impl From<job::Job> for Job {
    fn from(job: job::Job) -> Self {
        let progress = job.progress.map(|progress| JobProgress {
            done: progress.done,
            total: progress.total,
            message: progress.message,
        });
        Self {
            id: job.id.uuid(),
            kind: job.kind,
            state: job.state.into(),
            payload: job.payload,
            progress,
            result: job.result,
            attempt: job.attempt,
            max_attempts: job.max_attempts,
            last_error: job.last_error,
            run_at: job.run_at,
            created_at: job.created_at,
            updated_at: job.updated_at,
            started_at: job.started_at,
            finished_at: job.finished_at,
        }
    }
}

/// A change of a job, as the stream of events tells it.
#[derive(Serialize, ToSchema)]
pub(crate) struct JobEvent {
    /// Kind of change that happened to the job.
    change: JobChange,
    /// State of the job after the change.
    job: Job,
    /// Time at which the change happened.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
}

impl From<ibid_store::JobEvent> for JobEvent {
    fn from(event: ibid_store::JobEvent) -> Self {
        Self { change: event.change.into(), job: event.job.into(), at: event.at }
    }
}

/// An enum of the wire that has the same variants as one of the domain.
macro_rules! same_variants {
    ($(#[doc = $doc:literal])* $name:ident = $domain:path { $($variant:ident),* }) => {
        $(#[doc = $doc])*
        #[derive(Serialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        pub(crate) enum $name { $($variant),* }

        impl From<$domain> for $name {
            fn from(value: $domain) -> Self {
                use $domain as Domain;
                match value { $(Domain::$variant => Self::$variant),* }
            }
        }
    };
}

same_variants! {
    /// What a pointer is for.
    PointerType = ibid_domain::PointerType { Bundle, Corpus, Snapshot }
}
same_variants! {
    /// Where a job stands.
    JobState = ibid_domain::job::JobState { Queued, Running, Succeeded, Dead, Cancelled }
}
same_variants! {
    /// What happened to a job.
    JobChange = ibid_domain::job::JobChange { Queued, Started, Progress, Retrying, Succeeded, Dead, Cancelled }
}
