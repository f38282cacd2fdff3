//! Sources: bringing them in, looking at them, changing and removing them.
//!
//! `draft.rs` says what is legal, `ingest.rs` takes the content in, `content_reader.rs` turns bytes into text, `embedding.rs`
//! makes it findable by meaning, `origins.rs` says where content is fetched from, `import.rs` brings many at once.

mod content_reader;
mod draft;
pub(crate) mod embedding;
pub(crate) mod import;
pub(crate) mod ingest;
pub(crate) mod origins;
mod passages;

use std::collections::BTreeSet;

use futures::TryStreamExt;
use ibid_domain::{
    Artifact, Code, Cursor, DocumentId, EmbeddingState, JobId, JsonObject, Limit, Mark, Page, Problem, Revision,
    RevisionId, Sha256, Source, SourceId, SourceStatus, artifact::MediaType, pointer::PointerName,
};
use ibid_ingest::ExtractionError;
use ibid_store::{Chunk, NewRevision, SourceFilter, SourceKey, Tx};

pub use content_reader::{
    ContentHints, ContentReader, ExtractedContent, InProcessReader, SandboxedReader, read_content,
};
pub use draft::{SourceChange, SourceContent, SourceDraft, parse_names};
pub use import::{ImportReport, ImportRequest, RejectedEntry};
pub use passages::{PassagesImport, PassagesReport};

use crate::{
    App, Error, Result, Scope, UploadDetails, background_jobs::BackgroundJob, knowledge::graph::GraphUpsertJob,
    services::SourceService,
};

/// A source together with what it says now.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceWithRevision {
    pub source: Source,
    /// The current revision; `None` if the source has no content.
    pub revision: Option<Revision>,
}

/// The text of a revision, with its marks.
#[derive(Clone, Debug)]
pub struct RevisionText {
    /// The revision the text belongs to.
    pub revision: Revision,
    pub text: String,
    /// Page and section marks of the text.
    pub marks: Vec<Mark>,
}

/// The effects of deleting a source.
#[derive(Clone, Debug)]
pub struct DeletionImpact {
    pub source: Source,
    /// Number of revisions that would be deleted.
    pub revisions: u64,
    /// Number of passages that search would no longer find.
    pub chunks: u64,
    /// The artifacts that nothing else would name.
    pub artifacts: Vec<Artifact>,
    /// The documents that cite it: their ids, what they are called, and how often.
    pub documents: Vec<(DocumentId, String, u64)>,
}

