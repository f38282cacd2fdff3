//! The graph: kept up by a job, made again when asked, and walked one step from what a search found.

use std::collections::{BTreeMap, BTreeSet};

use ibid_domain::{Category, Entity, EntityId, Event, EventId, RevisionId, SourceId, Span};
use ibid_language::{one_line_at_most, sentences::sentences};
use ibid_store::{AgeState, EventLink, EventLinkQuery, GraphCounts, GraphPart, Tx};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::entity_not_found;
use crate::{
    App, Error, FoundPassage, GraphExpansion, Result, Scope,
    background_jobs::{BackgroundJob, JobOutcome},
    services::KnowledgeService,
    worker::JobContext,
};

/// So many events on either side of a passage lead on from it.
const NEAR: i64 = 20;
/// So many entities lead on, those first that are nearest to the passage.
const ENTITIES: usize = 32;
/// So many entities are told with an answer.
const TOLD: usize = 50;
/// So many sentences of a difference are told, each so long.
const DIFFERENCES: usize = 20;
const DIFFERENCE: usize = 400;
/// The longest text that is compared with its predecessor, in bytes.
const COMPARED: usize = 4 << 20;

/// Brings the graph up to what a source tells, or makes all of it again.
#[derive(Serialize, Deserialize)]
pub(crate) struct GraphUpsertJob {
    /// `None` for the whole graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source_id: Option<SourceId>,
    /// The source tells less than it did, so that links have to go.
    #[serde(default)]
    pub(crate) purge: bool,
}

impl BackgroundJob for GraphUpsertJob {
    const KIND: &'static str = "graph_upsert";
    const PRIORITY: i64 = 90;
    const AT_ONCE: Option<u32> = Some(1);

    fn key(&self) -> String {
        self.source_id.map_or_else(|| "all".to_owned(), |source| format!("{source}:{}", self.purge))
    }

    async fn run(self, context: &JobContext) -> JobOutcome {
        let part = self.source_id.map_or(GraphPart::All, GraphPart::Source);
        // Links are derived. A power cut that takes them back leaves this job to be done again.
        let mut tx = context.app.store.write_relaxed().await?;
        let (links, age) = upsert_graph(&mut tx, &context.scope, &part, self.purge).await?;
        let result = json!({ "links": links, "materialised": age });
        context.finish_in(&mut tx, &result).await?;
        tx.commit().await?;
        Ok(Some(result))
    }
}

/// Counts that show if the graph is complete and up to date.
#[derive(Clone, Debug)]
pub struct GraphHealth {
    /// Number of rows in the tables and of links in the graph.
    pub counts: GraphCounts,
    /// Pairs that nobody has decided.
    pub open_pairs: u64,
    /// Sources that were read for what they tell.
    pub read: u64,
    /// Number of sources that still wait for extraction.
    pub unread: u64,
    /// The graph in Apache AGE; none where the engine has no such thing.
    pub age: Option<AgeState>,
}

impl GraphHealth {
    /// True if the graph has the same links as the tables.
    pub fn in_step(&self) -> bool {
        let counts = &self.counts;
        let age =
            self.age.as_ref().filter(|age| age.ready).is_none_or(|age| {
                (age.events, age.acted_in, age.about) == (counts.events, counts.actors, counts.subjects)
            });
        counts.actors == counts.actor_links && counts.subjects == counts.subject_links && age
    }
}

/// An event that is connected with what was found.
#[derive(Clone, Debug)]
pub struct RelatedEvent {
    pub event: Event,
    /// Connection to the results, such as `same_actor:Ada`.
    pub reason: String,
    /// Title of the source of the event.
    pub title: String,
    /// The page that each of its quotes stands on.
    pub pages: Vec<Option<u32>>,
    /// Last change of the source; `None` if not requested or nothing changed.
    pub diff: Option<RevisionDiff>,
}

/// The sentences that differ between two revisions of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisionDiff {
    /// Id of the earlier revision of the source.
    pub from: RevisionId,
    /// Id of the later revision of the source.
    pub to: RevisionId,
    /// Sentences that only the later revision has.
    pub added: Vec<String>,
    /// Sentences that only the earlier revision has.
    pub removed: Vec<String>,
}

