//! How bytes come in and are read again.

use std::ops::Range;

use bytes::Bytes;
use ibid_domain::{
    Artifact, Code, Cursor, JsonObject, Limit, Page, Problem, Sha256, SourceType,
    artifact::{Filename, MediaType},
};
use ibid_store::{ArtifactFilter, BlobStream, NewArtifact, Spool, Tx};

use crate::{App, Error, Result, Scope, services::ArtifactService};

/// Bytes on their way in. Dropping it keeps nothing.
pub struct PendingUpload {
    spool: Spool,
    limit: u64,
}

impl PendingUpload {
    /// Takes in the next piece, unless that makes it too large.
    pub async fn write(&mut self, piece: Bytes) -> Result<()> {
        if self.spool.size() + piece.len() as u64 > self.limit {
            return Err(too_large(self.limit).into());
        }
        Ok(self.spool.write(piece).await?)
    }
}

/// The problem of an upload that is larger than the limit.
pub fn too_large(limit: u64) -> Problem {
    Problem::new(Code::BodyTooLarge, format!("the upload is larger than the limit of {limit} bytes"))
        .with_fact("limit_bytes", limit)
}

/// Facts the uploader gives about the bytes.
#[derive(Clone, Debug, Default)]
pub struct UploadDetails {
    /// Media type; guessed from the file name if missing or unknown.
    pub media_type: Option<MediaType>,
    pub filename: Option<Filename>,
    /// The type of source they are the content of.
    pub entity_type: Option<SourceType>,
    /// Metadata stored with the artifact as it was sent.
    pub entity_metadata: Option<JsonObject>,
    /// The hash they are supposed to have.
    pub sha256: Option<Sha256>,
}

impl UploadDetails {
    /// Returns the given media type, else a guess from the file name, else the unknown type.
    fn media_type(&self) -> MediaType {
        if let Some(said) = self.media_type.as_ref().filter(|said| !said.is_unknown()) {
            return said.clone();
        }
        let guess = self.filename.as_ref().and_then(|name| mime_guess::from_path(name.as_str()).first_raw());
        guess.and_then(|guess| MediaType::new(guess).ok()).unwrap_or_else(MediaType::unknown)
    }
}

/// An artifact and its bytes, or a range of them.
pub struct ArtifactContent {
    pub artifact: Artifact,
    /// The bytes as they are read.
    pub bytes: BlobStream,
}

impl ArtifactService<'_> {
    /// Keeps what was received, and says whether it is new. When this returns, the bytes are durable.
    pub async fn store(self, received: PendingUpload, details: UploadDetails) -> Result<(Artifact, bool)> {
        let mut spool = received.spool;
        let sha256 = spool.finish().await?;
        if let Some(announced) = details.sha256.filter(|announced| *announced != sha256) {
            return Err(Problem::new(
                Code::HashMismatch,
                format!("the bytes have the hash {sha256}, not {announced} as announced"),
            )
            .with_field("sha256")
            .into());
        }
        let blobs = self.app.store.blobs();
        // The blob goes first, the row second: a row never names bytes that are not there. A collection that runs
        // beside this may remove the blob before the row is written, so it is looked at again under the lock that
        // the collection takes, too.
        blobs.store_spool(self.scope, &spool, sha256).await?;
        let mut tx = self.app.store.write().await?;
        let mut artifacts = tx.artifacts(self.scope);
        artifacts.lock(sha256).await?;
        if blobs.size(self.scope, sha256).await? != Some(spool.size()) {
            blobs.store_spool(self.scope, &spool, sha256).await?;
        }
        let kept = artifacts
            .insert_or_touch(NewArtifact {
                sha256,
                media_type: details.media_type(),
                size_bytes: spool.size(),
                filename: details.filename,
                storage_uri: blobs.uri(self.scope, sha256),
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

    /// Returns an artifact, or a not-found problem.
    pub async fn get(self, sha256: Sha256) -> Result<Artifact> {
        let artifact = self.app.store.read().await?.artifacts(self.scope).get(sha256).await?;
        artifact.ok_or_else(|| not_found(sha256).into())
    }

    /// Lists artifacts, newest first, one page at a time.
    pub async fn list(self, filter: &ArtifactFilter, limit: Limit, after: Option<&Cursor>) -> Result<Page<Artifact>> {
        Ok(self.app.store.read().await?.artifacts(self.scope).list(filter, limit, after).await?)
    }

    /// The bytes of an artifact, or a range of them.
    pub async fn content(self, artifact: Artifact, range: Option<Range<u64>>) -> Result<ArtifactContent> {
        match self.app.store.read_bytes(self.scope, artifact.sha256, range).await? {
            Some(bytes) => Ok(ArtifactContent { artifact, bytes }),
            None => Err(Error::corrupt("artifact without bytes", artifact.sha256)),
        }
    }
}

impl App {
    /// Begins to take in bytes, at most `limit` of them.
    pub async fn start_upload(&self, limit: u64) -> Result<PendingUpload> {
        Ok(PendingUpload { spool: self.store.blobs().create_spool().await?, limit })
    }
}

/// Largest artifact whose bytes are stored in the database, in bytes. Larger ones are streamed to the blob store.
pub(crate) const SMALL_ARTIFACT: usize = 1 << 20;

/// Writes an artifact and its bytes in the transaction of the row that names it.
pub(crate) async fn write_small_artifact(
    tx: &mut Tx,
    scope: &Scope,
    bytes: &[u8],
    details: UploadDetails,
) -> Result<Artifact> {
    let sha256 = Sha256::of_bytes(bytes);
    let new = NewArtifact {
        sha256,
        media_type: details.media_type(),
        size_bytes: bytes.len() as u64,
        filename: details.filename,
        storage_uri: format!("database:{sha256}"),
        entity_type: details.entity_type,
        entity_metadata: details.entity_metadata,
    };
    Ok(tx.artifacts(scope).insert_small(new, bytes).await?)
}

/// An artifact on its way in: small ones wait for the transaction of the row that names them, large ones are stored
/// already.
pub(crate) enum PreparedArtifact {
    Small(Bytes, UploadDetails),
    Stored(Sha256),
}

impl PreparedArtifact {
    /// Writes the artifact if it waits, and returns its hash.
    pub(crate) async fn write(self, tx: &mut Tx, scope: &Scope) -> Result<Sha256> {
        match self {
            Self::Small(bytes, details) => Ok(write_small_artifact(tx, scope, &bytes, details).await?.sha256),
            Self::Stored(sha256) => Ok(sha256),
        }
    }

    /// Returns the hash of the bytes.
    pub(crate) fn sha256(&self) -> Sha256 {
        match self {
            Self::Small(bytes, _) => Sha256::of_bytes(bytes),
            Self::Stored(sha256) => *sha256,
        }
    }
}

impl ArtifactService<'_> {
    /// Prepares an artifact whose row is written later, in the transaction of what names it.
    pub(crate) async fn prepare(self, bytes: Bytes, details: UploadDetails) -> Result<PreparedArtifact> {
        if bytes.len() <= SMALL_ARTIFACT {
            return Ok(PreparedArtifact::Small(bytes, details));
        }
        let mut received = self.app.start_upload(u64::MAX).await?;
        received.write(bytes).await?;
        Ok(PreparedArtifact::Stored(self.store(received, details).await?.0.sha256))
    }
}

/// The problem of an artifact that is not there.
fn not_found(sha256: Sha256) -> Problem {
    Problem::new(Code::ArtifactNotFound, format!("there is no artifact {sha256}"))
}
