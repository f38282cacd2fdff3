//! Making sources findable by meaning, and keeping that so when the model changes.

use std::{sync::Arc, time::Duration};

use ibid_domain::{EmbeddingState, SourceId, SourceStatus, source::ExtractionFault};
use ibid_models::{EmbedError, Embedder, Purpose};
use ibid_store::{EmbeddingSpace, JobError, Tx};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::ingest::IngestJob;
use crate::{
    App, Error, Result,
    background_jobs::{BackgroundJob, JobOutcome},
    services::SourceService,
    worker::JobContext,
};

/// Delay if a provider rate-limits without saying for how long.
const DEFAULT_WAIT: Duration = Duration::from_secs(20);
/// The longest that such a wish is heeded.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Embeds the chunks of a source.
#[derive(Serialize, Deserialize)]
pub(crate) struct EmbedJob {
    pub(crate) source_id: SourceId,
}

impl BackgroundJob for EmbedJob {
    const KIND: &'static str = "embed";
    // One fills all processors; a second one is there to keep them full between two batches.
    const AT_ONCE: Option<u32> = Some(2);

    fn key(&self) -> String {
        self.source_id.to_string()
    }

    async fn run(self, context: &JobContext) -> JobOutcome {
        context.app.embed_source(context, self.source_id).await
    }
}

/// A passage as it is embedded: what its source is called tells what it is about.
fn with_title(title: Option<&str>, text: &str) -> String {
    match title {
        Some(title) => format!("{title}\n{text}"),
        None => text.to_owned(),
    }
}

impl SourceService<'_> {
    async fn note_embedding(self, id: SourceId, state: Option<EmbeddingState>, reason: Option<&str>) -> Result<()> {
        let mut tx = self.app.store.write().await?;
        self.write_embedding(&mut tx, id, state, reason).await?;
        Ok(tx.commit().await?)
    }

    async fn write_embedding(
        self,
        tx: &mut Tx,
        id: SourceId,
        state: Option<EmbeddingState>,
        reason: Option<&str>,
    ) -> Result<()> {
        let Some(mut source) = tx.sources(self.scope).get_for_update(id).await? else { return Ok(()) };
        source.embedding = state.unwrap_or(source.embedding);
        source.embedding_error = reason.map(str::to_owned);
        if source.embedding == EmbeddingState::Ready && source.status == SourceStatus::Indexed {
            source.status = SourceStatus::Ready;
        }
        let revision = match source.revision {
            Some(id) => tx.revisions(self.scope).get(id).await?,
            None => None,
        };
        let filename = revision.and_then(|revision| revision.filename);
        Ok(tx.sources(self.scope).save(&mut source, filename.as_deref()).await?)
    }

    /// Notes that all chunks of a source are embedded, and ends the job.
    async fn finish_embedding(self, context: &JobContext, mut tx: Tx, id: SourceId, result: &Json) -> Result<()> {
        self.write_embedding(&mut tx, id, Some(EmbeddingState::Ready), None).await?;
        context.finish_in(&mut tx, result).await?;
        Ok(tx.commit().await?)
    }

    async fn sweep_tenant(self, embed: bool) -> Result<u64> {
        let (mut asked, mut after) = (0, None);
        loop {
            let mut tx = self.app.store.write().await?;
            let unfinished = tx.sources(self.scope).list_unfinished(after, 500).await?;
            let Some(last) = unfinished.last() else { return Ok(asked) };
            after = Some(last.id);
            let reading = tx.jobs(self.scope).live_sources(IngestJob::KIND).await?;
            let embedding = tx.jobs(self.scope).live_sources(EmbedJob::KIND).await?;
            let dead = tx.jobs(self.scope).dead_sources(IngestJob::KIND).await?;
            for mut source in unfinished {
                let id = source.id.to_string();
                if source.status == SourceStatus::Pending
                    && !reading.contains(&id)
                    && let Some(reason) = dead.get(&id)
                {
                    source.status = SourceStatus::Failed;
                    source.embedding = EmbeddingState::Absent;
                    let fault = ExtractionFault { code: "internal".to_owned(), detail: reason.clone() };
                    source.extraction_error = Some(fault);
                    tx.sources(self.scope).save(&mut source, None).await?;
                    continue;
                }
                let job = if source.status == SourceStatus::Pending {
                    let job = IngestJob { source_id: source.id, fetch: false };
                    (!reading.contains(&id)).then(|| job.to_new_job())
                } else {
                    let job = EmbedJob { source_id: source.id };
                    (embed && !embedding.contains(&id)).then(|| job.to_new_job())
                };
                if let Some(job) = job {
                    tx.jobs(self.scope).enqueue(job).await?;
                    asked += 1;
                }
            }
            tx.commit().await?;
        }
    }
}