impl SourceService<'_> {
    /// Makes a source, and says whether it is new. Its content is taken in by a job that follows; a source that is
    /// here already with the same content is given back as it is.
    pub async fn create(self, draft: SourceDraft) -> Result<(SourceWithRevision, bool)> {
        let mut draft = draft.into_validated()?;
        let url_key = match (&draft.content, &draft.url) {
            (SourceContent::AtUrl, Some(url)) => Some(self.app.tools().fetcher.check_url(url).map_err(fetch_problem)?),
            _ => None,
        };
        if let SourceContent::Text(text) = &draft.content {
            let details = UploadDetails {
                media_type: Some(MediaType::new("text/plain; charset=utf-8")?),
                entity_type: Some(draft.kind()),
                ..UploadDetails::default()
            };
            draft.content = SourceContent::Artifact(self.keep_bytes(text.clone().into(), details).await?.sha256);
            draft.origin = draft.origin.or(Some(ibid_domain::Origin::Manual));
        }
        let mut tx = self.app.store.write().await?;
        let artifact = match draft.content {
            SourceContent::Artifact(sha256) => {
                let artifact = tx.artifacts(self.scope).get(sha256).await?;
                Some(artifact.ok_or_else(|| {
                    let detail = format!("there is no artifact {sha256}; upload it first");
                    Problem::new(Code::ArtifactNotFound, detail).with_field("artifact_sha256")
                })?)
            }
            _ => None,
        };
        let mut keys = Vec::new();
        keys.extend(draft.external_id.as_deref().map(SourceKey::External));
        keys.extend(url_key.as_deref().map(SourceKey::Url));
        keys.extend(artifact.as_ref().map(|artifact| SourceKey::Content(artifact.sha256)));
        for key in &keys {
            tx.sources(self.scope).lock_key(key).await?;
        }
        for key in &keys {
            let Some(known) = tx.sources(self.scope).find_by_key(key, draft.document_id).await? else { continue };
            let described = self.app.update_known_source(&mut tx, self.scope, known, artifact.as_ref(), &draft).await?;
            tx.commit().await?;
            return Ok((described, false));
        }
        let described = insert_source(&mut tx, self.scope, draft, artifact.as_ref(), url_key.as_deref()).await?;
        tx.commit().await?;
        metrics::counter!("ibid_sources_created_total", "origin" => described.source.origin.as_str()).increment(1);
        Ok((described, true))
    }

    /// Keeps a few bytes that are in memory as an artifact.
    pub(crate) async fn keep_bytes(self, bytes: bytes::Bytes, details: UploadDetails) -> Result<Artifact> {
        let mut received = self.app.start_upload(u64::MAX).await?;
        received.write(bytes).await?;
        Ok(self.app.artifacts(self.scope).store(received, details).await?.0)
    }

    /// Returns a source with its current revision, or a not-found problem.
    pub async fn get(self, id: SourceId) -> Result<SourceWithRevision> {
        let mut tx = self.app.store.read().await?;
        let source = tx.sources(self.scope).get(id).await?.ok_or_else(|| not_found(id))?;
        with_current_revision(&mut tx, self.scope, source).await
    }

    /// Lists sources, newest first, one page at a time.
    pub async fn list(
        self,
        filter: &SourceFilter,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<Page<SourceWithRevision>> {
        let mut tx = self.app.store.read().await?;
        let page = tx.sources(self.scope).list(filter, limit, after).await?;
        let ids: Vec<RevisionId> = page.items.iter().filter_map(|source| source.revision).collect();
        let mut revisions = tx.revisions(self.scope).get_many(&ids).await?;
        Ok(page.map(|source| {
            let revision = source.revision.and_then(|id| revisions.remove(&id));
            SourceWithRevision { source, revision }
        }))
    }

    /// Counts sources by status and embedding state.
    pub async fn count(self) -> Result<Vec<(SourceStatus, EmbeddingState, u64)>> {
        Ok(self.app.store.read().await?.sources(self.scope).count_by_status().await?)
    }

    /// Changes what is said of a source.
    pub async fn change(self, id: SourceId, change: SourceChange) -> Result<SourceWithRevision> {
        let mut tx = self.app.store.write().await?;
        let mut source = tx.sources(self.scope).get_for_update(id).await?.ok_or_else(|| not_found(id))?;
        let title = source.display_title().to_owned();
        change.apply_to(&mut source)?;
        let described = with_current_revision(&mut tx, self.scope, source).await?;
        let SourceWithRevision { mut source, revision } = described;
        if source.display_title() != title
            && let Some(revision) = &revision
        {
            let chunks = tx.revisions(self.scope).all_chunks(revision.id).await?;
            let language = revision.language.as_deref();
            self.app.index_chunks(&mut tx, self.scope, source.display_title(), language, &chunks).await?;
        }
        let filename = revision.as_ref().and_then(|revision| revision.filename.as_deref());
        tx.sources(self.scope).save(&mut source, filename).await?;
        tx.commit().await?;
        Ok(SourceWithRevision { source, revision })
    }

    /// Removes a source and all that was made of it. Its bytes stay for the grace period of garbage collection.
    pub async fn delete(self, id: SourceId) -> Result<()> {
        let mut tx = self.app.store.write().await?;
        tx.sources(self.scope).get_for_update(id).await?.ok_or_else(|| not_found(id))?;
        tx.pointers(self.scope).delete(&pointer_name(id)?).await?;
        let told = !tx.knowledge(self.scope).entities_of_source(id).await?.is_empty();
        tx.sources(self.scope).remove(id).await?;
        if told {
            tx.jobs(self.scope).enqueue(GraphUpsertJob { source_id: Some(id), purge: true }.to_new_job()).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Returns what deleting a source would remove or affect.
    pub async fn impact(self, id: SourceId) -> Result<DeletionImpact> {
        let mut tx = self.app.store.read().await?;
        let source = tx.sources(self.scope).get(id).await?.ok_or_else(|| not_found(id))?;
        let documents = tx.documents(self.scope).list_citing(id).await?;
        let documents = documents.into_iter().map(|(one, count)| (one.id, one.settings.title, count)).collect();
        let named = tx.revisions(self.scope).artifacts_of(id).await?;
        let mut left = named.clone();
        // The manifests of its own pointer go with it.
        if let Some(pointer) = tx.pointers(self.scope).get(&pointer_name(id)?).await? {
            let mut manifest = pointer.manifest;
            while let Some(sha256) = manifest {
                for (_, entry) in tx.manifests(self.scope).get_tree(sha256).await?.iter() {
                    *left.entry(entry.sha256).or_insert(0) += 1;
                }
                manifest = tx.manifests(self.scope).get(sha256).await?.and_then(|manifest| manifest.parent);
            }
        }
        let hashes: Vec<Sha256> = left.keys().copied().collect();
        let mut artifacts: Vec<Artifact> = tx.artifacts(self.scope).get_many(&hashes).await?.into_values().collect();
        artifacts.retain(|artifact| {
            let own = left.get(&artifact.sha256).copied().unwrap_or(0);
            u64::try_from(own).unwrap_or(0) >= artifact.reference_count
        });
        artifacts.sort_by_key(|artifact| artifact.sha256);
        let (mut revisions, mut chunks, mut after) = (0, 0, None);
        loop {
            let page = tx.revisions(self.scope).list(id, Limit::new(Limit::MAX.into())?, after.as_ref()).await?;
            revisions += page.items.len() as u64;
            chunks += page.items.iter().map(|revision| revision.chunk_count).sum::<u64>();
            after = page.next;
            if after.is_none() {
                return Ok(DeletionImpact { source, revisions, chunks, artifacts, documents });
            }
        }
    }

    /// Takes the content of a source in again: new bytes, or what now stands at its address. Gives the job.
    pub async fn refresh(self, id: SourceId, content: Option<Sha256>) -> Result<JobId> {
        let mut tx = self.app.store.write().await?;
        let mut source = tx.sources(self.scope).get_for_update(id).await?.ok_or_else(|| not_found(id))?;
        let newest = tx.revisions(self.scope).get_newest(id).await?;
        match content {
            Some(sha256) => {
                let artifact = tx.artifacts(self.scope).get(sha256).await?.ok_or_else(|| {
                    let detail = format!("there is no artifact {sha256}; upload it first");
                    Problem::new(Code::ArtifactNotFound, detail).with_field("artifact_sha256")
                })?;
                if newest.is_none_or(|newest| newest.content != sha256) {
                    add_revision(&mut tx, self.scope, id, &artifact, None, JsonObject::new()).await?;
                }
            }
            None if self.app.tools().adapter_for(&source).is_none() && newest.is_none() => {
                let detail = "this source has neither an address nor bytes; send the bytes as artifact_sha256";
                return Err(Problem::new(Code::SourceCannotBeRefreshed, detail).into());
            }
            None if source.status == SourceStatus::Failed => {
                let job = try_again(&mut tx, self.scope, &mut source, newest.as_ref(), true).await?;
                tx.commit().await?;
                return Ok(job);
            }
            None => {}
        }
        let job = enqueue_ingest(&mut tx, self.scope, id, content.is_none()).await?;
        tx.commit().await?;
        Ok(job)
    }

    /// True if the newest bytes of a source have been extracted.
    pub async fn is_read(self, id: SourceId) -> Result<bool> {
        let newest = self.app.store.read().await?.revisions(self.scope).get_newest(id).await?;
        Ok(newest.is_none_or(|newest| newest.extracted_at.is_some()))
    }

    /// The revisions of a source, newest first.
    pub async fn revisions(self, id: SourceId, limit: Limit, after: Option<&Cursor>) -> Result<Page<Revision>> {
        let mut tx = self.app.store.read().await?;
        tx.sources(self.scope).get(id).await?.ok_or_else(|| not_found(id))?;
        Ok(tx.revisions(self.scope).list(id, limit, after).await?)
    }

    /// A revision of a source: the one asked for, or the one it stands at.
    pub async fn revision(self, id: SourceId, revision: Option<RevisionId>) -> Result<Revision> {
        let described = self.get(id).await?;
        let Some(wanted) = revision else {
            return described.revision.ok_or_else(|| {
                let why = described.source.extraction_error.map(|fault| fault.detail);
                let why = why.unwrap_or_else(|| "it has none yet, or was typed in".to_owned());
                Problem::new(Code::SourceHasNoContent, format!("source {id} has no content: {why}")).into()
            });
        };
        let found = self.app.store.read().await?.revisions(self.scope).get(wanted).await?;
        found.filter(|revision| revision.source == id).ok_or_else(|| {
            let detail = format!("source {id} has no revision {wanted}");
            Problem::new(Code::RevisionNotFound, detail).with_field("revision").into()
        })
    }

    /// The text of a source, of the revision asked for or of the one it stands at.
    pub async fn text(self, id: SourceId, revision: Option<RevisionId>) -> Result<RevisionText> {
        let revision = self.revision(id, revision).await?;
        let Some(sha256) = revision.text else {
            let source = self.get(id).await?.source;
            let why = match (source.status, source.extraction_error) {
                (SourceStatus::Pending, _) => "it is still being read".to_owned(),
                (_, Some(fault)) => fault.detail,
                (_, None) if revision.is_image() => "it is a picture".to_owned(),
                (_, None) => "its content has none".to_owned(),
            };
            return Err(Problem::new(Code::SourceHasNoText, format!("source {id} has no text: {why}")).into());
        };
        let text = self.text_of(sha256).await?;
        let marks = self.app.store.read().await?.revisions(self.scope).list_marks(revision.id).await?;
        Ok(RevisionText { revision, text, marks })
    }

    /// An artifact that is text, whole.
    pub(crate) async fn text_of(self, sha256: Sha256) -> Result<String> {
        let text = self.bytes_of(sha256).await?;
        String::from_utf8(text).map_err(|_| Error::corrupt("text artifact", sha256))
    }

    /// The bytes of an artifact, whole.
    pub(crate) async fn bytes_of(self, sha256: Sha256) -> Result<Vec<u8>> {
        let bytes = self.app.store.read_bytes(self.scope, sha256, None).await?;
        let mut bytes = bytes.ok_or_else(|| Error::corrupt("artifact without bytes", sha256))?;
        let mut all = Vec::new();
        while let Some(piece) = bytes.try_next().await? {
            all.extend_from_slice(&piece);
        }
        Ok(all)
    }

    /// The chunks of a source, of the revision asked for or of the one it stands at.
    pub async fn chunks(
        self,
        id: SourceId,
        revision: Option<RevisionId>,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<Page<Chunk>> {
        let source = self.get(id).await?;
        if revision.is_none() && source.revision.is_none() {
            return Ok(Page { items: vec![], next: None });
        }
        let revision = self.revision(id, revision).await?;
        Ok(self.app.store.read().await?.revisions(self.scope).list_chunks(revision.id, limit, after).await?)
    }
}

impl App {
    /// A source that is here already: with the new bytes if they are new, and tried again if it had failed.
    async fn update_known_source(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        mut known: Source,
        artifact: Option<&Artifact>,
        draft: &SourceDraft,
    ) -> Result<SourceWithRevision> {
        let newest = tx.revisions(scope).get_newest(known.id).await?;
        let tags = known.tags.len();
        known.tags.extend(draft.tags.iter().filter(|tag| !known.tags.contains(tag)).cloned().collect::<Vec<_>>());
        let changed = artifact.filter(|new| newest.as_ref().is_none_or(|newest| newest.content != new.sha256));
        if let Some(artifact) = changed {
            add_revision(tx, scope, known.id, artifact, draft.filename.clone(), JsonObject::new()).await?;
            enqueue_ingest(tx, scope, known.id, false).await?;
        }
        if known.status == SourceStatus::Failed && changed.is_none() {
            let fetch = draft.content == SourceContent::AtUrl;
            try_again(tx, scope, &mut known, newest.as_ref(), fetch).await?;
        } else if known.tags.len() > tags {
            let filename = newest.and_then(|newest| newest.filename);
            tx.sources(scope).save(&mut known, filename.as_deref()).await?;
        }
        with_current_revision(tx, scope, known).await
    }

    /// Reads bytes without keeping anything of them. The outer error is the server's, the inner one the file's.
    pub async fn read_bytes(
        &self,
        about: &ContentHints,
        bytes: bytes::Bytes,
    ) -> Result<Result<ExtractedContent, ExtractionError>> {
        let size = bytes.len() as u64;
        let stream = futures::stream::once(async move { Ok(bytes) });
        let today = Some(ingest::day_after(self.store.clock().now()));
        let about = ContentHints { today, size_bytes: size, ..about.clone() };
        self.tools().reader.read(&about, Box::pin(stream)).await
    }
}

/// The pointer that names what a source says now.
pub(crate) fn pointer_name(id: SourceId) -> Result<PointerName, Problem> {
    PointerName::new("knowledge_base", format!("sources/{id}"))
}

async fn insert_source(
    tx: &mut Tx,
    scope: &Scope,
    draft: SourceDraft,
    artifact: Option<&Artifact>,
    url_key: Option<&str>,
) -> Result<SourceWithRevision> {
    let now = tx.now();
    let has_content = draft.content != SourceContent::Nothing;
    let said: BTreeSet<&str> = draft.reference.texts().map(|(name, _)| name).collect();
    let mut edited: Vec<String> = said.into_iter().map(str::to_owned).collect();
    for (name, told) in [
        ("authors", !draft.reference.authors.is_empty()),
        ("editors", !draft.reference.editors.is_empty()),
        ("publication_date", draft.reference.publication_date.is_some()),
    ] {
        if told {
            edited.push(name.to_owned());
        }
    }
    let artifact_name = artifact.and_then(|artifact| artifact.filename.as_ref()).map(|name| name.as_str().to_owned());
    let filename = draft.filename.clone().or(artifact_name);
    let (kind, origin) = (draft.kind(), draft.origin());
    let mut reference = draft.reference;
    if reference.title.is_none() {
        // Until the content tells better, and not as something that a person has said.
        reference.title = filename.clone();
    }
    let mut source = Source {
        id: SourceId::new(),
        kind,
        origin,
        reference,
        edited,
        url: draft.url,
        canonical_url: None,
        site_name: draft.site_name,
        favicon: None,
        metadata: draft.metadata,
        tags: draft.tags,
        document_id: draft.document_id,
        project_id: draft.project_id,
        run_id: draft.run_id,
        message_id: draft.message_id,
        external_id: draft.external_id,
        is_available: true,
        status: if has_content { SourceStatus::Pending } else { SourceStatus::Ready },
        extraction_error: None,
        embedding: if has_content { EmbeddingState::Pending } else { EmbeddingState::Absent },
        embedding_error: None,
        revision: None,
        created_by: scope.user(),
        created_at: now,
        updated_at: now,
        accessed_at: now,
    };
    tx.sources(scope).add(&source, url_key, filename.as_deref()).await?;
    let mut revision = None;
    if let Some(artifact) = artifact {
        let first = add_revision(tx, scope, source.id, artifact, filename.clone(), JsonObject::new()).await?;
        source.revision = Some(first.id);
        tx.sources(scope).save(&mut source, filename.as_deref()).await?;
        revision = Some(first);
    }
    if has_content {
        enqueue_ingest(tx, scope, source.id, false).await?;
    }
    Ok(SourceWithRevision { source, revision })
}

/// New bytes of a source, which are read by the job that follows.
async fn add_revision(
    tx: &mut Tx,
    scope: &Scope,
    source: SourceId,
    artifact: &Artifact,
    filename: Option<String>,
    validators: JsonObject,
) -> Result<Revision> {
    let filename = filename.or_else(|| artifact.filename.as_ref().map(|name| name.as_str().to_owned()));
    Ok(tx
        .revisions(scope)
        .add(NewRevision {
            source,
            content: artifact.sha256,
            media_type: artifact.media_type.as_str().to_owned(),
            filename,
            size_bytes: artifact.size_bytes,
            validators,
        })
        .await?)
}

/// Asks for a source that had failed to be taken in once more: what was missing may be there now.
async fn try_again(
    tx: &mut Tx,
    scope: &Scope,
    source: &mut Source,
    newest: Option<&Revision>,
    fetch: bool,
) -> Result<JobId> {
    if let Some(newest) = newest {
        tx.revisions(scope).read_again(newest.id).await?;
    }
    source.status = SourceStatus::Pending;
    source.embedding = EmbeddingState::Pending;
    let filename = newest.and_then(|newest| newest.filename.clone());
    tx.sources(scope).save(source, filename.as_deref()).await?;
    enqueue_ingest(tx, scope, source.id, fetch).await
}

/// Asks for the content of a source to be taken in. `fetch` says to look at its address again.
async fn enqueue_ingest(tx: &mut Tx, scope: &Scope, source: SourceId, fetch: bool) -> Result<JobId> {
    let job = ingest::IngestJob { source_id: source, fetch }.to_new_job();
    Ok(tx.jobs(scope).enqueue(job).await?.id)
}

async fn with_current_revision(tx: &mut Tx, scope: &Scope, source: Source) -> Result<SourceWithRevision> {
    let revision = match source.revision {
        Some(id) => tx.revisions(scope).get(id).await?,
        None => None,
    };
    Ok(SourceWithRevision { source, revision })
}

/// The problem of a source that is not there.
pub(crate) fn not_found(id: SourceId) -> Problem {
    Problem::new(Code::SourceNotFound, format!("there is no source {id}"))
}

/// Converts a fetch error to a problem of the URL field.
fn fetch_problem(error: ibid_fetch::FetchError) -> Problem {
    let code = match error {
        ibid_fetch::FetchError::AddressNotAllowed(_) | ibid_fetch::FetchError::PortNotAllowed(_) => Code::UrlNotAllowed,
        _ => Code::UrlInvalid,
    };
    Problem::new(code, error.to_string()).with_field("url")
}
