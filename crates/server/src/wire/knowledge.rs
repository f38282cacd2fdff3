//! Entities, events and the graph as they go over the wire.

use std::collections::BTreeMap;

use ibid_app::{EntityDetail, EntityNeighborhood, GraphContext, GraphHealth, RelatedEvent, ReviewPair};
use ibid_domain::{self as domain, PairState, PartialDate, SourceId, Timestamp, pagination::Page};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    search::app_url,
    values::{self, ActorRole, EntityDecision, EntityType, EventCategory, EventDating},
};

/// Titles of sources by their ids.
pub(crate) type SourceTitles = BTreeMap<SourceId, String>;

fn find_title(titles: &SourceTitles, id: SourceId) -> String {
    titles.get(&id).cloned().unwrap_or_default()
}

fn round_score(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

/// Exact words of a source that support an event.
#[derive(Serialize, ToSchema)]
pub(crate) struct EventEvidence {
    /// The words, as they stand in the revision's text.
    quote: String,
    /// Id of the source that has the words.
    source_id: Uuid,
    /// The same, under the name that others know it by.
    artifact_uid: Uuid,
    /// Title of the source that has the words.
    title: String,
    /// Id of the revision that has the words.
    revision_id: Uuid,
    /// The first character of them in that version's text.
    start_char: usize,
    /// Offset after the quote's last character.
    end_char: usize,
    /// Page that the quote begins on, from 1; null if the source has no pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
    /// The address in this server's app that opens the source at these words.
    url: String,
}

fn event_evidence(event: &domain::Event, title: &str, pages: &[Option<u32>]) -> Vec<EventEvidence> {
    let (source, revision) = (event.source.uuid(), event.revision.uuid());
    let quote = |(at, quote): (usize, &domain::Quote)| EventEvidence {
        quote: quote.quote.clone(),
        source_id: source,
        artifact_uid: source,
        title: title.to_owned(),
        revision_id: revision,
        start_char: quote.span.start,
        end_char: quote.span.end,
        page: pages.get(at).copied().flatten(),
        url: app_url(source, revision, quote.span.start, quote.span.end),
    };
    event.evidence.iter().enumerate().map(quote).collect()
}

/// Somebody or something that has a part in an event.
#[derive(Serialize, ToSchema)]
pub(crate) struct Participant {
    /// Id of the entity that takes part.
    entity_id: Uuid,
    /// Name of the entity that takes part.
    name: String,
    /// Type of the entity.
    #[serde(rename = "type")]
    kind: EntityType,
    /// Role of an actor; null for a subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<ActorRole>,
}

impl From<&domain::Participant> for Participant {
    fn from(one: &domain::Participant) -> Self {
        Self {
            entity_id: one.entity.uuid(),
            name: one.name.clone(),
            kind: one.kind.into(),
            role: one.role.map(Into::into),
        }
    }
}

/// Something that happened, as a source tells it.
#[derive(Serialize, ToSchema)]
pub(crate) struct Event {
    /// Id of the event, a UUID.
    pub(crate) id: Uuid,
    /// Category that the event was sorted into.
    category: EventCategory,
    /// Description of the event in one or two sentences.
    pub(crate) narrative: String,
    /// Start of the event, or of the document's date if the text tells none; null if neither is known.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    event_time: Option<Timestamp>,
    /// The same, as exactly as it is known: a day, a month or a year.
    #[schema(required)]
    event_date: Option<String>,
    /// Where the date comes from; null if there is none.
    #[schema(required)]
    dated_by: Option<EventDating>,
    /// Confidence of the extraction, from 0 to 1.
    confidence: f64,
    /// Entities that act in the event.
    actors: Vec<Participant>,
    /// Entities that the event is about.
    subjects: Vec<Participant>,
    /// Quotes of the source that support the event.
    evidence: Vec<EventEvidence>,
    /// Id of the source that the event was extracted from.
    source_id: Uuid,
    /// Title of the source that the event was extracted from.
    source_title: String,
    /// Id of the revision that the event was extracted from.
    revision_id: Uuid,
    /// Name of the extractor that found the event.
    extractor: String,
    /// Time at which the event was extracted.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl Event {
    pub(crate) fn new(event: &domain::Event, titles: &SourceTitles) -> Self {
        let source_title = find_title(titles, event.source);
        let (date, dated_by) = event.best_date().unzip();
        Self {
            id: event.id.uuid(),
            category: event.category.into(),
            narrative: event.narrative.clone(),
            event_time: date.and_then(PartialDate::start_timestamp),
            event_date: date.map(|date| date.to_string()),
            dated_by: dated_by.map(Into::into),
            confidence: round_score(event.confidence),
            actors: event.actors.iter().map(Into::into).collect(),
            subjects: event.subjects.iter().map(Into::into).collect(),
            evidence: event_evidence(event, &source_title, &[]),
            source_id: event.source.uuid(),
            source_title,
            revision_id: event.revision.uuid(),
            extractor: event.extractor.clone(),
            created_at: event.created_at,
        }
    }
}

/// Somebody or something that sources name.
#[derive(Serialize, ToSchema)]
pub(crate) struct Entity {
    /// Id of the entity, a UUID.
    entity_id: Uuid,
    /// Longest known name of the entity.
    name: String,
    /// Type of the entity.
    #[serde(rename = "type")]
    kind: EntityType,
    /// Role of the entity, such as a job title; null if unknown.
    #[schema(required)]
    role: Option<String>,
    /// Organisation that the entity belongs to; null if unknown.
    #[schema(required)]
    organization: Option<String>,
    /// Email address of the entity; null if unknown.
    #[schema(required)]
    email: Option<String>,
    /// Other names that sources use for the entity.
    aliases: Vec<String>,
    /// Number of places in sources that name the entity.
    mention_count: u64,
    /// True if a person should decide if this entity is the same as another.
    needs_review: bool,
    /// Id of the entity that this one was merged into; null if it was not merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    merged_into: Option<Uuid>,
    /// The source that named it first.
    first_seen_source_id: Uuid,
    /// Id of the revision that named the entity first.
    first_seen_revision_id: Uuid,
    /// Time at which the entity was first extracted.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Time at which details of the entity last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<domain::Entity> for Entity {
    fn from(one: domain::Entity) -> Self {
        Self {
            entity_id: one.id.uuid(),
            name: one.name,
            kind: one.kind.into(),
            role: one.role,
            organization: one.organization,
            email: one.email,
            aliases: one.aliases,
            mention_count: one.mention_count,
            needs_review: one.needs_review,
            merged_into: one.merged_into.map(|id| id.uuid()),
            first_seen_source_id: one.first_source.uuid(),
            first_seen_revision_id: one.first_revision.uuid(),
            created_at: one.created_at,
            updated_at: one.updated_at,
        }
    }
}

/// A place that names an entity.
#[derive(Serialize, ToSchema)]
pub(crate) struct Mention {
    /// Id of the mention, a UUID.
    id: Uuid,
    /// Name as it is written in the source.
    surface_form: String,
    /// Id of the source that has the mention.
    source_id: Uuid,
    /// Title of the source that has the mention.
    source_title: String,
    /// Id of the revision that has the mention.
    revision_id: Uuid,
    /// The first character in that version's text.
    start_char: usize,
    /// Offset after the mention's last character.
    end_char: usize,
    /// Confidence of the extraction, from 0 to 1.
    confidence: f64,
    /// Name of the extractor that found the mention.
    extractor: String,
    /// Under whom it was found first, where that one was merged since.
    entity_id: Uuid,
    /// The address in this server's app that opens the source at it.
    url: String,
}

impl Mention {
    pub(crate) fn new(one: domain::Mention, titles: &SourceTitles) -> Self {
        let (source, revision) = (one.source.uuid(), one.revision.uuid());
        Self {
            id: one.id.uuid(),
            surface_form: one.surface,
            source_id: source,
            source_title: find_title(titles, one.source),
            revision_id: revision,
            start_char: one.span.start,
            end_char: one.span.end,
            confidence: round_score(one.confidence),
            extractor: one.extractor,
            entity_id: one.entity.uuid(),
            url: app_url(source, revision, one.span.start, one.span.end),
        }
    }
}

/// Another entity that may be the same.
#[derive(Serialize, ToSchema)]
pub(crate) struct PossibleDuplicate {
    /// Id of the pair, for the review endpoints.
    pair_id: Uuid,
    /// Id of the entity that may be the same.
    entity_id: Uuid,
    /// Name of the entity that may be the same.
    name: String,
    /// Probability that both are the same, from 0 to 1.
    confidence: f64,
    /// Reason why both may be the same, as a sentence.
    reason: String,
    /// Decision on the pair so far.
    state: values::PairState,
}

/// Everything about an entity.
#[derive(Serialize, ToSchema)]
pub(crate) struct EntityAnswer {
    #[serde(flatten)]
    entity: Entity,
    /// The places that name it, the first 200.
    mentions: Vec<Mention>,
    /// `cursor` for the mentions that follow; null if these are all.
    #[schema(required)]
    mentions_next_cursor: Option<String>,
    /// Events that the entity takes part in, the newest 100.
    events: Vec<Event>,
    /// `cursor` for the events that follow; null if these are all.
    #[schema(required)]
    events_next_cursor: Option<String>,
    /// Those who may be the same, with what was decided.
    possibly_same: Vec<PossibleDuplicate>,
    /// Those who were found to be it.
    merged: Vec<Entity>,
}

impl EntityAnswer {
    pub(crate) fn new(
        detail: EntityDetail,
        mentions: Page<domain::Mention>,
        events: Page<domain::Event>,
        titles: &SourceTitles,
    ) -> Self {
        let pair = |(pair, other): (domain::Pair, domain::Entity)| PossibleDuplicate {
            pair_id: pair.id.uuid(),
            entity_id: other.id.uuid(),
            name: other.name,
            confidence: round_score(pair.confidence),
            reason: pair.reason,
            state: pair.state.into(),
        };
        Self {
            entity: detail.entity.into(),
            mentions_next_cursor: mentions.next.map(|cursor| cursor.encode()),
            mentions: mentions.items.into_iter().map(|one| Mention::new(one, titles)).collect(),
            events_next_cursor: events.next.map(|cursor| cursor.encode()),
            events: events.items.iter().map(|one| Event::new(one, titles)).collect(),
            possibly_same: detail.pairs.into_iter().map(pair).collect(),
            merged: detail.merged.into_iter().map(Into::into).collect(),
        }
    }
}

/// Two entities that may be the same.
#[derive(Serialize, ToSchema)]
pub(crate) struct EntityPair {
    /// Id of the pair, a UUID.
    pair_id: Uuid,
    /// Decision on the pair so far.
    state: values::PairState,
    /// Probability that both are the same, from 0 to 1.
    confidence: f64,
    /// Reason why both may be the same, as a sentence.
    reason: String,
    /// The first of the two entities.
    a: Entity,
    /// The second of the two entities.
    b: Entity,
    /// Time at which the pair was found.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Time of the decision; null while the pair is open.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    decided_at: Option<Timestamp>,
}

impl From<ReviewPair> for EntityPair {
    fn from(one: ReviewPair) -> Self {
        let ReviewPair { pair, a, b } = one;
        Self {
            pair_id: pair.id.uuid(),
            state: pair.state.into(),
            confidence: round_score(pair.confidence),
            reason: pair.reason,
            a: a.into(),
            b: b.into(),
            created_at: pair.created_at,
            decided_at: pair.decided_at.filter(|_| pair.state != PairState::Open),
        }
    }
}

/// An entity that was taken apart.
#[derive(Serialize, ToSchema)]
pub(crate) struct SplitAnswer {
    /// The entity without the part that was split off.
    pub(crate) entity: EntityAnswer,
    /// The entity that was split off.
    pub(crate) split: EntityAnswer,
}

/// Result of comparing two entities.
#[derive(Serialize, ToSchema)]
pub(crate) struct Comparison {
    /// Whether both are the same, as far as can be told.
    decision: EntityDecision,
    /// Probability that both are the same, from 0 to 1.
    confidence: f64,
    /// Reason for the result, as a sentence.
    reason: String,
}

impl From<ibid_knowledge::judge::Judgement> for Comparison {
    fn from(one: ibid_knowledge::judge::Judgement) -> Self {
        Self { decision: one.decision.into(), confidence: round_score(one.confidence), reason: one.reason }
    }
}

/// State of the knowledge graph.
#[derive(Serialize, ToSchema)]
pub(crate) struct GraphHealthAnswer {
    /// True if the graph matches the tables that it is built from.
    in_step: bool,
    /// Number of entities in the graph.
    entities: u64,
    /// Entities that were found to be others.
    merged_entities: u64,
    /// Number of extracted events.
    events: u64,
    /// Number of places in sources that name entities.
    mentions: u64,
    /// Number of nodes for each label.
    nodes: GraphNodeCounts,
    /// Number of edges for each label.
    edges: GraphEdgeCounts,
    /// Pairs that nobody has decided.
    possibly_same: u64,
    /// Sources that were read for what they tell.
    sources_read: u64,
    /// Number of sources that events and entities were not extracted from yet.
    sources_waiting: u64,
    /// The graph `nur` in Apache AGE; null on the embedded engine, which has none.
    #[schema(required)]
    age: Option<AgeGraphHealth>,
}

/// Number of nodes for each label.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct GraphNodeCounts {
    /// Number of nodes that are entities.
    entity: u64,
    /// Number of nodes that are events.
    event: u64,
}

