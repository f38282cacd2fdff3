//! How bytes come in and are read again.

use std::ops::Range;

use bytes::Bytes;
use ibid_domain::{
    Artifact, Code, Cursor, JsonObject, Limit, Page, Problem, Sha256, SourceType,
    artifact::{Filename, MediaType},
};
use ibid_store::{ArtifactFilter, BlobStream, NewArtifact, Spool};

use crate::{App, Error, Result, Scope};

/// Bytes on their way in. Dropping it keeps nothing.
pub struct Receiving {
    spool: Spool,
    limit: u64,
}

impl Receiving {
    /// Takes in the next piece, unless that makes it too large.
    pub async fn write(&mut self, piece: Bytes) -> Result<()> {
        if self.spool.size() + piece.len() as u64 > self.limit {
            return Err(too_large(self.limit).into());
        }
        self.spool.write(piece).await
    }
}

/// The problem of an upload that is larger than the limit.
pub fn too_large(limit: u64) -> Problem {
    Problem::new(Code::BodyTooLarge, format!("the upload is larger than the limit of {limit} bytes"))
        .fact("limit_bytes", limit)
}

/// What the uploader says of the bytes.
#[derive(Clone, Debug, Default)]
pub struct UploadDetails {
    /// What they are.
    pub media_type: Option<MediaType>,
    /// What the file is called.
    pub filename: Option<Filename>,
    /// The type of source they are the content of.
    pub entity_type: Option<SourceType>,
    /// What else is known of them.
    pub entity_metadata: Option<JsonObject>,
    /// The hash they are supposed to have.
    pub sha256: Option<Sha256>,
}

impl UploadDetails {
    /// What the bytes are, going by what was said and by the file's name.
    fn media_type(&self) -> MediaType {
        if let Some(said) = self.media_type.as_ref().filter(|said| !said.is_unknown()) {
            return said.clone();
        }
        let guess = self.filename.as_ref().and_then(|name| mime_guess::from_path(name.as_str()).first_raw());
        guess.and_then(|guess| MediaType::new(guess).ok()).unwrap_or_else(MediaType::unknown)
    }
}

/// An artifact and its bytes, or a range of them.
pub struct Content {
    /// The artifact.
    pub artifact: Artifact,
    /// The bytes as they are read.
    pub bytes: BlobStream,
}

impl App {
    /// Begins to take in bytes, at most `limit` of them.
    pub async fn receive(&self, limit: u64) -> Result<Receiving> {
        Ok(Receiving { spool: self.store.blobs().spool().await?, limit })
    }

    /// Keeps what was received, and says whether it is new. When this returns, the bytes are durable.
    pub async fn keep_artifact(
        &self,
        scope: &Scope,
        received: Receiving,
        details: UploadDetails,
    ) -> Result<(Artifact, bool)> {
        let mut spool = received.spool;
        let sha256 = spool.finish().await?;
        if let Some(announced) = details.sha256.filter(|announced| *announced != sha256) {
            return Err(Problem::new(
                Code::HashMismatch,
                format!("the bytes have the hash {sha256}, not {announced} as announced"),
            )
            .field("sha256")
            .into());
        }
        let blobs = self.store.blobs();
        // The blob goes first, the row second: a row never names bytes that are not there. A collection that runs
        // beside this may remove the blob before the row is written, so it is looked at again under the lock that
        // the collection takes, too.
        blobs.place(scope, &spool, sha256).await?;
        let mut tx = self.store.write().await?;
        let mut artifacts = tx.artifacts(scope);
        artifacts.lock(sha256).await?;
        if blobs.size(scope, sha256).await? != Some(spool.size()) {
            blobs.place(scope, &spool, sha256).await?;
        }
        let kept = artifacts
            .keep(NewArtifact {
                sha256,
                media_type: details.media_type(),
                size_bytes: spool.size(),
                filename: details.filename,
                storage_uri: blobs.uri(scope, sha256),
                entity_type: details.entity_type,
                entity_metadata: details.entity_metadata,
            })
            .await?;
        tx.commit().await?;
        metrics::counter!("ibid_artifacts_received_total", "known" => if kept.1 { "false" } else { "true" })
            .increment(1);
        metrics::counter!("ibid_artifact_bytes_received_total").increment(spool.size());
        Ok(kept)
    }

    /// One artifact.
    pub async fn artifact(&self, scope: &Scope, sha256: Sha256) -> Result<Artifact> {
        let artifact = self.store.read().await?.artifacts(scope).get(sha256).await?;
        artifact.ok_or_else(|| not_found(sha256).into())
    }

    /// Artifacts, newest first.
    pub async fn artifacts(
        &self,
        scope: &Scope,
        filter: &ArtifactFilter,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<Page<Artifact>> {
        self.store.read().await?.artifacts(scope).list(filter, limit, after).await
    }

    /// The bytes of an artifact, or a range of them.
    pub async fn content(&self, scope: &Scope, artifact: Artifact, range: Option<Range<u64>>) -> Result<Content> {
        match self.store.bytes(scope, artifact.sha256, range).await? {
            Some(bytes) => Ok(Content { artifact, bytes }),
            None => Err(Error::Corrupt(format!("the bytes of artifact {} are missing", artifact.sha256))),
        }
    }
}

/// The problem of an artifact that is not there.
fn not_found(sha256: Sha256) -> Problem {
    Problem::new(Code::ArtifactNotFound, format!("there is no artifact {sha256}"))
}
