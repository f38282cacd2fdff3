//! Passages from another store: each with the id it has there, its text, and perhaps its vector.
//!
//! A passage becomes a source of one chunk. Lines are checked as they come and kept in batches, each in one
//! transaction; the same id again is the same source, with a new revision if the text is another one.

use std::collections::{BTreeMap, HashSet};

use ibid_domain::{
    ChunkId, Code, EmbeddingState, JsonObject, Name, Origin, Problem, Reference, Revision, RevisionId, Sha256, Source,
    SourceId, SourceStatus, SourceType, problem::shorten_for_error,
};
use ibid_language::detect::detect_quickly;
use ibid_store::{Chunk, NewPassage};
use serde::Deserialize;
use serde_json::Value as Json;
use sha2::{Digest, Sha256 as Hasher};
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::{SourceDraft, draft::SourceContent};
use crate::{App, Result, Scope, services::SourceService};

/// Maximum number of passages in one transaction, and their maximum size in bytes.
const BATCH: usize = 5_000;
const BATCH_BYTES: usize = 16 * 1024 * 1024;
/// The longest text of a passage, in bytes.
const MAX_TEXT: usize = 1024 * 1024;
/// The most numbers of a vector.
const MAX_DIMENSION: usize = 8192;
/// So many lines that were refused are told, the others counted.
const TOLD: usize = 100;
/// A language is told by so many bytes of a passage.
const LANGUAGE_SAMPLE: usize = 400;

/// The name of the space of vectors that callers bring.
pub(crate) const EXTERNAL: &str = "external";

/// One line of the import: a passage as JSON.
#[derive(Deserialize)]
struct PassageLine {
    id: String,
    source_title: String,
    text: String,
    #[serde(default)]
    vector: Option<Vec<f32>>,
    #[serde(default)]
    metadata: Option<JsonObject>,
}

/// The result of importing passages.
#[derive(Clone, Debug, Default)]
pub struct PassagesReport {
    /// Number of lines received, without blank ones.
    pub received: u64,
    /// Number of passages that became new sources.
    pub imported: u64,
    /// Number of known passages whose text changed.
    pub updated: u64,
    /// Number of known passages whose text is the same.
    pub unchanged: u64,
    /// Number of lines that were rejected.
    pub failed: u64,
    /// Why, for the first of them: the number of the line, from 1, and the reason.
    pub failures: Vec<(u64, String)>,
    /// Hints for the user, such as the number of vectors ignored.
    pub notes: Vec<String>,
}

/// An import on its way. What is finished stays, whatever becomes of the rest.
pub struct PassagesImport {
    app: App,
    scope: Scope,
    report: PassagesReport,
    batch: Vec<PassageDraft>,
    ids: HashSet<String>,
    bytes: usize,
    /// The space that vectors go into, with its dimension, once one came.
    space: Option<(i64, usize)>,
    vectors_left_out: u64,
    /// The batch that is being kept while the next one is read.
    keeping: Option<JoinHandle<Result<[u64; 3]>>>,
}

struct PassageDraft {
    draft: SourceDraft,
    text: String,
    vector: Option<Vec<f32>>,
    language: Option<String>,
}

impl SourceService<'_> {
    /// Begins to take passages in.
    pub async fn import_passages(self) -> Result<PassagesImport> {
        let mut space = None;
        if self.app.tools().external_vectors {
            let spaces = self.app.store.read().await?.embedding_spaces().await?;
            let known = spaces.into_iter().find(|space| space.in_use && space.provider == EXTERNAL);
            space = known.map(|space| (space.id, usize::try_from(space.dimension).unwrap_or(0)));
        }
        Ok(PassagesImport {
            app: self.app.clone(),
            scope: *self.scope,
            report: PassagesReport::default(),
            batch: Vec::new(),
            ids: HashSet::new(),
            bytes: 0,
            space,
            vectors_left_out: 0,
            keeping: None,
        })
    }
}

