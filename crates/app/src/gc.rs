//! Garbage collection: what nothing reaches and is older than the grace period is removed.
//!
//! A plan is made from one state of the library, read-only. Carrying it out looks at each thing again, in a
//! transaction that excludes whoever could name it at that moment, so it can run beside uploads and commits: what was
//! named meanwhile stays. Bytes go last, in two steps, so that a crash at any point leaves at worst something for the
//! next collection.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::Duration,
};

use futures::TryStreamExt;
use ibid_domain::{Sha256, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Result, services::MaintenanceService, worker::ProgressReport};

/// Maximum number of rows read or deleted in one transaction.
const BATCH: i64 = 500;

/// Options of a garbage collection.
#[derive(Clone, Copy, Debug)]
pub struct GcOptions {
    /// Remove, or only say what would be removed.
    pub apply: bool,
    /// Minimum age: anything uploaded or referenced more recently is kept.
    pub grace: Duration,
}

impl Default for GcOptions {
    fn default() -> Self {
        Self { apply: false, grace: Duration::from_secs(24 * 3600) }
    }
}

/// The result of a garbage collection: what it removed, or would remove.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GcReport {
    /// True if things were removed, false for a dry run.
    pub applied: bool,
    /// Deleted pointers that were forgotten.
    pub pointers: u64,
    /// Number of manifests removed, or to remove in a dry run.
    pub manifests: u64,
    /// Number of artifacts removed, or to remove in a dry run.
    pub artifacts: u64,
    /// Blobs: of those artifacts, of earlier collections that did not finish, and such as never got a row.
    pub blobs: u64,
    /// The bytes of those artifacts and blobs.
    pub bytes: u64,
    /// Files in the spool whose process is gone.
    pub spool_files: u64,
}

impl GcReport {
    /// Adds what was done for another tenant.
    pub fn add(&mut self, other: &Self) {
        self.pointers += other.pointers;
        self.manifests += other.manifests;
        self.artifacts += other.artifacts;
        self.blobs += other.blobs;
        self.bytes += other.bytes;
        self.spool_files += other.spool_files;
    }
}

struct GcPlan {
    /// Children before their parents.
    manifests: Vec<Sha256>,
    artifacts: Vec<(Sha256, u64)>,
    orphans: Vec<(Sha256, u64)>,
    deleted_pointers: u64,
    condemned: u64,
}

