//! Reading a revision for what it tells, as a job.
//!
//! Whatever takes long – reading, asking a model, embedding names – comes first. Then one transaction says who of those
//! that are named is known, keeps mentions, events and who may be the same, and asks for the graph to follow. A job that
//! is cut off has kept nothing or all; one that is run again finds the same, and changes nothing.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use ibid_domain::{
    CharIndex, EntityId, EventId, MentionId, Origin, PartialDate, Quote, Revision, RevisionId, Source, SourceId, Span,
};
use ibid_knowledge::Findings;
use ibid_store::{JobError, NewEvent, NewMention, Tx};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::{ExtractorError, ExtractorInput, resolution::ResolvedNames};
use crate::{
    App, Error, Result, Scope,
    background_jobs::{BackgroundJob, JobOutcome},
    knowledge::graph::GraphUpsertJob,
    services::KnowledgeService,
    worker::JobContext,
};

/// The longest that a provider's wish to be left alone is heeded.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);
/// Maximum number of times the known entities may change between asking a model and saving; after that, rules decide.
const TRIES: usize = 3;

/// Reads a source for what it tells, or asks for all sources to be read.
#[derive(Serialize, Deserialize)]
pub(crate) struct ExtractEventsJob {
    /// `None` for all sources that have text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source_id: Option<SourceId>,
    /// Reads a source although this extractor has read it.
    #[serde(default)]
    pub(crate) again: bool,
}

impl BackgroundJob for ExtractEventsJob {
    const KIND: &'static str = "extract_events";
    // After embedding, which is what a search waits for.
    const PRIORITY: i64 = 120;
    const AT_ONCE: Option<u32> = Some(2);

    fn key(&self) -> String {
        match self.source_id {
            Some(source) if self.again => format!("again:{source}"),
            Some(source) => source.to_string(),
            None => "all".to_owned(),
        }
    }

    async fn run(self, context: &JobContext) -> JobOutcome {
        match self.source_id {
            Some(id) => context.app.extract_source(context, id, self.again).await,
            None => Ok(context.app.knowledge(&context.scope).extract_all().await?),
        }
    }
}

fn failure_of(error: ExtractorError) -> JobError {
    match error {
        ExtractorError::Later(error) => match error.retry_after() {
            Some(wait) => JobError::Deferred(error.to_string(), wait.min(LONGEST_WAIT)),
            None if error.can_retry() => JobError::Retry(error.to_string()),
            None => JobError::Permanent(error.to_string()),
        },
        ExtractorError::Rejected(reason) => JobError::Permanent(reason),
    }
}

/// The findings of an extractor in one revision of a source.
pub(super) struct SourceFindings<'a> {
    pub(super) source: SourceId,
    pub(super) revision: RevisionId,
    pub(super) extractor: &'a str,
    pub(super) text: &'a str,
    pub(super) findings: &'a Findings,
}