impl PassagesImport {
    /// Takes one line in. A line that is refused does not end the import.
    pub async fn add_line(&mut self, line: &[u8]) -> Result<()> {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        self.report.received += 1;
        match self.parse_line(line) {
            Ok(draft) => {
                let id = draft.draft.external_id.clone().unwrap_or_default();
                // The same id twice: the later one is another version of the earlier.
                if self.ids.contains(&id) {
                    self.flush().await?;
                }
                self.ids.insert(id);
                self.bytes += draft.text.len() + draft.vector.as_ref().map_or(0, |vector| vector.len() * 4);
                self.batch.push(draft);
                if self.batch.len() >= BATCH || self.bytes >= BATCH_BYTES {
                    self.flush().await?;
                }
            }
            Err(problem) => self.refuse(problem.detail),
        }
        Ok(())
    }

    /// Notes that a line was refused.
    pub fn refuse(&mut self, reason: String) {
        self.report.failed += 1;
        if self.report.failures.len() < TOLD {
            self.report.failures.push((self.report.received, reason));
        }
    }

    /// Counts a line that could not even be read whole, and refuses it.
    pub fn refuse_line(&mut self, reason: String) {
        self.report.received += 1;
        self.refuse(reason);
    }

    fn parse_line(&mut self, line: &[u8]) -> Result<PassageDraft, Problem> {
        let wrong = |detail: String| Problem::new(Code::InvalidField, detail);
        let line: PassageLine =
            serde_json::from_slice(line).map_err(|error| wrong(format!("not a passage: {error}")))?;
        if line.text.trim().is_empty() {
            return Err(wrong("text is empty".to_owned()));
        }
        if line.text.len() > MAX_TEXT {
            return Err(wrong(format!("text has {} bytes; at most {MAX_TEXT} are taken", line.text.len())));
        }
        if line.text.contains('\0') {
            return Err(wrong("text has a NUL character".to_owned()));
        }
        if line.id.is_empty() {
            return Err(wrong("id is empty".to_owned()));
        }
        let vector = match line.vector {
            Some(_) if !self.app.tools().external_vectors => {
                self.vectors_left_out += 1;
                None
            }
            Some(vector) => {
                let dimension = self.space.map_or(vector.len(), |(_, dimension)| dimension);
                if vector.is_empty() || vector.len() > MAX_DIMENSION || vector.len() != dimension {
                    let detail = format!("vector has {} numbers; this library's have {dimension}", vector.len());
                    return Err(wrong(detail));
                }
                if !vector.iter().all(|number| number.is_finite()) || vector.iter().all(|number| *number == 0.0) {
                    return Err(wrong("vector must be finite numbers, not all zero".to_owned()));
                }
                Some(vector)
            }
            None => None,
        };
        let mut draft = SourceDraft {
            content: SourceContent::Nothing,
            origin: Some(Origin::Database),
            kind: Some(SourceType::KnowledgeBase),
            external_id: Some(line.id),
            reference: Reference { title: Some(line.source_title), ..Reference::default() },
            ..SourceDraft::default()
        };
        let language = apply_metadata(&mut draft, line.metadata.unwrap_or_default())?;
        let draft = draft.into_validated()?;
        let sample = &line.text[..line.text.floor_char_boundary(LANGUAGE_SAMPLE)];
        let language = language.or_else(|| detect_quickly(sample).map(|language| language.code().to_owned()));
        Ok(PassageDraft { draft, text: line.text, vector, language })
    }