impl App {
    async fn embed_source(&self, context: &JobContext, id: SourceId) -> Result<Option<Json>, JobError> {
        let scope = &context.scope;
        let Some(embedder) = self.tools().embedder.clone() else {
            self.sources(scope).note_embedding(id, None, Some("no embedder is configured")).await?;
            return Ok(Some(json!({ "outcome": "no embedder" })));
        };
        let space = self.space_of(&*embedder).await?;
        let described = match self.sources(scope).get(id).await {
            Ok(described) => described,
            Err(Error::Problem(_)) => return Ok(Some(json!({ "outcome": "gone" }))),
            Err(error) => return Err(error.into()),
        };
        let Some(revision) = described.revision.filter(|revision| revision.chunk_count > 0) else {
            return Ok(Some(json!({ "outcome": "nothing to embed" })));
        };
        let title = described.source.reference.title.filter(|title| revision.filename.as_ref() != Some(title));
        // As many as keep all processors busy and are lost when the process is killed.
        let batch = i64::try_from(embedder.batch_size().clamp(1, 256)).unwrap_or(64);
        let mut done = {
            let mut tx = self.store.read().await?;
            tx.vectors(scope).count_vectors(space.id, revision.id).await?
        };
        let result = json!({ "outcome": "embedded", "chunks": revision.chunk_count, "model": embedder.model() });
        loop {
            let missing = {
                let mut tx = self.store.read().await?;
                tx.vectors(scope).chunks_without_vector(space.id, revision.id, batch).await?
            };
            if missing.is_empty() {
                break;
            }
            let texts: Vec<String> = missing.iter().map(|(_, text)| with_title(title.as_deref(), text)).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let vectors = match embedder.embed(&texts, Purpose::Passage).await {
                Ok(vectors) if vectors.len() == texts.len() => vectors,
                Ok(vectors) => {
                    let error = format!("{} vectors came back for {} texts", vectors.len(), texts.len());
                    return Err(self.embedding_failed(context, id, EmbedError::Unavailable(error)).await);
                }
                Err(error) => return Err(self.embedding_failed(context, id, error).await),
            };
            if let Some(wrong) = vectors.iter().find(|vector| vector.len() as u64 != space.dimension) {
                let (expected, got) = (embedder.dimension(), wrong.len());
                return Err(self.embedding_failed(context, id, EmbedError::WrongDimension { expected, got }).await);
            }
            let vectors: Vec<_> = missing.iter().map(|(chunk, _)| *chunk).zip(vectors).collect();
            let mut tx = self.store.write().await?;
            tx.vectors(scope).insert_vectors(space.id, &vectors).await?;
            // The source may have been deleted meanwhile, and then its chunks are gone, too.
            if tx.sources(scope).get(id).await?.is_none() {
                return Ok(Some(json!({ "outcome": "gone" })));
            }
            done += vectors.len() as u64;
            let is_last = done >= revision.chunk_count;
            if is_last {
                self.sources(scope).finish_embedding(context, tx, id, &result).await?;
            } else {
                tx.commit().await?;
            }
            metrics::counter!("ibid_chunks_embedded_total").increment(vectors.len() as u64);
            if is_last {
                return Ok(Some(result));
            }
            context.progress.update(done, Some(revision.chunk_count), "embedding").await;
        }
        let tx = self.store.write().await?;
        self.sources(scope).finish_embedding(context, tx, id, &result).await?;
        Ok(Some(result))
    }

