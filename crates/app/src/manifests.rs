//! Making and reading manifests.

use std::collections::{BTreeSet, HashMap};

use ibid_domain::{
    Artifact, Code, Cursor, Entry, Limit, Manifest, ManifestPath, Page, Problem, Sha256, SourceType, Tree,
    artifact::MediaType,
    manifest::{check_message, check_paths, name_of},
};
use ibid_store::{NewManifest, Tx};

use crate::{Result, Scope, services::ManifestService};

/// A manifest as someone asks for it.
#[derive(Clone, Debug, Default)]
pub struct ManifestDraft {
    /// Paths and what is to stand there, as they were sent: a path may stand there twice.
    pub tree: Vec<(String, EntryDraft)>,
    /// Hash of the manifest that this one follows.
    pub parent: Option<Sha256>,
    /// Commit message, shown in the history.
    pub message: Option<String>,
}

/// One file of a draft; what is not said is taken from the artifact.
#[derive(Clone, Debug)]
pub struct EntryDraft {
    /// Hash of the artifact stored at the path.
    pub sha256: Sha256,
    /// Media type in this manifest; defaults to that of the artifact.
    pub media_type: Option<MediaType>,
    /// Expected size; must match the artifact if given.
    pub size_bytes: Option<u64>,
    /// The type of source it is here.
    pub entity_type: Option<SourceType>,
}

impl ManifestService<'_> {
    /// Makes a manifest, and says whether it is new. The same tree, parent and message are the same manifest.
    pub async fn create(self, draft: ManifestDraft) -> Result<(Manifest, Tree, bool)> {
        let mut tx = self.app.store.write().await?;
        let made = make_manifest(&mut tx, self.scope, draft).await?;
        tx.commit().await?;
        Ok(made)
    }

    /// Returns a manifest with its tree, or a not-found problem.
    pub async fn get(self, sha256: Sha256) -> Result<(Manifest, Tree)> {
        let mut tx = self.app.store.read().await?;
        let mut manifests = tx.manifests(self.scope);
        let manifest = manifests.get(sha256).await?.ok_or_else(|| not_found(sha256))?;
        Ok((manifest, manifests.get_tree(sha256).await?))
    }

    /// A manifest and those it came after.
    pub async fn log(self, sha256: Sha256, limit: Limit, after: Option<&Cursor>) -> Result<Page<Manifest>> {
        let mut tx = self.app.store.read().await?;
        let mut manifests = tx.manifests(self.scope);
        manifests.get(sha256).await?.ok_or_else(|| not_found(sha256))?;
        Ok(manifests.list_ancestors(sha256, limit, after).await?)
    }

    /// The trees of two manifests, to be compared.
    pub async fn pair(self, from: Sha256, to: Sha256) -> Result<(Tree, Tree)> {
        let mut tx = self.app.store.read().await?;
        let mut manifests = tx.manifests(self.scope);
        for sha256 in [from, to] {
            manifests.get(sha256).await?.ok_or_else(|| not_found(sha256))?;
        }
        Ok((manifests.get_tree(from).await?, manifests.get_tree(to).await?))
    }
}

/// Makes a manifest as part of a larger change. The transaction holds its artifacts afterwards.
pub(crate) async fn make_manifest(tx: &mut Tx, scope: &Scope, draft: ManifestDraft) -> Result<(Manifest, Tree, bool)> {
    if let Some(message) = &draft.message {
        check_message(message)?;
    }
    let mut drafts = Vec::with_capacity(draft.tree.len());
    for (path, entry) in draft.tree {
        drafts.push((ManifestPath::new(path)?, entry));
    }
    check_paths(drafts.iter().map(|(path, _)| path))?;
    let hashes: BTreeSet<Sha256> = drafts.iter().map(|(_, entry)| entry.sha256).collect();

    let artifacts = tx.artifacts(scope).get_many(&hashes.iter().copied().collect::<Vec<_>>()).await?;
    let entries =
        drafts.into_iter().map(|(path, draft)| resolve_entry(path, draft, &artifacts)).collect::<Result<_, _>>()?;
    let tree = Tree::new(entries)?;
    let sha256 = name_of(&tree, draft.parent, draft.message.as_deref());
    tx.manifests(scope).lock(sha256).await?;
    if let Some(known) = tx.manifests(scope).touch(sha256).await? {
        return Ok((known, tree, false));
    }
    // A collection may remove what was looked up until it is held: manifests first, then artifacts.
    if let Some(parent) = draft.parent
        && tx.manifests(scope).get_locked(parent).await?.is_none()
    {
        return Err(not_found(parent).with_field("parent_sha256").into());
    }
    let held = tx.artifacts(scope).lock_existing(&hashes).await?;
    if let Some((path, entry)) = tree.iter().find(|(_, entry)| !held.contains(&entry.sha256)) {
        return Err(unknown_artifact(path, entry.sha256).into());
    }
    let new = NewManifest { sha256, tree: &tree, parent: draft.parent, message: draft.message.as_deref() };
    let manifest = tx.manifests(scope).add(new).await?;
    Ok((manifest, tree, true))
}

fn resolve_entry(
    path: ManifestPath,
    draft: EntryDraft,
    artifacts: &HashMap<Sha256, Artifact>,
) -> Result<(ManifestPath, Entry), Problem> {
    let Some(artifact) = artifacts.get(&draft.sha256) else { return Err(unknown_artifact(&path, draft.sha256)) };
    if let Some(said) = draft.size_bytes.filter(|said| *said != artifact.size_bytes) {
        return Err(Problem::new(
            Code::ManifestEntryMismatch,
            format!("the tree says {said} bytes at '{path}', and the artifact has {}", artifact.size_bytes),
        )
        .with_field(format!("tree.{path}.size_bytes")));
    }
    let entry = Entry {
        sha256: draft.sha256,
        media_type: draft.media_type.unwrap_or_else(|| artifact.media_type.clone()),
        size_bytes: artifact.size_bytes,
        entity_type: draft.entity_type.or(artifact.entity_type),
    };
    Ok((path, entry))
}

fn unknown_artifact(path: &ManifestPath, sha256: Sha256) -> Problem {
    let detail = format!("the tree names {sha256} at '{path}', and there is no such artifact; upload it first");
    Problem::new(Code::ManifestEntryUnknown, detail).with_field(format!("tree.{path}.sha256"))
}

/// The problem of a manifest that is not there.
pub(crate) fn not_found(sha256: Sha256) -> Problem {
    Problem::new(Code::ManifestNotFound, format!("there is no manifest {sha256}"))
}
