//! Taking the content of a source in: fetch → read → chunk → index → manifest and pointer, and then the embedding.
//!
//! The job may be cut off anywhere and run again. What a run brings to its end is written in one transaction that
//! holds the source: text, marks, chunks, manifest, pointer and the job that follows are there together or not at all.

use std::time::Duration;

use ibid_domain::{
    CharIndex, ChunkId, EmbeddingState, JsonObject, MarkKind, PartialDate, Reference, Revision, Sha256, Source,
    SourceId, SourceStatus, Timestamp,
    artifact::{Filename, MediaType},
    source::ExtractionFault,
};
use ibid_fetch::{FetchError, FetchedPage, Validators};
use ibid_ingest::{ExtractionError, chunks::split_into_chunks};
use ibid_language::{Language, detect::detect};
use ibid_store::{Chunk, JobError, PointerPatch, Tx};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::{ContentHints, ExtractedContent, add_revision, embedding::EmbedJob, origins::OriginAdapter, pointer_name};
use crate::{
    App, EntryDraft, Error, ManifestDraft, Result, Scope, UploadDetails,
    artifacts::PreparedArtifact,
    background_jobs::{BackgroundJob, JobOutcome},
    citations::NormalizedText,
    knowledge::extraction::ExtractEventsJob,
    manifests::make_manifest,
    run_blocking,
    services::SourceService,
    worker::JobContext,
};

/// The longest that a server's wish to be left alone is heeded.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Takes the content of a source in.
#[derive(Serialize, Deserialize)]
pub(crate) struct IngestJob {
    pub(crate) source_id: SourceId,
    /// Fetches the content again although there is some.
    #[serde(default)]
    pub(crate) fetch: bool,
}

impl BackgroundJob for IngestJob {
    const KIND: &'static str = "ingest";
    const PRIORITY: i64 = 50;

    fn key(&self) -> String {
        let source = self.source_id;
        if self.fetch { format!("{source} fetch") } else { source.to_string() }
    }

    async fn run(self, context: &JobContext) -> JobOutcome {
        context.app.ingest_source(context, self).await
    }
}