/// Events and entities one step away from the results of a search.
#[derive(Clone, Debug, Default)]
pub struct GraphContext {
    /// Related events, best first.
    pub related: Vec<RelatedEvent>,
    /// Entities that take part in the related events and in the results.
    pub entities: Vec<Entity>,
    /// Time spent on the graph lookup.
    pub took: std::time::Duration,
}

/// The events and entities one step away from an entity, for the graph view.
#[derive(Clone, Debug)]
pub struct EntityNeighborhood {
    pub entity: Entity,
    /// Other entities that take part in its events.
    pub entities: Vec<Entity>,
    /// Its newest events, at most the requested number.
    pub events: Vec<Event>,
    /// Entities that may be the same: id, confidence from 0 to 1, and the reason.
    pub possibly_same: Vec<(EntityId, f64, String)>,
    /// Total number of events of the entity, including those not listed.
    pub total: u64,
}

/// Brings a part of the graph up to what is known. Says how many links it has, and whether AGE has it, too.
async fn upsert_graph(tx: &mut Tx, scope: &Scope, part: &GraphPart, purge: bool) -> Result<(u64, bool)> {
    let mut knowledge = tx.knowledge(scope);
    knowledge.lock().await?;
    let links = knowledge.rebuild_links(part).await?;
    let age = knowledge.sync_age_graph(part, purge).await?;
    Ok((links, age))
}

