//! Artifacts, manifests and pointers.

use std::collections::BTreeMap;

use ibid_domain::{JsonObject, Sha256, Timestamp, manifest};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::values::{PointerType, SourceType};

/// Bytes of a file.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "describes bodies, which are sent and read as they stream")]
pub(crate) struct FileBytes(Vec<u8>);

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
    /// The type of source it is the content of; null if none was named.
    #[schema(required)]
    entity_type: Option<SourceType>,
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
            entity_type: artifact.entity_type.map(Into::into),
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
    entity_type: Option<SourceType>,
}

impl From<&manifest::Entry> for TreeEntry {
    fn from(entry: &manifest::Entry) -> Self {
        Self {
            sha256: entry.sha256,
            media_type: entry.media_type.as_str().to_owned(),
            size_bytes: entry.size_bytes,
            entity_type: entry.entity_type.map(Into::into),
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
