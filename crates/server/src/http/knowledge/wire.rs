//! Entities, events and the graph as they go over the wire.

use std::collections::BTreeMap;

use ibid_app::{EntityDetail, Expanded, GraphHealth, Near, Related, ReviewPair};
use ibid_domain::{self as domain, PairState, PartialDate, SourceId, Timestamp, page::Page};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::super::search::wire::app_url;

/// What sources are called, by their ids.
pub(crate) type Titles = BTreeMap<SourceId, String>;

fn title(titles: &Titles, id: SourceId) -> String {
    titles.get(&id).cloned().unwrap_or_default()
}

fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

/// Exact words of a source.
#[derive(Serialize, ToSchema)]
pub(crate) struct EventEvidence {
    /// The words, as they stand in the revision's text.
    quote: String,
    /// The source.
    source_id: Uuid,
    /// The same, under the name that others know it by.
    artifact_uid: Uuid,
    /// What the source is called.
    title: String,
    /// The version they stand in.
    revision_id: Uuid,
    /// The first character of them in that version's text.
    start_char: usize,
    /// One past the last.
    end_char: usize,
    /// The page they stand on.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
    /// The address in this server's app that opens the source at these words.
    url: String,
}

fn evidence(event: &domain::Event, title: &str, pages: &[Option<u32>]) -> Vec<EventEvidence> {
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
    /// Who.
    entity_id: Uuid,
    /// Its name.
    name: String,
    /// person, org, project, object, place or other.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Which part it has, if it acts: owner, contributor, reviewer, stakeholder or other.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
}

impl From<&domain::Participant> for Participant {
    fn from(one: &domain::Participant) -> Self {
        Self {
            entity_id: one.entity.uuid(),
            name: one.name.clone(),
            kind: one.kind.as_str(),
            role: one.role.map(|role| role.as_str()),
        }
    }
}