/// Number of edges for each label.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) struct GraphEdgeCounts {
    /// Number of edges from actors to events.
    acted_in: u64,
    /// Number of edges from events to their subjects.
    about: u64,
    /// Number of edges between entities that may be the same.
    possibly_same: u64,
}

/// State of the graph in Apache AGE.
#[derive(Serialize, ToSchema)]
pub(crate) struct AgeGraphHealth {
    /// True if the extension is installed and the graph exists.
    extension_enabled: bool,
    /// Name of the graph in Apache AGE.
    graph: &'static str,
    /// Number of nodes for each label.
    nodes: GraphNodeCounts,
    /// Number of edges for each label.
    edges: GraphEdgeCounts,
}

impl From<GraphHealth> for GraphHealthAnswer {
    fn from(health: GraphHealth) -> Self {
        let counts = &health.counts;
        Self {
            in_step: health.in_step(),
            entities: counts.entities,
            merged_entities: counts.merged,
            events: counts.events,
            mentions: counts.mentions,
            nodes: GraphNodeCounts { entity: counts.entities, event: counts.events },
            edges: GraphEdgeCounts {
                acted_in: counts.actor_links,
                about: counts.subject_links,
                possibly_same: health.open_pairs,
            },
            possibly_same: health.open_pairs,
            sources_read: health.read,
            sources_waiting: health.unread,
            age: health.age.map(|age| AgeGraphHealth {
                extension_enabled: age.ready,
                graph: "nur",
                nodes: GraphNodeCounts { entity: age.entities, event: age.events },
                edges: GraphEdgeCounts { acted_in: age.acted_in, about: age.about, possibly_same: age.possibly_same },
            }),
        }
    }
}

