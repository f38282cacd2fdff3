//! Checking everything: every byte is hashed again, every link and count is followed.

use std::collections::{HashMap, HashSet};

use futures::TryStreamExt;
use ibid_domain::{Artifact, CharIndex, Limit, Sha256, hash::Hasher, manifest::name_of};
use ibid_store::PointerFilter;
use serde::{Deserialize, Serialize};

use crate::{App, Result, run_blocking, services::MaintenanceService, worker::ProgressReport};

const BATCH: i64 = 500;

/// The result of an integrity check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FsckReport {
    /// Number of artifacts checked.
    pub artifacts: u64,
    /// Number of bytes read and hashed.
    pub bytes: u64,
    /// Number of manifests checked.
    pub manifests: u64,
    /// Number of pointers checked.
    pub pointers: u64,
    /// Number of source revisions checked.
    #[serde(default)]
    pub revisions: u64,
    /// The faults found; empty if the library is sound.
    pub findings: Vec<FsckFinding>,
    /// Blobs without an artifact, as an upload that was cut off leaves them: no fault, the next collection takes them.
    pub unclaimed_blobs: u64,
}

impl FsckReport {
    /// True if the check found no fault.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    /// Adds what was seen in another tenant.
    pub fn add(&mut self, other: Self) {
        self.artifacts += other.artifacts;
        self.bytes += other.bytes;
        self.manifests += other.manifests;
        self.pointers += other.pointers;
        self.revisions += other.revisions;
        self.unclaimed_blobs += other.unclaimed_blobs;
        self.findings.extend(other.findings);
    }

    fn add_finding(&mut self, what: &str, subject: impl ToString, detail: impl Into<String>) {
        self.findings.push(FsckFinding { what: what.to_owned(), subject: subject.to_string(), detail: detail.into() });
    }
}

/// One fault found by an integrity check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FsckFinding {
    /// Stable name of the kind of fault, such as `broken_source`.
    pub what: String,
    /// Id or hash of the artifact, manifest, pointer or source.
    pub subject: String,
    /// Description of the fault for people.
    pub detail: String,
}