impl SourceService<'_> {
    async fn load_with_newest(self, id: SourceId) -> Result<Option<(Source, Option<Revision>)>> {
        let mut tx = self.app.store.read().await?;
        let Some(source) = tx.sources(self.scope).get(id).await? else { return Ok(None) };
        let newest = tx.revisions(self.scope).get_newest(id).await?;
        Ok(Some((source, newest)))
    }

    /// Fetches what a source is now. `None` if it cannot be had and that was written down.
    async fn fetch_source(
        self,
        adapter: &dyn OriginAdapter,
        source: &Source,
        newest: Option<Revision>,
        last_try: bool,
    ) -> Result<Option<Revision>, JobError> {
        let known = newest.as_ref().map(|revision| Validators {
            etag: text_of(&revision.validators, "etag"),
            last_modified: text_of(&revision.validators, "last_modified"),
        });
        match adapter.fetch(source, known.as_ref()).await {
            Ok(fetched) if fetched.not_modified => Ok(newest),
            Ok(fetched) => {
                let revision = self.keep_fetched(source.id, fetched).await?;
                Ok(revision)
            }
            Err(error) => {
                let over = last_try || !error.is_transient();
                self.mark_unavailable(source.id, &error, over).await?;
                match error {
                    FetchError::RateLimited { retry_after } if !last_try => {
                        let wait = retry_after.unwrap_or(Duration::from_secs(30)).min(LONGEST_WAIT);
                        Err(JobError::Deferred(error.to_string(), wait))
                    }
                    error if !over => Err(JobError::Retry(error.to_string())),
                    _ => Ok(None),
                }
            }
        }
    }

    /// Keeps the bytes of a page, as a new revision if they differ from the newest.
    async fn keep_fetched(self, id: SourceId, fetched: FetchedPage) -> Result<Option<Revision>> {
        let media_type = fetched.media_type.as_deref().and_then(|said| MediaType::new(said).ok());
        let details = UploadDetails {
            media_type,
            filename: fetched.filename.clone().and_then(|name| Filename::new(name).ok()),
            ..UploadDetails::default()
        };
        let artifact = self.keep_bytes(fetched.bytes, details).await?;
        let mut validators = JsonObject::new();
        for (name, value) in [("etag", fetched.validators.etag), ("last_modified", fetched.validators.last_modified)] {
            if let Some(value) = value {
                validators.insert(name.to_owned(), value.into());
            }
        }
        validators.insert("final_url".to_owned(), fetched.final_url.into());
        let mut tx = self.app.store.write().await?;
        let Some(mut source) = tx.sources(self.scope).get_for_update(id).await? else { return Ok(None) };
        source.is_available = true;
        source.accessed_at = tx.now();
        let newest = tx.revisions(self.scope).get_newest(id).await?;
        let revision = match newest.filter(|newest| newest.content == artifact.sha256) {
            Some(same) => same,
            None => add_revision(&mut tx, self.scope, id, &artifact, fetched.filename, validators).await?,
        };
        // Its bytes can be had before they are read.
        source.revision = source.revision.or(Some(revision.id));
        tx.sources(self.scope).save(&mut source, revision.filename.as_deref()).await?;
        tx.commit().await?;
        Ok(Some(revision))
    }

    /// Writes down that the page could not be had; if it is `over`, there will be no further try.
    async fn mark_unavailable(self, id: SourceId, error: &FetchError, over: bool) -> Result<()> {
        let mut tx = self.app.store.write().await?;
        let Some(mut source) = tx.sources(self.scope).get_for_update(id).await? else { return Ok(()) };
        source.is_available = false;
        // What was read before still stands; only a source that never had content has failed.
        if source.revision.is_none() {
            source.extraction_error = Some(extraction_fault(fetch_code(error), &error.to_string()));
            if over {
                source.status = SourceStatus::Failed;
                source.embedding = EmbeddingState::Absent;
            }
        }
        tx.sources(self.scope).save(&mut source, None).await?;
        Ok(tx.commit().await?)
    }

    /// A look at the content brought nothing new.
    async fn settle_unchanged(self, id: SourceId) -> Result<()> {
        let mut tx = self.app.store.write().await?;
        let Some(mut source) = tx.sources(self.scope).get_for_update(id).await? else { return Ok(()) };
        source.is_available = true;
        source.accessed_at = tx.now();
        let revision = tx.revisions(self.scope).get_newest(id).await?;
        let filename = revision.and_then(|revision| revision.filename);
        tx.sources(self.scope).save(&mut source, filename.as_deref()).await?;
        Ok(tx.commit().await?)
    }

    /// Writes down why there is no text. The bytes stay, and can be downloaded and cited.
    async fn keep_fault(self, id: SourceId, mut revision: Revision, error: &ExtractionError) -> Result<()> {
        let mut tx = self.app.store.write().await?;
        let Some(mut source) = tx.sources(self.scope).get_for_update(id).await? else { return Ok(()) };
        revision.extracted_at = Some(tx.now());
        tx.revisions(self.scope).save_extraction(&revision, &[]).await?;
        source.revision = Some(revision.id);
        source.status = SourceStatus::Failed;
        source.embedding = EmbeddingState::Absent;
        source.extraction_error = Some(extraction_fault(error.code(), &error.to_string()));
        tx.sources(self.scope).save(&mut source, revision.filename.as_deref()).await?;
        tx.citations(self.scope).judge_state(id, |_| false).await?;
        Ok(tx.commit().await?)
    }

    /// Keeps what was read, makes it findable by its words, and ends the job, all in one transaction. Gives the result of
    /// the job.
    async fn index(
        self,
        context: &JobContext,
        id: SourceId,
        mut revision: Revision,
        reading: ExtractedContent,
    ) -> Result<Json> {
        let ExtractedContent { extracted, thumbnail } = reading;
        let (marks, web) = (extracted.marks, extracted.web);
        let (rules, tools) = (self.app.tools().chunk_rules, self.app.tools().clone());
        // Cutting a long text into chunks takes a while; other tasks go on meanwhile.
        let (text, marks, chunks, chars) = run_blocking(move || {
            let count = |words: &str| tools.count_tokens(words);
            let pieces = split_into_chunks(&extracted.text, &marks, &rules, &count);
            let index = CharIndex::new(&extracted.text);
            let places = PlaceFinder::new(&marks);
            let chunks: Vec<_> = pieces
                .into_iter()
                .enumerate()
                .map(|(ordinal, piece)| Chunk {
                    id: ChunkId::new(),
                    source: id,
                    revision: revision.id,
                    ordinal: ordinal as u64,
                    span: piece.span,
                    tokens: piece.tokens as u64,
                    place: places.place_of(piece.span),
                    content: index.span_text(piece.span).unwrap_or_default().to_owned(),
                    embedded: false,
                })
                .collect();
            let chars = index.len();
            (extracted.text, marks, chunks, chars)
        })
        .await?;

        revision.media_type = extracted.media_type;
        revision.text_chars = chars as u64;
        revision.chunk_count = chunks.len() as u64;
        let pages = marks.iter().filter(|mark| mark.kind == MarkKind::Page).count() as u64;
        revision.page_count = Some(pages).filter(|pages| *pages > 0);
        let said = extracted.reference.language.clone();
        revision.language = said.or_else(|| detect(&text).map(Language::code).map(str::to_owned));
        let mut found = extracted.reference;
        found.language = found.language.or_else(|| revision.language.clone());

        let parts = self.prepare_parts(id, &mut revision, &text, &marks, &chunks, &found, thumbnail).await?;

        let result = json!({ "outcome": "indexed", "chunks": chunks.len() });
        let mut tx = self.app.store.write().await?;
        let Some(mut source) = tx.sources(self.scope).get_for_update(id).await? else {
            return Ok(json!({ "outcome": "gone" }));
        };
        let known = tx.revisions(self.scope).get(revision.id).await?;
        if known.is_none_or(|known| known.extracted_at.is_some()) {
            return Ok(result); // another run was faster
        }
        revision.extracted_at = Some(tx.now());
        let mut written = Vec::with_capacity(parts.len());
        for (path, part) in parts {
            written.push((path, part.write(&mut tx, self.scope).await?));
        }
        let manifest = name_parts(&mut tx, self.scope, &source, &revision, written).await?;
        revision.manifest = Some(manifest);
        tx.revisions(self.scope).save_extraction(&revision, &marks).await?;
        tx.revisions(self.scope).add_chunks(&chunks).await?;
        source.fill_reference(found);
        source.canonical_url = web.canonical_url.or(source.canonical_url);
        source.site_name = source.site_name.or(web.site_name);
        source.favicon = web.favicon.or(source.favicon);
        source.revision = Some(revision.id);
        source.extraction_error = None;
        (source.status, source.embedding) = if chunks.is_empty() {
            (SourceStatus::Ready, EmbeddingState::Absent)
        } else {
            (SourceStatus::Indexed, EmbeddingState::Pending)
        };
        source.embedding_error = None;
        tx.sources(self.scope).save(&mut source, revision.filename.as_deref()).await?;
        self.app
            .index_chunks(&mut tx, self.scope, source.display_title(), revision.language.as_deref(), &chunks)
            .await?;
        if revision.number > 1 {
            // What cites an older revision is told whether the words are still there.
            let said = NormalizedText::new(&text);
            tx.citations(self.scope).judge_state(id, |quote| said.contains_quote(quote)).await?;
        }
        tx.knowledge(self.scope).note_unread(id, !chunks.is_empty()).await?;
        if !chunks.is_empty() {
            let extract = ExtractEventsJob { source_id: Some(id), again: false };
            tx.jobs(self.scope).enqueue(extract.to_new_job()).await?;
            tx.jobs(self.scope).enqueue(EmbedJob { source_id: id }.to_new_job()).await?;
        }
        context.finish_in(&mut tx, &result).await?;
        tx.commit().await?;
        metrics::counter!("ibid_chunks_indexed_total").increment(chunks.len() as u64);
        Ok(result)
    }

    /// Prepares text, thumbnail, chunks and description as artifacts: what the manifest will name.
    #[expect(clippy::too_many_arguments, reason = "each is one part of what was read")]
    async fn prepare_parts(
        self,
        id: SourceId,
        revision: &mut Revision,
        text: &str,
        marks: &[ibid_domain::Mark],
        chunks: &[Chunk],
        found: &Reference,
        thumbnail: Option<Vec<u8>>,
    ) -> Result<Vec<(String, PreparedArtifact)>> {
        let at = |name: &str| format!("knowledge_base/{id}/{name}");
        let mut parts = vec![(at("raw"), PreparedArtifact::Stored(revision.content))];
        if !text.is_empty() {
            let part = self.prepare_part(text.to_owned().into(), "text/plain; charset=utf-8").await?;
            let text_sha256 = part.sha256();
            revision.text = Some(text_sha256);
            parts.push((at("text"), part));
            let spans: Vec<_> = chunks
                .iter()
                .map(|chunk| json!({ "start_char": chunk.span.start, "end_char": chunk.span.end, "tokens": chunk.tokens }))
                .collect();
            let list = json!({ "text_sha256": text_sha256, "chunks": spans, "marks": marks });
            parts.push((at("chunks"), self.prepare_part(list.to_string().into(), "application/json").await?));
        }
        if let Some(picture) = thumbnail {
            let kind = if picture.starts_with(b"\x89PNG") { "image/png" } else { "image/jpeg" };
            let part = self.prepare_part(picture.into(), kind).await?;
            revision.thumbnail = Some(part.sha256());
            parts.push((at("thumbnail"), part));
        }
        let about = json!({
            "source_id": id,
            "revision_id": revision.id,
            "media_type": revision.media_type,
            "filename": revision.filename,
            "chunk_count": chunks.len(),
            "total_tokens": chunks.iter().map(|chunk| chunk.tokens).sum::<u64>(),
            "language": revision.language,
            "reference": found,
        });
        let part = self.prepare_part(about.to_string().into(), "application/json").await?;
        parts.push(("metadata.json".to_owned(), part));
        Ok(parts)
    }

    async fn prepare_part(self, bytes: bytes::Bytes, kind: &str) -> Result<PreparedArtifact> {
        let details = UploadDetails { media_type: Some(MediaType::new(kind)?), ..UploadDetails::default() };
        self.app.artifacts(self.scope).prepare(bytes, details).await
    }
}