/// Entities and events that are one step away from an entity.
#[derive(Serialize, ToSchema)]
pub(crate) struct NeighborhoodAnswer {
    /// The entity that was requested.
    center: Entity,
    /// Other entities that are connected with it.
    entities: Vec<Entity>,
    /// Newest events of the entity, up to the limit.
    events: Vec<Event>,
    /// Edges between these entities and events.
    edges: Vec<GraphEdge>,
    /// Number of all events of the entity, without the limit.
    total_events: u64,
}

/// A connection between two nodes.
#[derive(Serialize, ToSchema)]
pub(crate) struct GraphEdge {
    /// Type of the edge, as the graph names it.
    #[serde(rename = "type")]
    kind: EdgeType,
    /// Id of the node that the edge starts at.
    from: Uuid,
    /// Id of the node that the edge ends at.
    to: Uuid,
    /// Role of the actor; only on edges from an actor to an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<ActorRole>,
    /// Probability that both entities are the same, from 0 to 1; only on edges between entities.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    /// Reason why both entities may be the same; only on edges between entities.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl NeighborhoodAnswer {
    pub(crate) fn new(near: EntityNeighborhood, titles: &SourceTitles) -> Self {
        let mut edges = Vec::new();
        let edge = |kind, from, to| GraphEdge { kind, from, to, role: None, confidence: None, reason: None };
        for event in &near.events {
            edges.extend(event.actors.iter().map(|one| GraphEdge {
                role: one.role.map(Into::into),
                ..edge(EdgeType::ActedIn, one.entity.uuid(), event.id.uuid())
            }));
            edges.extend(event.subjects.iter().map(|one| edge(EdgeType::About, event.id.uuid(), one.entity.uuid())));
        }
        let center = near.entity.id.uuid();
        edges.extend(near.possibly_same.into_iter().map(|(other, confidence, reason)| GraphEdge {
            confidence: Some(round_score(confidence)),
            reason: Some(reason),
            ..edge(EdgeType::PossiblySame, center, other.uuid())
        }));
        Self {
            center: near.entity.into(),
            entities: near.entities.into_iter().map(Into::into).collect(),
            events: near.events.iter().map(|one| Event::new(one, titles)).collect(),
            edges,
            total_events: near.total,
        }
    }
}

