//! The use cases, told on both engines.

mod archive;
mod artifacts;
mod disk_syncs;
mod embedding;
mod fsck;
mod gc;
mod gc_beside_uploads;
mod manifests;
mod search;
mod sources;
mod worker;

use bytes::Bytes;
use futures::TryStreamExt;
use ibid_app::{App, EntryDraft, ManifestDraft, PendingUpload, Result, UploadDetails};
use ibid_domain::{Artifact, Manifest, Sha256, artifact::Filename};
use ibid_store::Scope;

pub(crate) async fn receive(app: &App, content: &[u8]) -> PendingUpload {
    let mut receiving = app.start_upload(u64::MAX).await.unwrap();
    for piece in content.chunks(3) {
        receiving.write(Bytes::copy_from_slice(piece)).await.unwrap();
    }
    receiving
}

pub(crate) async fn upload(app: &App, scope: &Scope, content: &str) -> Artifact {
    let details = UploadDetails { filename: Some(Filename::new("note.txt").unwrap()), ..UploadDetails::default() };
    app.artifacts(scope).store(receive(app, content.as_bytes()).await, details).await.unwrap().0
}

pub(crate) async fn content(app: &App, scope: &Scope, sha256: Sha256) -> Result<Vec<u8>> {
    let artifact = app.artifacts(scope).get(sha256).await?;
    let pieces: Vec<Bytes> = app.artifacts(scope).content(artifact, None).await?.bytes.try_collect().await?;
    Ok(pieces.concat())
}

pub(crate) fn draft(files: &[(&str, Sha256)], parent: Option<Sha256>) -> ManifestDraft {
    let entry = |sha256| EntryDraft { sha256, media_type: None, size_bytes: None, entity_type: None };
    ManifestDraft {
        tree: files.iter().map(|(path, sha256)| ((*path).to_owned(), entry(*sha256))).collect(),
        parent,
        message: None,
    }
}

pub(crate) async fn commit(app: &App, scope: &Scope, files: &[(&str, Sha256)], parent: Option<Sha256>) -> Manifest {
    app.manifests(scope).create(draft(files, parent)).await.unwrap().0
}