impl App {
    async fn ingest_source(&self, context: &JobContext, payload: IngestJob) -> JobOutcome {
        let (scope, id) = (&context.scope, payload.source_id);
        let last_try = context.job.attempt >= context.job.max_attempts;
        let Some((source, newest)) = self.sources(scope).load_with_newest(id).await? else {
            return Ok(Some(json!({ "outcome": "gone" })));
        };
        let tools = self.tools();
        let adapter = tools.adapter_for(&source).filter(|_| payload.fetch || newest.is_none());
        let revision = if let Some(adapter) = adapter {
            context.progress.update(0, None, "fetching").await;
            match self.sources(scope).fetch_source(adapter, &source, newest, last_try).await? {
                Some(revision) => revision,
                None => return Ok(Some(json!({ "outcome": "unavailable" }))),
            }
        } else {
            match newest {
                Some(revision) => revision,
                None => return Ok(Some(json!({ "outcome": "nothing to read" }))),
            }
        };
        if revision.extracted_at.is_some() {
            self.sources(scope).settle_unchanged(id).await?;
            return Ok(Some(json!({ "outcome": "unchanged", "revision_id": revision.id })));
        }
        context.progress.update(1, None, "reading").await;
        let about = ContentHints {
            size_bytes: revision.size_bytes,
            filename: revision.filename.clone(),
            media_type: Some(revision.media_type.clone()),
            url: source.url.clone(),
            today: Some(day_after(self.store.clock().now())),
            thumbnail: true,
        };
        let bytes = self.store.read_bytes(scope, revision.content, None).await?;
        let Some(bytes) = bytes else {
            return Err(JobError::Retry(format!("the bytes of artifact {} are missing", revision.content)));
        };
        match self.tools().reader.read(&about, bytes).await? {
            Ok(reading) => {
                context.progress.update(2, None, "indexing").await;
                Ok(Some(self.sources(scope).index(context, id, revision, reading).await?))
            }
            Err(fault) => {
                self.sources(scope).keep_fault(id, revision, &fault).await?;
                Ok(Some(json!({ "outcome": "failed", "reason": fault.to_string() })))
            }
        }
    }
}