/// An event that is connected with what was found.
#[derive(Serialize, ToSchema)]
pub(crate) struct RelatedItem {
    /// Kind of the item; only events are related so far.
    #[serde(rename = "type")]
    kind: RelatedKind,
    /// Id of the event that is related.
    id: Uuid,
    /// Category of the related event.
    category: EventCategory,
    /// Connection to the results: `same_actor:NAME`, `same_subject:NAME` or `1_hop_via:CATEGORY`.
    reason: String,
    /// Description of the event in one or two sentences.
    summary: String,
    /// Start of the event, or of the document's date if the text tells none; null if neither is known.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    event_time: Option<Timestamp>,
    /// The same, as exactly as it is known.
    #[schema(required)]
    event_date: Option<String>,
    /// Where the date comes from; null if there is none.
    #[schema(required)]
    dated_by: Option<EventDating>,
    /// Confidence of the extraction, from 0 to 1.
    confidence: f64,
    /// Id of the source that the event was extracted from.
    source_id: Uuid,
    /// Title of the source that the event was extracted from.
    source_title: String,
    /// Entities that act in the event.
    actors: Vec<Participant>,
    /// Entities that the event is about.
    subjects: Vec<Participant>,
    /// Quotes of the source that support the event.
    evidence: Vec<EventEvidence>,
    /// Last change of the event's source; only with `include_revision_diff`, null if the source has a single revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision_diff: Option<Option<RevisionDifference>>,
}

