//! One story an aggregate, told on both engines.

mod artifacts;
mod blobs;
mod idempotency;
mod jobs;
mod manifests;
mod opening;
mod pointers;
mod power_cut;
mod runs;
mod search;
mod sources;
mod transactions;

use ibid_domain::{
    Artifact, Entry, Manifest, ManifestPath, Sha256, Tree,
    artifact::{Filename, MediaType},
    manifest::name_of,
};
use ibid_store::{NewArtifact, NewManifest, Scope, Tx};

/// An artifact with this content, as a row.
pub(crate) async fn keep_artifact(tx: &mut Tx, scope: &Scope, content: &str) -> Artifact {
    tx.artifacts(scope).insert_or_touch(new_artifact(content)).await.unwrap().0
}

pub(crate) fn new_artifact(content: &str) -> NewArtifact {
    NewArtifact {
        sha256: Sha256::of_bytes(content.as_bytes()),
        media_type: MediaType::new("text/plain").unwrap(),
        size_bytes: content.len() as u64,
        filename: Some(Filename::new(format!("{content}.txt")).unwrap()),
        storage_uri: format!("file:///{content}"),
        entity_type: None,
        entity_metadata: None,
    }
}

pub(crate) fn tree(files: &[(&str, &Artifact)]) -> Tree {
    let entry = |artifact: &Artifact| Entry {
        sha256: artifact.sha256,
        media_type: artifact.media_type.clone(),
        size_bytes: artifact.size_bytes,
        entity_type: artifact.entity_type,
    };
    Tree::new(files.iter().map(|(path, artifact)| (ManifestPath::new(*path).unwrap(), entry(artifact))).collect())
        .unwrap()
}

pub(crate) async fn keep_manifest(tx: &mut Tx, scope: &Scope, tree: &Tree, parent: Option<Sha256>) -> Manifest {
    let sha256 = name_of(tree, parent, Some("test"));
    tx.manifests(scope).add(NewManifest { sha256, tree, parent, message: Some("test") }).await.unwrap()
}