impl MaintenanceService<'_> {
    /// Checks everything of one tenant.
    pub async fn check_integrity(self, progress: &ProgressReport) -> Result<FsckReport> {
        let mut report = FsckReport::default();
        self.check_artifacts(&mut report, progress).await?;
        self.check_counts(&mut report).await?;
        self.check_manifests(&mut report, progress).await?;
        self.check_pointers(&mut report).await?;
        self.check_sources(&mut report, progress).await?;
        Ok(report)
    }

    /// Every chunk, and every quote of an event, must still be the words that its span points at.
    async fn check_sources(self, report: &mut FsckReport, progress: &ProgressReport) -> Result<()> {
        for (id, detail) in self.app.store.read().await?.revisions(self.scope).find_faults().await? {
            report.add_finding("broken_source", id, detail);
        }
        let limit = Limit::new(Limit::MAX.into())?;
        let mut after = None;
        loop {
            let batch = self.app.store.read().await?.revisions(self.scope).list_by_id(after, BATCH).await?;
            let Some(last) = batch.last() else { return Ok(()) };
            after = Some(last.id);
            for revision in batch {
                report.revisions += 1;
                progress.update(report.revisions, None, "comparing passages with their texts").await;
                let Some(sha256) = revision.text else { continue };
                // Bytes that are missing or changed were reported with the artifacts.
                let Ok(text) = self.app.sources(self.scope).text_of(sha256).await else { continue };
                let index = CharIndex::new(&text);
                for (event, quote) in self.app.store.read().await?.knowledge(self.scope).quotes_of(revision.id).await? {
                    if index.span_text(quote.span) != Some(quote.quote.as_str()) {
                        let detail = format!("event {event} quotes what its text does not say there");
                        report.add_finding("wrong_quote", revision.source, detail);
                    }
                }
                let mut cursor = None;
                loop {
                    let mut tx = self.app.store.read().await?;
                    let page = tx.revisions(self.scope).list_chunks(revision.id, limit, cursor.as_ref()).await?;
                    for chunk in &page.items {
                        if index.span_text(chunk.span) != Some(chunk.content.as_str()) {
                            let detail = format!("chunk {} is not what its text says there", chunk.ordinal);
                            report.add_finding("wrong_chunk", revision.source, detail);
                        }
                    }
                    cursor = page.next;
                    if cursor.is_none() {
                        break;
                    }
                }
            }
        }
    }

    async fn check_artifacts(self, report: &mut FsckReport, progress: &ProgressReport) -> Result<()> {
        let mut sizes = HashMap::new();
        let mut listed = std::pin::pin!(self.app.store.blobs().list(self.scope));
        while let Some(blob) = listed.try_next().await? {
            sizes.insert(blob.sha256, blob.size_bytes);
        }
        let total = self.app.store.read().await?.artifacts(self.scope).count().await?;
        let mut after = None;
        loop {
            let batch = self.app.store.read().await?.artifacts(self.scope).list_by_hash(after, BATCH).await?;
            let Some(last) = batch.last() else { break };
            after = Some(last.sha256);
            for artifact in batch {
                sizes.remove(&artifact.sha256);
                self.check_artifact(&artifact, report).await?;
                progress.update(report.artifacts, Some(total), "hashing every byte again").await;
            }
        }
        report.unclaimed_blobs = sizes.len() as u64;
        Ok(())
    }

    async fn check_artifact(self, artifact: &Artifact, report: &mut FsckReport) -> Result<()> {
        report.artifacts += 1;
        let Some(mut bytes) = self.app.store.read_bytes(self.scope, artifact.sha256, None).await? else {
            // A collection may have removed row and bytes since the row was read.
            if self.app.store.read().await?.artifacts(self.scope).get(artifact.sha256).await?.is_some() {
                report.add_finding(
                    "missing_blob",
                    artifact.sha256,
                    format!("its bytes are not at {}", artifact.storage_uri),
                );
            }
            return Ok(());
        };
        let (mut hasher, mut size) = (Hasher::default(), 0);
        while let Some(piece) = bytes.try_next().await? {
            size += piece.len() as u64;
            hasher = hash_aside(hasher, piece).await?;
        }
        report.bytes += size;
        let found = hasher.finish();
        if found != artifact.sha256 {
            report.add_finding("corrupt_blob", artifact.sha256, format!("its {size} bytes have the hash {found}"));
        } else if size != artifact.size_bytes {
            let detail = format!("its row says {} bytes and it has {size}", artifact.size_bytes);
            report.add_finding("wrong_size", artifact.sha256, detail);
        }
        Ok(())
    }

    async fn check_counts(self, report: &mut FsckReport) -> Result<()> {
        let wrong = self.app.store.read().await?.artifacts(self.scope).wrong_reference_counts().await?;
        for (sha256, kept, counted) in wrong {
            let detail = format!("its row says {kept} references and {counted} are there");
            report.add_finding("wrong_reference_count", sha256, detail);
        }
        Ok(())
    }

    async fn check_manifests(self, report: &mut FsckReport, progress: &ProgressReport) -> Result<()> {
        let mut after = None;
        loop {
            // One state for a manifest, its tree and its artifacts, so that a collection beside this is not a fault.
            let mut tx = self.app.store.read().await?;
            let batch = tx.manifests(self.scope).list_by_hash(after, BATCH).await?;
            let Some(last) = batch.last() else { return Ok(()) };
            after = Some(last.sha256);
            for manifest in batch {
                report.manifests += 1;
                let tree = tx.manifests(self.scope).get_tree(manifest.sha256).await?;
                let name = name_of(&tree, manifest.parent, manifest.message.as_deref());
                if name != manifest.sha256 {
                    report.add_finding("wrong_name", manifest.sha256, format!("its content has the hash {name}"));
                }
                if (manifest.entry_count, manifest.total_size_bytes) != (tree.len() as u64, tree.total_size()) {
                    let detail = format!(
                        "its row says {} entries of {} bytes; there are {} of {}",
                        manifest.entry_count,
                        manifest.total_size_bytes,
                        tree.len(),
                        tree.total_size()
                    );
                    report.add_finding("wrong_totals", manifest.sha256, detail);
                }
                if let Some(parent) = manifest.parent
                    && tx.manifests(self.scope).get(parent).await?.is_none()
                {
                    report.add_finding("missing_parent", manifest.sha256, format!("its parent {parent} is not there"));
                }
                let hashes: HashSet<Sha256> = tree.iter().map(|(_, entry)| entry.sha256).collect();
                let hashes: Vec<_> = hashes.into_iter().collect();
                let artifacts = tx.artifacts(self.scope).get_many(&hashes).await?;
                for (path, entry) in tree.iter() {
                    match artifacts.get(&entry.sha256) {
                        None => {
                            let detail = format!("'{path}' names {}, which is not there", entry.sha256);
                            report.add_finding("missing_artifact", manifest.sha256, detail);
                        }
                        Some(artifact) if artifact.size_bytes != entry.size_bytes => {
                            let detail =
                                format!("'{path}' says {} bytes, not {}", entry.size_bytes, artifact.size_bytes);
                            report.add_finding("wrong_entry", manifest.sha256, detail);
                        }
                        Some(_) => {}
                    }
                }
            }
            progress.update(report.manifests, None, "following manifests").await;
        }
    }

    async fn check_pointers(self, report: &mut FsckReport) -> Result<()> {
        let limit = Limit::new(Limit::MAX.into())?;
        let mut tx = self.app.store.read().await?;
        let mut after = None;
        loop {
            let page = tx.pointers(self.scope).list(&PointerFilter::default(), limit, after.as_ref()).await?;
            for pointer in &page.items {
                report.pointers += 1;
                if let Some(manifest) = pointer.manifest
                    && tx.manifests(self.scope).get(manifest).await?.is_none()
                {
                    report.add_finding(
                        "missing_manifest",
                        &pointer.name,
                        format!("it stands at {manifest}, which is not there"),
                    );
                }
                // Walked back from where it stands, each move must lead to where the one before it began.
                let (mut at, mut expected, mut history) = (pointer.manifest, None, None);
                'history: loop {
                    let page = tx.pointers(self.scope).list_moves(pointer.id, limit, history.as_ref()).await?;
                    for step in &page.items {
                        if step.to != at || expected.is_some_and(|seq| step.seq != seq) {
                            let detail = format!("its move {} does not lead to where it went on", step.seq);
                            report.add_finding("broken_history", &pointer.name, detail);
                            break 'history;
                        }
                        (at, expected) = (step.from, Some(step.seq.saturating_sub(1)));
                    }
                    history = page.next;
                    if history.is_none() {
                        break;
                    }
                }
            }
            after = page.next;
            if after.is_none() {
                return Ok(());
            }
        }
    }
}

impl App {
    /// Checks the database itself, which all tenants share.
    pub async fn check_database(&self) -> Result<Vec<FsckFinding>> {
        let wrong = self.store.check_database().await?;
        let finding = |detail| FsckFinding {
            what: "database".to_owned(),
            subject: self.store.engine().as_str().to_owned(),
            detail,
        };
        Ok(wrong.into_iter().map(finding).collect())
    }
}

/// Hashes a piece where it does not hold up the other tasks.
async fn hash_aside(mut hasher: Hasher, piece: bytes::Bytes) -> Result<Hasher> {
    let hashed = run_blocking(move || {
        hasher.update(&piece);
        hasher
    });
    Ok(hashed.await?)
}