/// Differences between two revisions of a source.
#[derive(Serialize, ToSchema)]
pub(crate) struct RevisionDifference {
    /// Id of the revision before the change.
    from_revision_id: Uuid,
    /// Id of the revision after the change.
    to_revision_id: Uuid,
    /// Sentences that came, the first 20.
    added: Vec<String>,
    /// Sentences that went, the first 20.
    removed: Vec<String>,
}

impl RelatedItem {
    /// Makes the addresses absolute.
    pub(crate) fn make_absolute(&mut self, public_url: &str) {
        for evidence in &mut self.evidence {
            evidence.url.insert_str(0, public_url);
        }
    }

    /// Formats the event, its connection and its evidence as text for a model.
    pub(crate) fn as_text(&self) -> String {
        let of_document = self.dated_by == Some(domain::DateSource::Document.into());
        let whose = if of_document { " (date of the document)" } else { "" };
        let date = self.event_date.as_deref().map(|date| format!(", {date}{whose}")).unwrap_or_default();
        let quote = self.evidence.first().map(|one| format!("\n“{}”\n{}", one.quote.trim(), one.url));
        format!("{}{date} ({}): {}{}", self.category, self.reason, self.summary, quote.unwrap_or_default())
    }

    pub(crate) fn new(related: RelatedEvent, with_diff: bool) -> Self {
        let RelatedEvent { event, reason, title, pages, diff } = related;
        let diff = diff.map(|diff| RevisionDifference {
            from_revision_id: diff.from.uuid(),
            to_revision_id: diff.to.uuid(),
            added: diff.added,
            removed: diff.removed,
        });
        let (date, dated_by) = event.best_date().unzip();
        Self {
            kind: RelatedKind::Event,
            id: event.id.uuid(),
            category: event.category.into(),
            reason,
            summary: event.narrative.clone(),
            event_time: date.and_then(PartialDate::start_timestamp),
            event_date: date.map(|date| date.to_string()),
            dated_by: dated_by.map(Into::into),
            confidence: round_score(event.confidence),
            source_id: event.source.uuid(),
            actors: event.actors.iter().map(Into::into).collect(),
            subjects: event.subjects.iter().map(Into::into).collect(),
            evidence: event_evidence(&event, &title, &pages),
            source_title: title,
            revision_diff: with_diff.then_some(diff),
        }
    }
}

/// Converts the events related to search results, and the entities in them, to their JSON form.
pub(crate) fn convert_expansion(expanded: GraphContext, with_diff: bool) -> (Vec<RelatedItem>, Vec<Entity>) {
    let related = expanded.related.into_iter().map(|one| RelatedItem::new(one, with_diff));
    (related.collect(), expanded.entities.into_iter().map(Into::into).collect())
}

/// Kind of a related item.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RelatedKind {
    /// An event that shares people or projects with the results.
    Event,
}

/// Type of an edge of the graph.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum EdgeType {
    /// From an actor to an event.
    ActedIn,
    /// From an event to what it is about.
    About,
    /// Between two entities that may be the same.
    PossiblySame,
}