    /// Keeps what has come so far, durably.
    async fn flush(&mut self) -> Result<()> {
        let batch = std::mem::take(&mut self.batch);
        self.ids.clear();
        self.bytes = 0;
        if batch.is_empty() {
            return Ok(());
        }
        if self.space.is_none()
            && let Some(dimension) = batch.iter().find_map(|one| one.vector.as_ref().map(Vec::len))
        {
            let mut tx = self.app.store.write().await?;
            let space = tx.embedding_space(EXTERNAL, EXTERNAL, dimension as u64).await?;
            if !space.in_use {
                tx.use_embedding_space(space.id).await?;
            }
            tx.commit().await?;
            self.space = Some((space.id, dimension));
        }
        if self.keeping.is_none() {
            // From here on the index is told of passages as they are kept.
            self.app.catch_up().await?;
        }
        // Those of the first batch may differ among themselves.
        let dimension = self.space.map(|(_, dimension)| dimension);
        let (batch, odd): (Vec<_>, Vec<_>) =
            batch.into_iter().partition(|one| one.vector.as_ref().is_none_or(|vector| Some(vector.len()) == dimension));
        for one in odd {
            let numbers = one.vector.map_or(0, |vector| vector.len());
            self.refuse(format!("vector has {numbers} numbers; this library's have {}", dimension.unwrap_or(0)));
        }
        let (app, scope, space) = (self.app.clone(), self.scope, self.space.map(|(space, _)| space));
        self.wait_for_batch().await?;
        let runtime = tokio::runtime::Handle::current();
        let keep = move || runtime.block_on(app.sources(&scope).keep_passages(batch, space));
        self.keeping = Some(tokio::task::spawn_blocking(keep));
        Ok(())
    }

    /// Waits for the batch before.
    async fn wait_for_batch(&mut self) -> Result<()> {
        let Some(keeping) = self.keeping.take() else { return Ok(()) };
        let counts = keeping.await.map_err(ibid_store::ThreadFailed::from)??;
        self.report.imported += counts[0];
        self.report.updated += counts[1];
        self.report.unchanged += counts[2];
        Ok(())
    }

    /// Keeps the rest, and waits until all of it is found.
    pub async fn finish(mut self) -> Result<PassagesReport> {
        self.flush().await?;
        self.wait_for_batch().await?;
        if self.vectors_left_out > 0 {
            self.report.notes.push(format!(
                "{} vectors were left out, because this library embeds by itself; \
                 start it with embedder = \"external\" to bring your own",
                self.vectors_left_out
            ));
        }
        self.app.catch_up().await?;
        metrics::counter!("ibid_passages_imported_total").increment(self.report.imported + self.report.updated);
        Ok(std::mem::take(&mut self.report))
    }
}

impl SourceService<'_> {
    /// Keeps a batch in one transaction: how many are new, have another text, have the same text.
    async fn keep_passages(self, batch: Vec<PassageDraft>, space: Option<i64>) -> Result<[u64; 3]> {
        let hashes: Vec<Sha256> =
            batch.iter().map(|one| Sha256::from(<[u8; 32]>::from(Hasher::digest(one.text.as_bytes())))).collect();
        let ids: Vec<&str> = batch.iter().filter_map(|one| one.draft.external_id.as_deref()).collect();
        let mut tx = self.app.store.write_inline().await?;
        tx.passages(self.scope).lock().await?;
        let before = self.app.index_position(&mut tx).await?;
        let known = tx.passages(self.scope).find_existing(&ids).await?;
        let mut counts = [0; 3];
        // Each revision names its text twice: as what was brought and as what it says.
        let mut texts: BTreeMap<Sha256, (&str, i64)> = BTreeMap::new();
        for (one, sha256) in batch.iter().zip(&hashes) {
            let id = one.draft.external_id.as_deref().unwrap_or_default();
            let is_new = known.get(id).is_none_or(|known| known.content != Some(*sha256));
            let kept = texts.entry(*sha256).or_insert((one.text.as_str(), 0));
            kept.1 += if is_new && !known.contains_key(id) { 2 } else { 0 };
        }
        let blobs = self.app.store.blobs();
        tx.passages(self.scope).keep_texts(&texts, |sha256| blobs.uri(self.scope, sha256)).await?;
        drop(texts);
        let embeds = self.app.tools().embedder.is_some();
        let mut new = Vec::with_capacity(batch.len());
        let mut changed = Vec::new();
        let now = tx.now();
        for (one, sha256) in batch.into_iter().zip(hashes) {
            let id = one.draft.external_id.clone().unwrap_or_default();
            match known.get(&id) {
                None => new.push(build_passage(self.scope, one, sha256, now, embeds)),
                Some(here) if here.content == Some(sha256) => counts[2] += 1,
                Some(here) => changed.push((here.source, one, sha256)),
            }
        }
        counts[0] = new.len() as u64;
        counts[1] = changed.len() as u64;
        let first = tx.passages(self.scope).add(&new, space).await?;
        let after = self.app.index_position(&mut tx).await?;
        let only_new = changed.is_empty();
        if self.app.store.index_folder().is_none() {
            let items = new.iter().map(|one| {
                (one.chunk, one.source.display_title(), one.text.as_str(), one.revision.language.as_deref())
            });
            let items: Vec<_> = items
                .map(|(chunk, title, text, language)| {
                    let text = ibid_index::PassageText { heading: title.to_owned(), content: text.to_owned() };
                    (chunk, ibid_index::passage_words(&text, language))
                })
                .collect();
            tx.search(self.scope).index_words(&items).await?;
        }
        for (source, one, sha256) in changed {
            self.app.revise_passage(&mut tx, self.scope, source, one, sha256, space).await?;
        }
        let kept = first.zip(before.zip(after)).filter(|_| only_new);
        match kept {
            Some((first, positions)) => self.app.commit_and_index(tx, self.scope, first, positions, space, new).await?,
            None => tx.commit().await?,
        }
        Ok(counts)
    }
}