/// The manifest of what was read, and the pointer of the source moved to it.
async fn name_parts(
    tx: &mut Tx,
    scope: &Scope,
    source: &Source,
    revision: &Revision,
    parts: Vec<(String, Sha256)>,
) -> Result<Sha256> {
    let name = pointer_name(source.id)?;
    let standing = tx.pointers(scope).get(&name).await?;
    let draft = ManifestDraft {
        tree: parts
            .into_iter()
            .map(|(path, sha256)| {
                let entity_type = path.ends_with("/raw").then_some(source.kind);
                (path, EntryDraft { sha256, media_type: None, size_bytes: None, entity_type })
            })
            .collect(),
        parent: standing.as_ref().and_then(|pointer| pointer.manifest),
        message: Some(format!("revision {} of source {}", revision.number, source.id)),
    };
    let (manifest, ..) = make_manifest(tx, scope, draft).await?;
    let meta = json!({
        "document_id": source.document_id.unwrap_or(source.id.uuid()),
        "source_id": source.id,
        "revision_id": revision.id,
        "total_chunks": revision.chunk_count,
        "chunk_count": revision.chunk_count,
        "indexed_at": revision.extracted_at,
    });
    let Json::Object(meta) = meta else { return Err(Error::corrupt("metadata of a source", "expected a JSON object")) };
    let change =
        PointerPatch { pointer_type: Some(ibid_domain::PointerType::Corpus), description: None, meta: Some(meta) };
    match standing {
        None => {
            tx.pointers(scope).create(&name, Some(manifest.sha256), &change).await?;
        }
        Some(pointer) => {
            if pointer.manifest != Some(manifest.sha256) {
                let reason = format!("revision {}", revision.number);
                tx.pointers(scope).advance(&name, pointer.manifest, manifest.sha256, Some(&reason)).await?;
            }
            tx.pointers(scope).update_details(&name, &change).await?;
        }
    }
    Ok(manifest.sha256)
}