impl MaintenanceService<'_> {
    /// Collects the garbage of one tenant.
    pub async fn collect_garbage(self, options: GcOptions, progress: &ProgressReport) -> Result<GcReport> {
        let cutoff = self.app.store.clock().now().earlier_by(options.grace);
        progress.update(0, None, "looking for what nothing reaches").await;
        let plan = self.plan_collection(cutoff).await?;
        let (spool_files, _) = self.app.store.blobs().sweep_spool(options.apply).await?;
        if !options.apply {
            let bytes = plan.artifacts.iter().chain(&plan.orphans).map(|(_, size)| size).sum();
            return Ok(GcReport {
                applied: false,
                pointers: plan.deleted_pointers,
                manifests: plan.manifests.len() as u64,
                artifacts: plan.artifacts.len() as u64,
                blobs: (plan.artifacts.len() + plan.orphans.len()) as u64 + plan.condemned,
                bytes,
                spool_files,
            });
        }
        let mut report = GcReport { applied: true, spool_files, ..GcReport::default() };
        self.forget_pointers(cutoff, &mut report).await?;
        self.remove_manifests(&plan.manifests, cutoff, &mut report, progress).await?;
        self.condemn_artifacts(cutoff, &mut report, progress).await?;
        self.remove_condemned(&mut report, progress).await?;
        self.remove_orphans(&plan.orphans, &mut report).await?;
        Ok(report)
    }

    async fn plan_collection(self, cutoff: Timestamp) -> Result<GcPlan> {
        let mut tx = self.app.store.read().await?;
        let deleted_pointers = tx.pointers(self.scope).count_deleted(cutoff).await?;
        let mut reached = tx.manifests(self.scope).gc_roots(cutoff).await?;
        let mut parents = HashMap::new();
        let mut after = None;
        loop {
            let manifests = tx.manifests(self.scope).list_by_hash(after, BATCH).await?;
            let Some(last) = manifests.last() else { break };
            after = Some(last.sha256);
            for manifest in manifests {
                if manifest.updated_at >= cutoff {
                    reached.insert(manifest.sha256);
                }
                parents.insert(manifest.sha256, manifest.parent);
            }
        }
        let manifests = unreachable_manifests(&parents, reached);

        let mut lost = BTreeMap::<Sha256, u64>::new();
        for sha256 in &manifests {
            for (_, entry) in tx.manifests(self.scope).get_tree(*sha256).await?.iter() {
                *lost.entry(entry.sha256).or_default() += 1;
            }
        }
        let mut artifacts = Vec::new();
        let mut known = HashSet::new();
        let mut after = None;
        loop {
            let batch = tx.artifacts(self.scope).list_by_hash(after, BATCH).await?;
            let Some(last) = batch.last() else { break };
            after = Some(last.sha256);
            for artifact in batch {
                known.insert(artifact.sha256);
                let left = artifact.reference_count.saturating_sub(lost.get(&artifact.sha256).copied().unwrap_or(0));
                if left == 0 && artifact.updated_at < cutoff {
                    artifacts.push((artifact.sha256, artifact.size_bytes));
                }
            }
        }
        let condemned: HashSet<Sha256> =
            tx.artifacts(self.scope).list_condemned_blobs(i64::MAX).await?.into_iter().collect();
        drop(tx);
        // Blobs are listed after the rows were read: one that was put in place since is too young to be an orphan.
        let mut orphans = Vec::new();
        let mut blobs = std::pin::pin!(self.app.store.blobs().list(self.scope));
        while let Some(blob) = blobs.try_next().await? {
            let orphan = !known.contains(&blob.sha256) && !condemned.contains(&blob.sha256);
            if orphan && blob.modified_at < cutoff {
                orphans.push((blob.sha256, blob.size_bytes));
            }
        }
        Ok(GcPlan { manifests, artifacts, orphans, deleted_pointers, condemned: condemned.len() as u64 })
    }

    async fn forget_pointers(self, cutoff: Timestamp, report: &mut GcReport) -> Result<()> {
        let mut tx = self.app.store.write().await?;
        report.pointers = tx.pointers(self.scope).forget_deleted(cutoff).await?;
        Ok(tx.commit().await?)
    }

    async fn remove_manifests(
        self,
        manifests: &[Sha256],
        cutoff: Timestamp,
        report: &mut GcReport,
        progress: &ProgressReport,
    ) -> Result<()> {
        for (done, sha256) in manifests.iter().enumerate() {
            progress.update(done as u64, Some(manifests.len() as u64), "removing manifests").await;
            let mut tx = self.app.store.write().await?;
            let removed = tx.manifests(self.scope).remove(*sha256, cutoff).await?.is_some();
            tx.commit().await?;
            report.manifests += u64::from(removed);
        }
        Ok(())
    }

    async fn condemn_artifacts(
        self,
        cutoff: Timestamp,
        report: &mut GcReport,
        progress: &ProgressReport,
    ) -> Result<()> {
        let mut after = None;
        loop {
            let mut tx = self.app.store.write().await?;
            let mut artifacts = tx.artifacts(self.scope);
            let batch = artifacts.list_unreferenced(cutoff, after, BATCH).await?;
            let Some(last) = batch.last() else { return Ok(()) };
            after = Some(last.sha256);
            let (mut count, mut bytes) = (0, 0);
            for artifact in batch {
                if artifacts.delete_if_unreferenced(artifact.sha256, cutoff).await? {
                    count += 1;
                    bytes += artifact.size_bytes;
                }
            }
            tx.commit().await?;
            report.artifacts += count;
            report.bytes += bytes;
            progress.update(report.artifacts, None, "removing artifacts").await;
        }
    }

    async fn remove_condemned(self, report: &mut GcReport, progress: &ProgressReport) -> Result<()> {
        loop {
            let condemned = self.app.store.read().await?.artifacts(self.scope).list_condemned_blobs(BATCH).await?;
            if condemned.is_empty() {
                return Ok(());
            }
            for sha256 in condemned {
                report.blobs += u64::from(self.remove_blob(sha256).await?);
                progress.update(report.blobs, None, "removing bytes").await;
            }
        }
    }

    async fn remove_orphans(self, orphans: &[(Sha256, u64)], report: &mut GcReport) -> Result<()> {
        for (sha256, size) in orphans {
            if self.remove_blob(*sha256).await? {
                report.blobs += 1;
                report.bytes += size;
            }
        }
        Ok(())
    }

    /// Removes a blob that has no artifact, while nobody can bring it anew.
    async fn remove_blob(self, sha256: Sha256) -> Result<bool> {
        let mut tx = self.app.store.write().await?;
        let mut artifacts = tx.artifacts(self.scope);
        artifacts.lock(sha256).await?;
        let gone = artifacts.get(sha256).await?.is_none();
        if gone {
            self.app.store.blobs().delete(self.scope, sha256).await?;
        }
        artifacts.uncondemn_blob(sha256).await?;
        tx.commit().await?;
        Ok(gone)
    }
}

/// The manifests that cannot be reached over parents, children before their parents.
fn unreachable_manifests(parents: &HashMap<Sha256, Option<Sha256>>, mut reached: HashSet<Sha256>) -> Vec<Sha256> {
    let mut todo: Vec<Sha256> = reached.iter().copied().collect();
    while let Some(sha256) = todo.pop() {
        if let Some(Some(parent)) = parents.get(&sha256)
            && reached.insert(*parent)
        {
            todo.push(*parent);
        }
    }
    let mut children = HashMap::<Sha256, usize>::new();
    let garbage: Vec<Sha256> = parents.keys().copied().filter(|sha256| !reached.contains(sha256)).collect();
    for sha256 in &garbage {
        if let Some(Some(parent)) = parents.get(sha256) {
            *children.entry(*parent).or_default() += 1;
        }
    }
    let mut ready: Vec<Sha256> = garbage.iter().copied().filter(|sha256| !children.contains_key(sha256)).collect();
    let mut ordered = Vec::with_capacity(garbage.len());
    while let Some(sha256) = ready.pop() {
        ordered.push(sha256);
        if let Some(Some(parent)) = parents.get(&sha256)
            && let Some(left) = children.get_mut(parent)
        {
            *left -= 1;
            if *left == 0 && !reached.contains(parent) {
                ready.push(*parent);
            }
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hangs_on_a_root_is_reached_and_the_rest_comes_children_first() {
        let name = |text: &str| Sha256::of_bytes(text.as_bytes());
        // a <- b <- c (root), b <- d <- e, f alone
        let parents = HashMap::from([
            (name("a"), None),
            (name("b"), Some(name("a"))),
            (name("c"), Some(name("b"))),
            (name("d"), Some(name("b"))),
            (name("e"), Some(name("d"))),
            (name("f"), None),
        ]);
        let order = unreachable_manifests(&parents, HashSet::from([name("c")]));
        let place = |text: &str| order.iter().position(|sha256| *sha256 == name(text));
        assert_eq!(order.len(), 3);
        assert!(place("e") < place("d") && place("f").is_some());
    }
}