impl App {
    /// A passage that says something else than before.
    async fn revise_passage(
        &self,
        tx: &mut ibid_store::Tx,
        scope: &Scope,
        id: SourceId,
        one: PassageDraft,
        sha256: Sha256,
        space: Option<i64>,
    ) -> Result<()> {
        let Some(mut source) = tx.sources(scope).get_for_update(id).await? else { return Ok(()) };
        let made = build_passage(scope, one, sha256, tx.now(), self.tools().embedder.is_some());
        let added = tx
            .revisions(scope)
            .add(ibid_store::NewRevision {
                source: id,
                content: sha256,
                media_type: made.revision.media_type.clone(),
                filename: None,
                size_bytes: made.revision.size_bytes,
                validators: JsonObject::new(),
            })
            .await?;
        let revision = Revision { id: added.id, source: id, number: added.number, ..made.revision };
        tx.revisions(scope).save_extraction(&revision, &[]).await?;
        let chunk = Chunk {
            id: made.chunk,
            source: id,
            revision: revision.id,
            ordinal: 0,
            span: ibid_domain::Span::new(0, usize::try_from(revision.text_chars).unwrap_or(0)),
            tokens: made.tokens,
            place: ibid_domain::Place::default(),
            content: made.text,
            embedded: false,
        };
        tx.revisions(scope).add_chunks(std::slice::from_ref(&chunk)).await?;
        if let (Some(space), Some(vector)) = (space, made.vector) {
            tx.vectors(scope).insert_vectors(space, &[(chunk.id, vector)]).await?;
        }
        source.reference = made.source.reference;
        source.metadata = made.source.metadata;
        source.tags = made.source.tags;
        source.revision = Some(revision.id);
        (source.status, source.embedding) = (made.source.status, made.source.embedding);
        tx.sources(scope).save(&mut source, None).await?;
        self.index_chunks(tx, scope, source.display_title(), revision.language.as_deref(), &[chunk]).await
    }
}