impl KnowledgeService<'_> {
    /// Asks for every source with text to be read, as far as it was not by this extractor.
    async fn extract_all(self) -> Result<Option<Json>> {
        let mut tx = self.app.store.write().await?;
        let sources = tx.knowledge(self.scope).read_all_again().await?;
        tx.commit().await?;
        let asked = self.sweep_unread().await?;
        Ok(Some(json!({ "sources": sources, "asked": asked })))
    }

    /// Notes that a source will not be read until it changes or someone asks again.
    async fn give_up(self, id: SourceId) -> Result<()> {
        let mut tx = self.app.store.write().await?;
        tx.knowledge(self.scope).note_failed(id).await?;
        Ok(tx.commit().await?)
    }

    /// Asks for the jobs of sources that wait to be read and have none, as after an update.
    pub(crate) async fn sweep_unread(self) -> Result<u64> {
        let (mut asked, mut after) = (0, None);
        loop {
            let unread = self.app.store.read().await?.knowledge(self.scope).list_unread(after, 500).await?;
            let Some(last) = unread.last() else { return Ok(asked) };
            after = Some(*last);
            let mut tx = self.app.store.write().await?;
            let live = tx.jobs(self.scope).live_sources(ExtractEventsJob::KIND).await?;
            let dead = tx.jobs(self.scope).dead_sources(ExtractEventsJob::KIND).await?;
            for id in unread.into_iter().filter(|id| !live.contains(&id.to_string())) {
                if dead.contains_key(&id.to_string()) {
                    tx.knowledge(self.scope).note_failed(id).await?;
                } else {
                    tx.jobs(self.scope)
                        .enqueue(ExtractEventsJob { source_id: Some(id), again: false }.to_new_job())
                        .await?;
                    asked += 1;
                }
            }
            tx.commit().await?;
        }
    }

    async fn to_read(self, source: &Source, revision: &Revision) -> Result<ExtractorInput> {
        let text = match revision.text {
            Some(sha256) => self.app.sources(self.scope).text_of(sha256).await?,
            None => String::new(),
        };
        let marks = self.app.store.read().await?.revisions(self.scope).list_marks(revision.id).await?;
        // What a person typed in was written when it came; a file may be of any age.
        let typed = matches!(source.origin, Origin::Memory | Origin::Manual);
        let day = || source.created_at.to_string().parse::<PartialDate>().ok();
        let date = source.reference.publication_date.or_else(|| typed.then(day).flatten());
        let title = source.reference.title.clone();
        Ok(ExtractorInput { text, title, date, language: revision.language.clone(), marks })
    }

    /// Notes that a source's revision was read before.
    async fn note_read(self, id: SourceId, revision: &Revision, extractor: &str) -> Result<()> {
        let mut tx = self.app.store.write().await?;
        if tx.sources(self.scope).get_for_update(id).await?.is_none_or(|source| source.revision != Some(revision.id)) {
            return Ok(());
        }
        let dropped = tx.knowledge(self.scope).get_extraction(revision.id).await?.map_or(0, |before| before.dropped);
        tx.knowledge(self.scope).keep_extraction(id, revision.id, extractor, dropped).await?;
        tx.jobs(self.scope).enqueue(GraphUpsertJob { source_id: Some(id), purge: false }.to_new_job()).await?;
        Ok(tx.commit().await?)
    }

    /// Keeps what a revision tells and ends the job, in one transaction. Gives the result of the job; none if the revision
    /// is not the source's any more.
    async fn keep_findings(
        self,
        context: &JobContext,
        reading: &SourceFindings<'_>,
        dropped: u64,
    ) -> Result<Option<Json>> {
        let names = reading.findings.entities.iter().map(|one| (one.kind, embedding_text(one))).collect::<Vec<_>>();
        let meant = self.embed_names(&names).await?;
        let mut decided = BTreeMap::new();
        for attempt in 1.. {
            let mut tx = self.app.store.write().await?;
            // The source first, then what is known: whoever removes a source takes them in the same order.
            let source = tx.sources(self.scope).get_for_update(reading.source).await?;
            if source.is_none_or(|source| source.revision != Some(reading.revision)) {
                return Ok(None);
            }
            tx.knowledge(self.scope).lock().await?;
            let before = tx.knowledge(self.scope).entities_of_source(reading.source).await?;
            let resolved =
                self.app.resolve_names(&mut tx, self.scope, reading, &meant, &decided, attempt > TRIES).await?;
            let resolved = match resolved {
                Ok(resolved) => resolved,
                // Others have to be asked, which takes long: not while everyone waits.
                Err(open) => {
                    drop(tx);
                    self.app.ask_about(open, &mut decided).await;
                    continue;
                }
            };
            let kept = self.app.keep_resolved(&mut tx, self.scope, reading, &resolved, dropped, before).await?;
            if let Some(space) = meant.space {
                let new = resolved.new.iter().filter_map(|(at, id)| Some((*id, meant.vectors.get(*at)?.clone())));
                tx.knowledge(self.scope).keep_meanings(space, new.collect()).await?;
            }
            let result = json!({
                "outcome": "extracted",
                "extractor": reading.extractor,
                "events": reading.findings.events.len(),
                "entities": reading.findings.entities.len(),
                "new_entities": kept.new_entities,
                "to_review": kept.pairs,
                "dropped_quotes": dropped,
            });
            context.finish_in(&mut tx, &result).await?;
            tx.commit().await?;
            metrics::counter!("ibid_events_extracted_total").increment(reading.findings.events.len() as u64);
            return Ok(Some(result));
        }
        Ok(None)
    }
}