/// Something that happened, as a source tells it.
#[derive(Serialize, ToSchema)]
pub(crate) struct Event {
    /// Its id.
    pub(crate) id: Uuid,
    /// Commitment, Execution, Decision, Collaboration, QualityRisk, Feedback, Change or Stakeholder.
    category: &'static str,
    /// What happened.
    pub(crate) narrative: String,
    /// When it began, if the source tells.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    event_time: Option<Timestamp>,
    /// The same, as exactly as the source tells: a day, a month or a year.
    #[schema(required)]
    event_date: Option<String>,
    /// How sure it is, from 0 to 1.
    confidence: f64,
    /// Who acts in it.
    actors: Vec<Participant>,
    /// Whom and what it is about.
    subjects: Vec<Participant>,
    /// The words that say so.
    evidence: Vec<EventEvidence>,
    /// Who tells it.
    source_id: Uuid,
    /// What that is called.
    source_title: String,
    /// In which version.
    revision_id: Uuid,
    /// Who found it there.
    extractor: String,
    /// Since when it is known.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl Event {
    pub(crate) fn new(event: &domain::Event, titles: &Titles) -> Self {
        let source_title = title(titles, event.source);
        Self {
            id: event.id.uuid(),
            category: event.category.as_str(),
            narrative: event.narrative.clone(),
            event_time: event.date.and_then(PartialDate::beginning),
            event_date: event.date.map(|date| date.to_string()),
            confidence: rounded(event.confidence),
            actors: event.actors.iter().map(Into::into).collect(),
            subjects: event.subjects.iter().map(Into::into).collect(),
            evidence: evidence(event, &source_title, &[]),
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
    /// Its id.
    entity_id: Uuid,
    /// The fullest name it has.
    name: String,
    /// person, org, project, object, place or other.
    #[serde(rename = "type")]
    kind: &'static str,
    /// What it is there for.
    #[schema(required)]
    role: Option<String>,
    /// Whom it belongs to.
    #[schema(required)]
    organization: Option<String>,
    /// Where mail reaches it.
    #[schema(required)]
    email: Option<String>,
    /// Its other names.
    aliases: Vec<String>,
    /// How many places name it.
    mention_count: u64,
    /// Whether a person should say whether it is the same as another.
    needs_review: bool,
    /// Whose it counts as, if it was found to be another.
    #[serde(skip_serializing_if = "Option::is_none")]
    merged_into: Option<Uuid>,
    /// The source that named it first.
    first_seen_source_id: Uuid,
    /// And the version of that.
    first_seen_revision_id: Uuid,
    /// Since when it is known.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When something about it was learned last.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<domain::Entity> for Entity {
    fn from(one: domain::Entity) -> Self {
        Self {
            entity_id: one.id.uuid(),
            name: one.name,
            kind: one.kind.as_str(),
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
    /// Its id.
    id: Uuid,
    /// As it is written there.
    surface_form: String,
    /// Where.
    source_id: Uuid,
    /// What the source is called.
    source_title: String,
    /// In which version of it.
    revision_id: Uuid,
    /// The first character in that version's text.
    start_char: usize,
    /// One past the last.
    end_char: usize,
    /// How sure it is, from 0 to 1.
    confidence: f64,
    /// Who found it.
    extractor: String,
    /// Under whom it was found first, where that one was merged since.
    entity_id: Uuid,
    /// The address in this server's app that opens the source at it.
    url: String,
}

impl Mention {
    pub(crate) fn new(one: domain::Mention, titles: &Titles) -> Self {
        let (source, revision) = (one.source.uuid(), one.revision.uuid());
        Self {
            id: one.id.uuid(),
            surface_form: one.surface,
            source_id: source,
            source_title: title(titles, one.source),
            revision_id: revision,
            start_char: one.span.start,
            end_char: one.span.end,
            confidence: rounded(one.confidence),
            extractor: one.extractor,
            entity_id: one.entity.uuid(),
            url: app_url(source, revision, one.span.start, one.span.end),
        }
    }
}

/// One that may be the same.
#[derive(Serialize, ToSchema)]
pub(crate) struct PossiblySame {
    /// The pair, for the review.
    pair_id: Uuid,
    /// The other one.
    entity_id: Uuid,
    /// Its name.
    name: String,
    /// How likely it is, from 0 to 1.
    confidence: f64,
    /// Why it may be.
    reason: String,
    /// open, same or different.
    state: &'static str,
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
    /// What happened with it, the newest 100.
    events: Vec<Event>,
    /// `cursor` for the events that follow; null if these are all.
    #[schema(required)]
    events_next_cursor: Option<String>,
    /// Those who may be the same, with what was decided.
    possibly_same: Vec<PossiblySame>,
    /// Those who were found to be it.
    merged: Vec<Entity>,
}

impl EntityAnswer {
    pub(crate) fn new(
        detail: EntityDetail,
        mentions: Page<domain::Mention>,
        events: Page<domain::Event>,
        titles: &Titles,
    ) -> Self {
        let pair = |(pair, other): (domain::Pair, domain::Entity)| PossiblySame {
            pair_id: pair.id.uuid(),
            entity_id: other.id.uuid(),
            name: other.name,
            confidence: rounded(pair.confidence),
            reason: pair.reason,
            state: pair.state.as_str(),
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

/// Two that may be the same.
#[derive(Serialize, ToSchema)]
pub(crate) struct Pair {
    /// Its id.
    pair_id: Uuid,
    /// open, same or different.
    state: &'static str,
    /// How likely it is that they are the same, from 0 to 1.
    confidence: f64,
    /// Why they may be.
    reason: String,
    /// One.
    a: Entity,
    /// The other.
    b: Entity,
    /// Since when it is asked.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it was decided.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    decided_at: Option<Timestamp>,
}

impl From<ReviewPair> for Pair {
    fn from(one: ReviewPair) -> Self {
        let ReviewPair { pair, a, b } = one;
        Self {
            pair_id: pair.id.uuid(),
            state: pair.state.as_str(),
            confidence: rounded(pair.confidence),
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
    /// What is left of it.
    pub(crate) entity: EntityAnswer,
    /// What was taken off.
    pub(crate) split: EntityAnswer,
}

/// Whether two names mean the same.
#[derive(Serialize, ToSchema)]
pub(crate) struct Comparison {
    /// same, different or uncertain.
    decision: &'static str,
    /// How likely it is that they are the same, from 0 to 1.
    confidence: f64,
    /// Why.
    reason: String,
}

impl From<ibid_knowledge::judge::Judgement> for Comparison {
    fn from(one: ibid_knowledge::judge::Judgement) -> Self {
        Self { decision: one.decision.as_str(), confidence: rounded(one.confidence), reason: one.reason }
    }
}

/// How the graph stands.
#[derive(Serialize, ToSchema)]
pub(crate) struct GraphHealthAnswer {
    /// Whether the graph says what the tables say that it is made of.
    in_step: bool,
    /// Entities.
    entities: u64,
    /// Entities that were found to be others.
    merged_entities: u64,
    /// Events.
    events: u64,
    /// Places that name entities.
    mentions: u64,
    /// Nodes of each label.
    nodes: Nodes,
    /// Edges of each label.
    edges: Edges,
    /// Pairs that nobody has decided.
    possibly_same: u64,
    /// Sources that were read for what they tell.
    sources_read: u64,
    /// Sources that wait to be.
    sources_waiting: u64,
    /// The graph `nur` in Apache AGE; null on the embedded engine, which has none.
    #[schema(required)]
    age: Option<Age>,
}

/// Nodes of each label.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Nodes {
    /// Somebody or something.
    entity: u64,
    /// Something that happened.
    event: u64,
}

/// Edges of each label.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) struct Edges {
    /// Who acts in what.
    acted_in: u64,
    /// What is about whom.
    about: u64,
    /// Who may be whom.
    possibly_same: u64,
}

/// The graph in Apache AGE.
#[derive(Serialize, ToSchema)]
pub(crate) struct Age {
    /// Whether the extension is there and the graph set up.
    extension_enabled: bool,
    /// What the graph is called.
    graph: &'static str,
    /// Nodes of each label.
    nodes: Nodes,
    /// Edges of each label.
    edges: Edges,
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
            nodes: Nodes { entity: counts.entities, event: counts.events },
            edges: Edges {
                acted_in: counts.actor_links,
                about: counts.subject_links,
                possibly_same: health.open_pairs,
            },
            possibly_same: health.open_pairs,
            sources_read: health.read,
            sources_waiting: health.unread,
            age: health.age.map(|age| Age {
                extension_enabled: age.ready,
                graph: "nur",
                nodes: Nodes { entity: age.entities, event: age.events },
                edges: Edges { acted_in: age.acted_in, about: age.about, possibly_same: age.possibly_same },
            }),
        }
    }
}

/// What is one step away from an entity.
#[derive(Serialize, ToSchema)]
pub(crate) struct NeighborhoodAnswer {
    /// The entity in the middle.
    center: Entity,
    /// The others.
    entities: Vec<Entity>,
    /// Its newest events.
    events: Vec<Event>,
    /// What connects them.
    edges: Vec<Edge>,
    /// How many events it has in all.
    total_events: u64,
}

/// A connection between two nodes.
#[derive(Serialize, ToSchema)]
pub(crate) struct Edge {
    /// ACTED_IN, ABOUT or POSSIBLY_SAME.
    #[serde(rename = "type")]
    kind: &'static str,
    /// From where.
    from: Uuid,
    /// To where.
    to: Uuid,
    /// Which part an actor has.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    /// How likely two are the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    /// Why they may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl NeighborhoodAnswer {
    pub(crate) fn new(near: Near, titles: &Titles) -> Self {
        let mut edges = Vec::new();
        let edge = |kind, from, to| Edge { kind, from, to, role: None, confidence: None, reason: None };
        for event in &near.events {
            edges.extend(event.actors.iter().map(|one| Edge {
                role: one.role.map(|role| role.as_str()),
                ..edge("ACTED_IN", one.entity.uuid(), event.id.uuid())
            }));
            edges.extend(event.subjects.iter().map(|one| edge("ABOUT", event.id.uuid(), one.entity.uuid())));
        }
        let center = near.entity.id.uuid();
        edges.extend(near.possibly_same.into_iter().map(|(other, confidence, reason)| Edge {
            confidence: Some(rounded(confidence)),
            reason: Some(reason),
            ..edge("POSSIBLY_SAME", center, other.uuid())
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
    /// Always `event`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The event.
    id: Uuid,
    /// Its category.
    category: &'static str,
    /// How it is connected: `same_actor:NAME`, `same_subject:NAME` or `1_hop_via:CATEGORY`.
    reason: String,
    /// What happened.
    summary: String,
    /// When it began, if the source tells.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    event_time: Option<Timestamp>,
    /// The same, as exactly as the source tells.
    #[schema(required)]
    event_date: Option<String>,
    /// How sure it is, from 0 to 1.
    confidence: f64,
    /// Who tells it.
    source_id: Uuid,
    /// What that is called.
    source_title: String,
    /// Who acts in it.
    actors: Vec<Participant>,
    /// Whom and what it is about.
    subjects: Vec<Participant>,
    /// The words that say so.
    evidence: Vec<EventEvidence>,
    /// What changed in its source last; only with `include_revision_diff`, null if there is one version only.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision_diff: Option<Option<Difference>>,
}

/// What changed between two versions of a source.
#[derive(Serialize, ToSchema)]
pub(crate) struct Difference {
    /// The earlier version.
    from_revision_id: Uuid,
    /// The later one.
    to_revision_id: Uuid,
    /// Sentences that came, the first 20.
    added: Vec<String>,
    /// Sentences that went, the first 20.
    removed: Vec<String>,
}

impl RelatedItem {
    /// Makes the addresses absolute.
    pub(crate) fn at(&mut self, public_url: &str) {
        for evidence in &mut self.evidence {
            evidence.url.insert_str(0, public_url);
        }
    }

    /// What happened, how it is connected and what says so, for a model.
    pub(crate) fn as_text(&self) -> String {
        let date = self.event_date.as_deref().map(|date| format!(", {date}")).unwrap_or_default();
        let quote = self.evidence.first().map(|one| format!("\n“{}”\n{}", one.quote.trim(), one.url));
        format!("{}{date} ({}): {}{}", self.category, self.reason, self.summary, quote.unwrap_or_default())
    }

    fn new(related: Related, with_diff: bool) -> Self {
        let Related { event, reason, title, pages, diff } = related;
        let diff = diff.map(|diff| Difference {
            from_revision_id: diff.from.uuid(),
            to_revision_id: diff.to.uuid(),
            added: diff.added,
            removed: diff.removed,
        });
        Self {
            kind: "event",
            id: event.id.uuid(),
            category: event.category.as_str(),
            reason,
            summary: event.narrative.clone(),
            event_time: event.date.and_then(PartialDate::beginning),
            event_date: event.date.map(|date| date.to_string()),
            confidence: rounded(event.confidence),
            source_id: event.source.uuid(),
            actors: event.actors.iter().map(Into::into).collect(),
            subjects: event.subjects.iter().map(Into::into).collect(),
            evidence: evidence(&event, &title, &pages),
            source_title: title,
            revision_diff: with_diff.then_some(diff),
        }
    }
}

/// What is connected with what was found, and who takes part.
pub(crate) fn expanded(expanded: Expanded, with_diff: bool) -> (Vec<RelatedItem>, Vec<Entity>) {
    let related = expanded.related.into_iter().map(|one| RelatedItem::new(one, with_diff));
    (related.collect(), expanded.entities.into_iter().map(Into::into).collect())
}