impl KnowledgeService<'_> {
    /// Makes the whole graph again from what is known.
    pub async fn rebuild_graph(self) -> Result<GraphHealth> {
        let mut tx = self.app.store.write().await?;
        upsert_graph(&mut tx, self.scope, &GraphPart::All, true).await?;
        tx.commit().await?;
        self.graph_health().await
    }

    /// Counts what the graph has and what is still missing.
    pub async fn graph_health(self) -> Result<GraphHealth> {
        let mut tx = self.app.store.read().await?;
        let mut knowledge = tx.knowledge(self.scope);
        let (read, unread) = knowledge.extraction_progress().await?;
        Ok(GraphHealth {
            counts: knowledge.graph_counts().await?,
            open_pairs: knowledge.count_open_pairs().await?,
            age: knowledge.age_state().await?,
            read,
            unread,
        })
    }

    /// Returns the events and entities one step away from an entity.
    pub async fn neighborhood(self, id: EntityId, events: usize) -> Result<EntityNeighborhood> {
        let detail = self.entity(id).await?;
        let mut tx = self.app.store.read().await?;
        let mut knowledge = tx.knowledge(self.scope);
        let near = knowledge.neighborhood(id, i64::try_from(events).unwrap_or(i64::MAX)).await?;
        let mut others: Vec<EntityId> =
            near.links.iter().map(|link| link.entity).filter(|other| *other != id).collect();
        let open = detail.pairs.iter().filter(|(pair, _)| pair.state == ibid_domain::PairState::Open);
        let possibly_same: Vec<_> =
            open.map(|(pair, other)| (other.id, pair.confidence, pair.reason.clone())).collect();
        others.extend(possibly_same.iter().map(|(other, ..)| *other));
        others.sort_unstable();
        others.dedup();
        let entities = knowledge.entities_by_id(&others).await?;
        let mut events = knowledge.events_by_id(&near.events).await?;
        let events = near.events.iter().filter_map(|event| events.remove(event)).collect();
        if detail.entity.merged_into.is_some() {
            return Err(entity_not_found(id).into());
        }
        Ok(EntityNeighborhood { entity: detail.entity, entities, events, possibly_same, total: near.total })
    }

    /// Finds the events and entities one step away from the best results of a search.
    pub(crate) async fn expand_results(
        self,
        graph: &GraphExpansion,
        found: &[FoundPassage],
        memories: bool,
    ) -> Result<GraphContext> {
        let began = std::time::Instant::now();
        let mut tx = self.app.store.read_inline().await?;
        let mut seeds: Vec<EventLink> = Vec::new();
        let (mut revisions, mut events) = (Vec::new(), Vec::new());
        for one in found.iter().take(graph.seed_limit) {
            let mut knowledge = tx.knowledge(self.scope);
            match &one.event {
                Some(event) => {
                    seeds.extend(knowledge.links_of(&[event.id]).await?);
                    events.push(event.id);
                }
                None => {
                    let middle = one.chunk.span.start + one.chunk.span.len() / 2;
                    seeds.extend(knowledge.links_near(one.revision.id, middle, NEAR).await?);
                    revisions.push(one.revision.id);
                }
            }
        }
        if seeds.is_empty() {
            return Ok(GraphContext { took: began.elapsed(), ..GraphContext::default() });
        }
        let mut entities: Vec<EntityId> = Vec::new();
        for link in &seeds {
            if entities.len() < ENTITIES && !entities.contains(&link.entity) {
                entities.push(link.entity);
            }
        }
        let links = match graph.budget {
            0 => Vec::new(),
            budget => {
                let query = EventLinkQuery {
                    entities: entities.clone(),
                    categories: graph.categories.clone(),
                    without_revisions: revisions,
                    without_events: events,
                    memories,
                    limit: budget,
                };
                tx.knowledge(self.scope).find_links(&query).await?
            }
        };
        let chosen = choose_links(links, &entities, graph.budget);
        let ids: Vec<EventId> = chosen.iter().map(|link| link.event).collect();
        let mut by_id = tx.knowledge(self.scope).events_by_id(&ids).await?;
        let mut taking_part = entities;
        for event in by_id.values() {
            taking_part.extend(event.actors.iter().chain(&event.subjects).map(|one| one.entity));
        }
        let mut told: Vec<EntityId> = Vec::new();
        for id in taking_part {
            if told.len() < TOLD && !told.contains(&id) {
                told.push(id);
            }
        }
        let mut known: BTreeMap<EntityId, Entity> = BTreeMap::new();
        if graph.include_entities {
            let all = tx.knowledge(self.scope).get_roots(&told).await?;
            known.extend(all.into_iter().map(|entity| (entity.id, entity)));
        }
        let mut related: Vec<RelatedEvent> = Vec::with_capacity(chosen.len());
        for link in chosen {
            let Some(event) = by_id.remove(&link.event) else { continue };
            let name = event.actors.iter().chain(&event.subjects).find(|one| one.entity == link.entity);
            let reason = link_reason(&link, name.map(|one| one.name.as_str()), event.category);
            related.push(RelatedEvent { event, reason, title: String::new(), pages: Vec::new(), diff: None });
        }
        self.app.place_related(&mut tx, self.scope, &mut related).await?;
        drop(tx);
        if graph.include_revision_diff {
            self.add_differences(&mut related).await?;
        }
        let entities = told.iter().filter_map(|id| known.remove(id)).collect();
        Ok(GraphContext { related, entities, took: began.elapsed() })
    }

    /// Says what changed last in the sources of related events.
    async fn add_differences(self, related: &mut [RelatedEvent]) -> Result<()> {
        let mut known: BTreeMap<SourceId, Option<RevisionDiff>> = BTreeMap::new();
        for one in related {
            let source = one.event.source;
            if let std::collections::btree_map::Entry::Vacant(place) = known.entry(source) {
                let diff = match self.last_change(source).await {
                    Ok(diff) => diff,
                    // A source that is gone meanwhile has no differences to tell.
                    Err(Error::Problem(_)) => None,
                    Err(error) => return Err(error),
                };
                place.insert(diff);
            }
            one.diff = known.get(&source).cloned().flatten();
        }
        Ok(())
    }

    /// Returns the sentences that changed between the two newest revisions of a source.
    async fn last_change(self, id: SourceId) -> Result<Option<RevisionDiff>> {
        let page =
            self.app.store.read().await?.revisions(self.scope).list(id, ibid_domain::Limit::new(2)?, None).await?;
        let [to, from] = page.items.as_slice() else { return Ok(None) };
        let (Some(new), Some(old)) = (to.text, from.text) else { return Ok(None) };
        let (new, old) =
            (self.app.sources(self.scope).text_of(new).await?, self.app.sources(self.scope).text_of(old).await?);
        if new.len().max(old.len()) > COMPARED {
            return Ok(None);
        }
        Ok(Some(RevisionDiff {
            from: from.id,
            to: to.id,
            added: sentences_only_in(&new, &old),
            removed: sentences_only_in(&old, &new),
        }))
    }
}