impl App {
    async fn extract_source(&self, context: &JobContext, id: SourceId, again: bool) -> Result<Option<Json>, JobError> {
        let scope = &context.scope;
        let outcome = |outcome: &str| Ok(Some(json!({ "outcome": outcome })));
        let described = match self.sources(scope).get(id).await {
            Ok(described) => described,
            Err(Error::Problem(_)) => return outcome("gone"),
            Err(error) => return Err(error.into()),
        };
        let Some(revision) = described.revision.filter(|revision| revision.text.is_some()) else {
            return outcome("nothing to read");
        };
        let extractor = self.tools().extractor.clone();
        let name = extractor.name();
        let before = {
            let mut tx = self.store.read().await?;
            tx.knowledge(scope).get_extraction(revision.id).await?
        };
        if !again && before.is_some_and(|before| before.extractor == name) {
            self.knowledge(scope).note_read(id, &revision, &name).await?;
            return outcome("unchanged");
        }
        context.progress.update(0, None, "reading").await;
        let to_read = self.knowledge(scope).to_read(&described.source, &revision).await?;
        let to_read = Arc::new(to_read);
        let told = match extractor.extract(to_read.clone()).await {
            Ok(told) => told,
            Err(error) => {
                let failure = failure_of(error);
                let over = match failure {
                    JobError::Retry(_) => context.job.attempt >= context.job.max_attempts,
                    JobError::Permanent(_) => true,
                    JobError::Deferred(..) => false,
                };
                if over {
                    self.knowledge(scope).give_up(id).await?;
                }
                return Err(failure);
            }
        };
        context.progress.update(1, None, "resolving").await;
        let reading = SourceFindings {
            source: id,
            revision: revision.id,
            extractor: &name,
            text: &to_read.text,
            findings: &told.findings,
        };
        match self.knowledge(scope).keep_findings(context, &reading, told.dropped).await? {
            None => outcome("superseded"),
            Some(result) => Ok(Some(result)),
        }
    }

    async fn keep_resolved(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        reading: &SourceFindings<'_>,
        resolved: &ResolvedNames,
        dropped: u64,
        before: Vec<EntityId>,
    ) -> Result<FindingCounts> {
        let SourceFindings { source, revision, extractor, text, findings } = *reading;
        let index = CharIndex::new(text);
        let known = tx.knowledge(scope).mentioned_in(revision).await?;
        let mut mentions: BTreeMap<MentionId, NewMention> = BTreeMap::new();
        for (found, entity) in findings.entities.iter().zip(&resolved.entities) {
            for span in &found.mentions {
                let id = MentionId::for_span(revision, found.kind, *span);
                let Some(surface) = index.span_text(*span).filter(|surface| !surface.is_empty()) else { continue };
                let mention = NewMention {
                    id,
                    // What a person has moved stays where it was put.
                    entity: known.get(&id).copied().unwrap_or(*entity),
                    surface: surface.to_owned(),
                    span: *span,
                    name: found.name.clone(),
                    role: found.role.clone(),
                    organization: found.organization.clone(),
                    email: found.email.clone(),
                    confidence: f64::from(found.confidence),
                };
                mentions.entry(id).or_insert(mention);
            }
        }
        let mentions: Vec<NewMention> = mentions.into_values().collect();
        let events = new_events(reading, resolved, &mentions, &index);
        let mut knowledge = tx.knowledge(scope);
        knowledge.set_mentions(source, revision, extractor, &mentions).await?;
        let (_, gone) = knowledge.set_events(source, revision, extractor, &events).await?;
        knowledge.keep_extraction(source, revision, extractor, dropped).await?;
        for (at, judged) in &resolved.pairs {
            let Some(new) = resolved.entities.get(*at) else { continue };
            for (other, judgement) in judged {
                knowledge.add_pair(*new, *other, judgement.confidence, &judgement.reason).await?;
            }
        }
        // What an earlier version told, or this one did before, may have to go.
        let purge = gone > 0 || !before.is_empty();
        let mut touched: Vec<EntityId> = mentions.iter().map(|mention| mention.entity).collect();
        touched.extend(before);
        touched.sort_unstable();
        touched.dedup();
        knowledge.prune_and_recount(&touched).await?;
        tx.jobs(scope).enqueue(GraphUpsertJob { source_id: Some(source), purge }.to_new_job()).await?;
        Ok(FindingCounts {
            new_entities: resolved.new.len(),
            pairs: resolved.pairs.iter().map(|(_, of)| of.len()).sum(),
        })
    }
}

