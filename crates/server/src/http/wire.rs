//! What goes over the wire.

use std::collections::BTreeMap;

use ibid_domain::{JsonObject, Sha256, Timestamp, job, manifest, page};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;
use uuid::Uuid;

/// An error (RFC 9457).
#[derive(Serialize, ToSchema)]
pub(crate) struct Problem {
    /// Where the code is explained.
    #[serde(rename = "type")]
    kind: String,
    /// A short, fixed sentence for the code.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// The stable name of what went wrong.
    code: &'static str,
    /// What was wrong here, and what would be right.
    detail: String,
    /// The field, parameter or path that was wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// What to do about it.
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

/// One page of a list.
#[derive(Serialize, ToSchema)]
pub(crate) struct Page<T: ToSchema> {
    /// The items.
    items: Vec<T>,
    /// `cursor` of the next page; null on the last.
    #[schema(required)]
    next_cursor: Option<String>,
}

impl<T: ToSchema> Page<T> {
    pub(crate) fn of<U>(page: page::Page<U>, convert: impl FnMut(U) -> T) -> Self {
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
    /// What the bytes are.
    media_type: String,
    /// How many bytes.
    size_bytes: u64,
    /// What the file was called.
    #[schema(required)]
    filename: Option<String>,
    /// Where the bytes lie.
    storage_uri: String,
    /// How they are kept.
    storage_class: String,
    /// The type of source it is the content of, one of the twelve.
    #[schema(required)]
    entity_type: Option<&'static str>,
    /// What else is known of it.
    #[schema(required, value_type = Option<HashMap<String, serde_json::Value>>)]
    entity_metadata: Option<JsonObject>,
    /// Who brought it.
    #[schema(required)]
    created_by: Option<Uuid>,
    /// How many manifest entries and other rows name it.
    reference_count: u64,
    /// When it first came.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it last came or changed.
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

/// One file of a tree.
#[derive(Serialize, ToSchema)]
#[schema(as = TreeEntry)]
pub(crate) struct Entry {
    /// Its artifact.
    #[schema(value_type = String, pattern = "^[0-9a-f]{64}$")]
    sha256: Sha256,
    /// What it is.
    media_type: String,
    /// How large it is.
    size_bytes: u64,
    /// The type of source it is the content of.
    #[serde(skip_serializing_if = "Option::is_none")]
    entity_type: Option<&'static str>,
}

impl From<&manifest::Entry> for Entry {
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
    /// What it was made after.
    #[schema(required, value_type = Option<String>)]
    parent_sha256: Option<Sha256>,
    /// Why it was made.
    #[schema(required)]
    message: Option<String>,
    /// How many entries its tree has.
    entry_count: u64,
    /// The sum of their sizes.
    total_size_bytes: u64,
    /// Who made it.
    #[schema(required)]
    created_by: Option<Uuid>,
    /// When it was first made.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it was last made.
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
    /// Its files, by path.
    tree: BTreeMap<String, Entry>,
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
    entry: Entry,
}

/// A path that is in two trees and not the same.
#[derive(Serialize, ToSchema)]
pub(crate) struct PathChange {
    path: String,
    before: Entry,
    after: Entry,
}

/// What differs on the way from one manifest to another.
#[derive(Serialize, ToSchema)]
#[schema(as = ManifestDiff)]
pub(crate) struct Diff {
    /// The first manifest.
    #[schema(value_type = String)]
    from: Sha256,
    /// The second manifest.
    #[schema(value_type = String)]
    to: Sha256,
    /// Only in the second.
    added: Vec<PathEntry>,
    /// Only in the first.
    removed: Vec<PathEntry>,
    /// In both, but not the same.
    changed: Vec<PathChange>,
    /// How many are the same in both.
    unchanged_count: u64,
}

impl Diff {
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
    /// Its id.
    id: Uuid,
    /// Its namespace.
    namespace: String,
    /// Its name within the namespace; it may have slashes.
    name: String,
    /// The manifest it stands for; null before the first advance.
    #[schema(required, value_type = Option<String>)]
    manifest_sha256: Option<Sha256>,
    /// What it is for.
    pointer_type: PointerType,
    /// A sentence about it.
    #[schema(required)]
    description: Option<String>,
    /// Facts about it.
    #[schema(value_type = HashMap<String, serde_json::Value>)]
    meta: JsonObject,
    /// Who made it.
    #[schema(required)]
    created_by: Option<Uuid>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it last changed.
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

/// One move of a pointer.
#[derive(Serialize, ToSchema)]
pub(crate) struct PointerMove {
    /// Its id.
    id: Uuid,
    /// The how-manieth move of the pointer it is, from 1.
    seq: u64,
    /// Where the pointer was.
    #[schema(required, value_type = Option<String>)]
    from_manifest_sha256: Option<Sha256>,
    /// Where it went.
    #[schema(required, value_type = Option<String>)]
    to_manifest_sha256: Option<Sha256>,
    /// Why.
    #[schema(required)]
    reason: Option<String>,
    /// Who moved it.
    #[schema(required)]
    changed_by: Option<Uuid>,
    /// When.
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

/// How far a job has come.
#[derive(Serialize, ToSchema)]
#[schema(as = JobProgress)]
pub(crate) struct Progress {
    /// How much is done.
    done: u64,
    /// Of how much, if that is known.
    #[schema(required)]
    total: Option<u64>,
    /// What is being done.
    #[schema(required)]
    message: Option<String>,
}

/// A durable unit of background work.
#[derive(Serialize, ToSchema)]
pub(crate) struct Job {
    /// Its id.
    id: Uuid,
    /// What it does.
    kind: String,
    /// Where it stands.
    state: JobState,
    /// What it is about.
    #[schema(value_type = HashMap<String, serde_json::Value>)]
    payload: Json,
    /// How far it has come.
    #[schema(required)]
    progress: Option<Progress>,
    /// What it brought.
    #[schema(required, value_type = Option<HashMap<String, serde_json::Value>>)]
    result: Option<Json>,
    /// How many attempts were used.
    attempt: u32,
    /// How many there are.
    max_attempts: u32,
    /// Why the last attempt failed or was put off.
    #[schema(required)]
    last_error: Option<String>,
    /// Not to be started before.
    #[schema(value_type = String, format = DateTime)]
    run_at: Timestamp,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
    /// When it was first started.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    started_at: Option<Timestamp>,
    /// When it ended.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    finished_at: Option<Timestamp>,
}

impl From<job::Job> for Job {
    fn from(job: job::Job) -> Self {
        let progress = job.progress.map(|progress| Progress {
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
    /// What happened.
    change: JobChange,
    /// The job as it is now.
    job: Job,
    /// When it happened.
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