/// Takes what is known of the source out of a passage's metadata; what is left is the source's own. Gives the language.
fn apply_metadata(draft: &mut SourceDraft, mut metadata: JsonObject) -> Result<Option<String>, Problem> {
    let wrong = |field: &str, value: &Json, right: &str| {
        let detail = format!("metadata.{field} is {}; it takes {right}", shorten_for_error(&value.to_string()));
        Problem::new(Code::InvalidField, detail).with_field(format!("metadata.{field}"))
    };
    let texts = |value: &Json| match value {
        Json::String(text) => Some(vec![text.clone()]),
        Json::Array(all) => all.iter().map(|one| one.as_str().map(str::to_owned)).collect(),
        _ => None,
    };
    let id = |field: &str, value: &Json| {
        let id = value.as_str().and_then(|text| text.parse::<Uuid>().ok());
        id.ok_or_else(|| wrong(field, value, "a UUID"))
    };
    let mut language = None;
    for field in ["tags", "authors", "url", "language", "document_id", "project_id", "publication_date", "type"] {
        let Some(value) = metadata.remove(field).filter(|value| !value.is_null()) else { continue };
        match field {
            "tags" => draft.tags = texts(&value).ok_or_else(|| wrong(field, &value, "a list of texts"))?,
            "authors" => {
                let names = texts(&value).ok_or_else(|| wrong(field, &value, "a list of names"))?;
                draft.reference.authors = names.into_iter().map(Name::Whole).collect();
            }
            "document_id" => draft.document_id = Some(id(field, &value)?),
            "project_id" => draft.project_id = Some(id(field, &value)?),
            "language" => {
                let text = value.as_str().ok_or_else(|| wrong(field, &value, "a code like en"))?;
                language = Some(text.to_lowercase());
            }
            "publication_date" => {
                let date = value.as_str().and_then(|text| text.parse().ok());
                draft.reference.publication_date = Some(date.ok_or_else(|| wrong(field, &value, "a date"))?);
            }
            "type" => {
                let text = value.as_str().ok_or_else(|| wrong(field, &value, "one of the twelve types"))?;
                draft.kind = Some(text.parse()?);
            }
            _ => match value.as_str() {
                // Another store may call anything a URL.
                Some(url) if url.starts_with("http://") || url.starts_with("https://") => {
                    draft.url = Some(url.to_owned())
                }
                _ => drop(metadata.insert(field.to_owned(), value)),
            },
        }
    }
    draft.metadata = metadata;
    Ok(language)
}

/// Everything that is made of a passage.
fn build_passage(
    scope: &Scope,
    one: PassageDraft,
    sha256: Sha256,
    now: ibid_domain::Timestamp,
    embeds: bool,
) -> NewPassage {
    let (source_id, revision_id) = (SourceId::new(), RevisionId::new());
    let PassageDraft { draft, text, vector, language } = one;
    let (status, embedding) = match (&vector, embeds) {
        (Some(_), _) => (SourceStatus::Ready, EmbeddingState::Ready),
        (None, true) => (SourceStatus::Indexed, EmbeddingState::Pending),
        (None, false) => (SourceStatus::Ready, EmbeddingState::Absent),
    };
    let chars = text.chars().count() as u64;
    NewPassage {
        source: Source {
            id: source_id,
            kind: draft.kind(),
            origin: draft.origin(),
            reference: draft.reference,
            edited: vec![],
            url: draft.url,
            canonical_url: None,
            site_name: None,
            favicon: None,
            metadata: draft.metadata,
            tags: draft.tags,
            document_id: draft.document_id,
            project_id: draft.project_id,
            run_id: None,
            message_id: None,
            external_id: draft.external_id,
            is_available: true,
            status,
            extraction_error: None,
            embedding,
            embedding_error: None,
            revision: Some(revision_id),
            created_by: scope.user(),
            created_at: now,
            updated_at: now,
            accessed_at: now,
        },
        revision: Revision {
            id: revision_id,
            source: source_id,
            number: 1,
            content: sha256,
            text: Some(sha256),
            thumbnail: None,
            media_type: "text/plain".to_owned(),
            filename: None,
            size_bytes: text.len() as u64,
            text_chars: chars,
            page_count: None,
            chunk_count: 1,
            language,
            manifest: None,
            validators: JsonObject::new(),
            created_at: now,
            extracted_at: Some(now),
        },
        chunk: ChunkId::new(),
        // What counts is how long it is for a person; no model is asked.
        tokens: text.split_whitespace().count() as u64 * 4 / 3 + 1,
        text,
        vector,
    }
}