/// Finds places by marks without looking at each mark for each chunk.
struct PlaceFinder<'a> {
    marks: &'a [ibid_domain::Mark],
    /// For each mark the furthest end of those up to it, so that a search can stop.
    reach: Vec<usize>,
}

impl<'a> PlaceFinder<'a> {
    fn new(marks: &'a [ibid_domain::Mark]) -> Self {
        let mut furthest = 0;
        let reach = marks
            .iter()
            .map(|mark| {
                furthest = furthest.max(mark.span.end);
                furthest
            })
            .collect();
        Self { marks, reach }
    }

    /// Returns page and section of a span; requires marks sorted by start.
    fn place_of(&self, span: ibid_domain::Span) -> ibid_domain::Place {
        let end = self.marks.partition_point(|mark| mark.span.start < span.end.max(span.start + 1));
        let start = self.reach[..end].partition_point(|reach| *reach <= span.start);
        ibid_domain::text::locate_span(&self.marks[start..end], span)
    }
}

fn extraction_fault(code: &str, detail: &str) -> ExtractionFault {
    ExtractionFault { code: code.to_owned(), detail: detail.to_owned() }
}

/// A stable name for why a page could not be had.
fn fetch_code(error: &FetchError) -> &'static str {
    match error {
        FetchError::InvalidUrl(_) | FetchError::SchemeNotAllowed(_) | FetchError::CredentialsNotAllowed => {
            "url_invalid"
        }
        FetchError::AddressNotAllowed(_) | FetchError::PortNotAllowed(_) | FetchError::Downgrade(_) => {
            "url_not_allowed"
        }
        FetchError::TooManyRedirects(_) => "too_many_redirects",
        FetchError::TooLarge(_) => "too_large",
        FetchError::TimedOut(_) => "timed_out",
        FetchError::Status(_) => "http_status",
        FetchError::RateLimited { .. } => "rate_limited",
        _ => "unreachable",
    }
}

fn text_of(object: &JsonObject, name: &str) -> Option<String> {
    object.get(name).and_then(Json::as_str).map(str::to_owned)
}

/// The day after the one that a time falls on: a page of a zone that is ahead of ours may be dated so.
pub(super) fn day_after(time: Timestamp) -> PartialDate {
    let tomorrow = time.later_by(Duration::from_secs(24 * 3600)).to_string();
    tomorrow.parse().unwrap_or_else(|_| unreachable!("a time begins with its day"))
}