    /// Writes down why embedding did not succeed, where a person sees it, and says what becomes of the job.
    async fn embedding_failed(&self, context: &JobContext, id: SourceId, error: EmbedError) -> JobError {
        let reason = error.to_string();
        let last_try = context.job.attempt >= context.job.max_attempts;
        let failure = match error {
            EmbedError::RateLimited { retry_after, .. } => {
                JobError::Deferred(reason.clone(), retry_after.unwrap_or(DEFAULT_WAIT).min(LONGEST_WAIT))
            }
            EmbedError::Unavailable(_) => JobError::Retry(reason.clone()),
            // What is not installed may be installed later: the sweep looks again.
            EmbedError::NotInstalled(_) => JobError::Deferred(reason.clone(), Duration::from_secs(300)),
            EmbedError::Refused(_) | EmbedError::WrongDimension { .. } => JobError::Permanent(reason.clone()),
        };
        let over = match failure {
            JobError::Retry(_) => last_try,
            JobError::Permanent(_) => true,
            JobError::Deferred(..) => false,
        };
        let state = if over { EmbeddingState::Failed } else { EmbeddingState::Pending };
        if let Err(error) = self.sources(&context.scope).note_embedding(id, Some(state), Some(&reason)).await {
            tracing::error!(%error, "cannot write down why an embedding failed");
        }
        failure
    }

    /// Returns the embedder of a vector space; `None` if its vectors come from clients or its model is no longer
    /// configured.
    pub(crate) async fn embedder_of(&self, space: i64) -> Result<Option<Arc<dyn Embedder>>> {
        let Some(embedder) = self.tools().embedder.clone() else { return Ok(None) };
        Ok((self.space_of(&*embedder).await?.id == space).then_some(embedder))
    }

    /// The space of an embedder, if search uses it.
    pub(crate) async fn space_in_use(&self, embedder: &dyn Embedder) -> Result<Option<i64>> {
        let space = self.space_of(embedder).await?;
        Ok(space.in_use.then_some(space.id))
    }

    async fn space_of(&self, embedder: &dyn Embedder) -> Result<EmbeddingSpace> {
        let (provider, model, dimension) = (embedder.provider(), embedder.model(), embedder.dimension() as u64);
        let spaces = self.store.read().await?.embedding_spaces().await?;
        let known = spaces
            .into_iter()
            .find(|space| space.provider == provider && space.model == model && space.dimension == dimension);
        if let Some(space) = known {
            return Ok(space);
        }
        let mut tx = self.store.write().await?;
        let space = tx.embedding_space(provider, model, dimension).await?;
        tx.commit().await?;
        Ok(space)
    }

    /// Finds sources that wait for something no job is there to do, as after a change of the model, and asks for the
    /// jobs. Once everything is embedded by the model that is configured, search uses it.
    pub async fn sweep_sources(&self) -> Result<u64> {
        let embedder = self.tools().embedder.clone();
        if let Some(embedder) = &embedder {
            let spaces = self.store.read().await?.embedding_spaces().await?;
            let space = self.space_of(&**embedder).await?;
            if !spaces.is_empty() && !spaces.contains(&space) {
                tracing::info!(model = embedder.model(), "the embedder has changed: embedding everything anew");
                for scope in self.every_tenant().await? {
                    let mut tx = self.store.write().await?;
                    tx.sources(&scope).embed_again().await?;
                    tx.commit().await?;
                }
            }
        }
        let mut asked = 0;
        for scope in self.every_tenant().await? {
            asked += self.sources(&scope).sweep_tenant(embedder.is_some()).await?;
            asked += self.knowledge(&scope).sweep_unread().await?;
        }
        if let Some(embedder) = &embedder {
            let space = self.space_of(&**embedder).await?;
            let mut tx = self.store.write().await?;
            if !space.in_use && tx.awaiting_embedding().await? == 0 {
                tx.use_embedding_space(space.id).await?;
                tx.commit().await?;
                tracing::info!(model = embedder.model(), "search uses the new embeddings from now on");
            }
        }
        Ok(asked)
    }
}