impl App {
    /// Adds titles of sources, and the pages that quotes stand on.
    async fn place_related(&self, tx: &mut Tx, scope: &Scope, related: &mut [RelatedEvent]) -> Result<()> {
        let wanted: BTreeSet<SourceId> = related.iter().map(|one| one.event.source).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let wanted: Vec<SourceId> = wanted.into_iter().collect();
        let sources = tx.sources(scope).get_many(&wanted).await?;
        let titles: BTreeMap<SourceId, String> =
            sources.iter().map(|source| (source.id, source.display_title().to_owned())).collect();
        let mut spans: Vec<(RevisionId, Span)> = related
            .iter()
            .flat_map(|one| one.event.evidence.iter().map(|quote| (one.event.revision, quote.span)))
            .collect();
        spans.sort_unstable();
        spans.dedup();
        let marks = tx.revisions(scope).marks_within(&spans).await?;
        for one in related {
            one.title = titles.get(&one.event.source).cloned().unwrap_or_default();
            let own =
                marks.iter().filter(|(revision, _)| *revision == one.event.revision).map(|(_, mark)| mark.clone());
            let own: Vec<_> = own.collect();
            one.pages =
                one.event.evidence.iter().map(|quote| ibid_domain::text::locate_span(&own, quote.span).page).collect();
        }
        Ok(())
    }
}

/// The sentences of one text that another does not have, in order.
fn sentences_only_in(of: &str, there: &str) -> Vec<String> {
    let words = |text: &str| -> Vec<String> {
        sentences(text).filter_map(|range| Some(one_line_at_most(text.get(range)?, DIFFERENCE))).collect()
    };
    let there: BTreeSet<String> = words(there).into_iter().collect();
    words(of).into_iter().filter(|sentence| !there.contains(sentence)).take(DIFFERENCES).collect()
}

/// The best events, each once. Of several ways to one, acting comes before being acted on, then the seed's nearest.
fn choose_links(links: Vec<EventLink>, nearest: &[EntityId], budget: usize) -> Vec<EventLink> {
    let place = |link: &EventLink| (!link.acts, nearest.iter().position(|id| *id == link.entity));
    let mut chosen: Vec<EventLink> = Vec::new();
    let mut places: BTreeMap<EventId, usize> = BTreeMap::new();
    for link in links {
        match places.get(&link.event) {
            Some(at) => {
                if let Some(known) = chosen.get_mut(*at).filter(|known| place(&link) < place(known)) {
                    *known = link;
                }
            }
            None if chosen.len() < budget => {
                places.insert(link.event, chosen.len());
                chosen.push(link);
            }
            None => {}
        }
    }
    chosen
}

fn link_reason(link: &EventLink, name: Option<&str>, category: Category) -> String {
    match name.filter(|name| !name.is_empty()) {
        Some(name) if link.acts => format!("same_actor:{name}"),
        Some(name) => format!("same_subject:{name}"),
        None => format!("1_hop_via:{}", category.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(entity: EntityId, event: EventId, acts: bool) -> EventLink {
        EventLink { entity, event, acts, rank: (0, 0.5, 0, event) }
    }

    #[test]
    fn an_event_is_told_once_by_the_best_way_to_it() {
        let (a, b) = (EntityId::new(), EntityId::new());
        let (x, y, z) = (EventId::new(), EventId::new(), EventId::new());
        let links = vec![link(a, x, false), link(b, x, true), link(a, y, true), link(b, y, true), link(a, z, true)];
        let found = choose_links(links, &[a, b], 2);
        let found: Vec<_> = found.iter().map(|link| (link.event, link.entity, link.acts)).collect();
        assert_eq!(found, [(x, b, true), (y, a, true)]);
    }

    #[test]
    fn a_difference_is_what_one_text_says_and_the_other_does_not() {
        let (old, new) = ("It is red. It is large.", "It is large. It is blue now. It costs 3.");
        assert_eq!(sentences_only_in(new, old), ["It is blue now.", "It costs 3."]);
        assert_eq!(sentences_only_in(old, new), ["It is red."]);
        assert!(sentences_only_in(old, old).is_empty());
    }
}