/// Numbers of new entities and of pairs to review after saving findings.
struct FindingCounts {
    new_entities: usize,
    pairs: usize,
}

/// Returns the text that is embedded for a name: name, type, role and organization.
fn embedding_text(found: &ibid_knowledge::ExtractedEntity) -> String {
    let more = [found.role.as_deref(), found.organization.as_deref()];
    let more = more.into_iter().flatten().map(|part| format!(", {part}"));
    format!("{}, {}{}", found.name, found.kind.as_str(), more.collect::<String>())
}

/// Events with the entities that have a part in them: of two mentions of one name that were told apart since, the one
/// that stands in the event's own words counts.
fn new_events(
    reading: &SourceFindings<'_>,
    resolved: &ResolvedNames,
    mentions: &[NewMention],
    index: &CharIndex<'_>,
) -> Vec<NewEvent> {
    let by_id: BTreeMap<MentionId, EntityId> = mentions.iter().map(|mention| (mention.id, mention.entity)).collect();
    let whom = |at: usize, words: &[Span]| -> Option<EntityId> {
        let found = reading.findings.entities.get(at)?;
        let within = |span: &&Span| words.iter().any(|words| words.start <= span.start && span.end <= words.end);
        let here = found.mentions.iter().find(within);
        let here = here.and_then(|span| by_id.get(&MentionId::for_span(reading.revision, found.kind, *span)));
        here.or_else(|| resolved.entities.get(at)).copied()
    };
    let mut events: BTreeMap<EventId, NewEvent> = BTreeMap::new();
    for found in &reading.findings.events {
        let Some(first) = found.evidence.first() else { continue };
        let quote = |span: &Span| Some(Quote { quote: index.span_text(*span)?.to_owned(), span: *span });
        let mut actors = Vec::new();
        for (at, role) in &found.actors {
            if let Some(id) = whom(*at, &found.evidence).filter(|id| !actors.iter().any(|(known, _)| known == id)) {
                actors.push((id, *role));
            }
        }
        let mut subjects: Vec<EntityId> = Vec::new();
        for at in &found.subjects {
            let new = |id: &EntityId| !subjects.contains(id) && !actors.iter().any(|(known, _)| known == id);
            if let Some(id) = whom(*at, &found.evidence).filter(new) {
                subjects.push(id);
            }
        }
        let id = EventId::for_span(reading.revision, found.category, *first);
        events.entry(id).or_insert_with(|| NewEvent {
            id,
            category: found.category,
            narrative: found.narrative.clone(),
            date: found.time,
            document_date: found.written,
            confidence: f64::from(found.confidence),
            actors,
            subjects,
            evidence: found.evidence.iter().filter_map(quote).collect(),
        });
    }
    events.into_values().filter(|event| !event.evidence.is_empty()).collect()
}
