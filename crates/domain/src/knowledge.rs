//! What is known of people and things, and of what happened between them.

use sha2::{Digest, Sha256 as Hasher};
use uuid::Uuid;

use crate::{
    Category, EntityId, EventId, MentionId, PairId, PartialDate, RevisionId, SourceId, Span, Timestamp, source::named,
};

named! {
    /// What kind of thing a name means.
    EntityType, "a type of entity", "type",
    /// A human being.
    Person = "person";
    /// A company, an authority, a team.
    Org = "org";
    /// Something people work on.
    Project = "project";
    /// A thing: a product, a system, a document.
    Object = "object";
    /// Somewhere.
    Place = "place";
    /// None of these.
    Other = "other";
}

named! {
    /// Which part somebody has in an event.
    ActorRole, "a role", "role",
    /// It is theirs to do or to decide.
    Owner = "owner";
    /// They do it with others.
    Contributor = "contributor";
    /// They look at it, judge it, approve it.
    Reviewer = "reviewer";
    /// It matters to them.
    Stakeholder = "stakeholder";
    /// Another part.
    Other = "other";
}

named! {
    /// Whether two names mean the same.
    Sameness, "a decision", "decision",
    /// They do.
    Same = "same";
    /// They do not.
    Different = "different";
    /// What is known does not tell.
    Uncertain = "uncertain";
}

named! {
    /// Where the date of an event comes from.
    DateSource, "a source of a date", "dated_by",
    /// The text says when it was.
    Text = "text";
    /// The text does not say; it is the date of the document or message that tells of it.
    Document = "document";
}

named! {
    /// What became of two that may be the same.
    PairState, "a state of a pair", "state",
    /// Nobody has said yet.
    Open = "open";
    /// They are.
    Same = "same";
    /// They are not.
    Different = "different";
}

impl Category {
    /// Returns the weight that breaks ties between events of equal date and confidence; the heavier comes first.
    pub const fn tie_break_weight(self) -> i64 {
        match self {
            Self::Decision => 3,
            Self::Commitment => 2,
            Self::QualityRisk => 1,
            _ => 0,
        }
    }
}

/// Somebody or something, through all the texts that name it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entity {
    pub id: EntityId,
    pub kind: EntityType,
    /// Fullest name found in any text.
    pub name: String,
    /// Position or function, such as `CFO`, if a text tells it.
    pub role: Option<String>,
    /// Organization it belongs to, if a text tells it.
    pub organization: Option<String>,
    pub email: Option<String>,
    /// Other names of this entity and of those merged into it.
    pub aliases: Vec<String>,
    /// True if an open pair asks a person whether it is the same as another entity.
    pub needs_review: bool,
    /// Number of mentions in current revisions.
    pub mention_count: u64,
    /// Entity it was merged into; `None` if it is a root.
    pub merged_into: Option<EntityId>,
    /// The source that named it first.
    pub first_source: SourceId,
    /// Revision in which it was found first.
    pub first_revision: RevisionId,
    pub created_at: Timestamp,
    /// Time of the last change of its details.
    pub updated_at: Timestamp,
}

/// A place that names an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    pub id: MentionId,
    /// Entity that the words name.
    pub entity: EntityId,
    pub source: SourceId,
    /// Revision whose text has the words.
    pub revision: RevisionId,
    /// The words exactly as the text has them.
    pub surface: String,
    /// Range of the words in the revision's text, in characters.
    pub span: Span,
    /// Confidence of the extractor, from 0 to 1.
    pub confidence: f64,
    /// Name and version of the extractor that found it.
    pub extractor: String,
}

/// Exact words of a revision's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// The words exactly as the text has them.
    pub quote: String,
    /// Range of the words in the revision's text, in characters.
    pub span: Span,
}

/// Somebody or something that has a part in an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    pub entity: EntityId,
    /// Name of the entity, for display.
    pub name: String,
    pub kind: EntityType,
    /// Role of an actor; `None` for a subject.
    pub role: Option<ActorRole>,
}

/// Something that happened, as a source tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub id: EventId,
    /// Source that tells of the event.
    pub source: SourceId,
    /// Revision whose text tells of it.
    pub revision: RevisionId,
    pub category: Category,
    /// Short description of the event.
    pub narrative: String,
    /// Date of the event, as exactly as the text tells it; `None` if it does not.
    pub date: Option<PartialDate>,
    /// Date of the document or message that tells of it; `None` if it has none.
    pub document_date: Option<PartialDate>,
    /// Confidence of the extractor, from 0 to 1.
    pub confidence: f64,
    /// Name and version of the extractor that found it.
    pub extractor: String,
    /// Entities that act in the event.
    pub actors: Vec<Participant>,
    /// Entities that the event is about.
    pub subjects: Vec<Participant>,
    /// Quotes from the revision's text that support it.
    pub evidence: Vec<Quote>,
    pub created_at: Timestamp,
}

impl Event {
    /// Returns the date to sort and show the event by, and where it comes from. A document's date must never be shown as
    /// if the text said it.
    pub fn best_date(&self) -> Option<(PartialDate, DateSource)> {
        let told = self.date.map(|date| (date, DateSource::Text));
        told.or_else(|| self.document_date.map(|date| (date, DateSource::Document)))
    }
}

/// Two entities that may be the same, for a person to decide.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    pub id: PairId,
    pub a: EntityId,
    pub b: EntityId,
    /// Estimated probability that they are the same, from 0 to 1.
    pub confidence: f64,
    /// Explanation for the reviewer.
    pub reason: String,
    /// Decision of the reviewer; open until there is one.
    pub state: PairState,
    pub created_at: Timestamp,
    /// Time of the decision; `None` while it is open.
    pub decided_at: Option<Timestamp>,
}

/// An id that follows from what it names, so that finding the same again gives the same.
fn derive_id(what: &str, parts: &[&dyn std::fmt::Display]) -> Uuid {
    let mut hasher = Hasher::new();
    hasher.update(what);
    for part in parts {
        hasher.update([0]);
        hasher.update(part.to_string());
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hasher.finalize()[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

impl EventId {
    /// The event of that category that these words of a revision tell.
    pub fn for_span(revision: RevisionId, category: Category, words: Span) -> Self {
        derive_id("event", &[&revision, &category.as_str(), &words.start, &words.end]).into()
    }
}

impl MentionId {
    /// The mention of something of that kind in these words of a revision.
    pub fn for_span(revision: RevisionId, kind: EntityType, words: Span) -> Self {
        derive_id("mention", &[&revision, &kind.as_str(), &words.start, &words.end]).into()
    }
}

impl PairId {
    /// The pair of these two, in whichever order.
    pub fn for_entities(a: EntityId, b: EntityId) -> Self {
        derive_id("pair", &[&a.min(b), &a.max(b)]).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_the_same_event_and_others_are_another() {
        let revision = RevisionId::new();
        let id = EventId::for_span(revision, Category::Decision, Span::new(3, 9));
        assert_eq!(id, EventId::for_span(revision, Category::Decision, Span::new(3, 9)));
        for other in [
            EventId::for_span(RevisionId::new(), Category::Decision, Span::new(3, 9)),
            EventId::for_span(revision, Category::Change, Span::new(3, 9)),
            EventId::for_span(revision, Category::Decision, Span::new(39, 9)),
        ] {
            assert_ne!(id, other);
        }
        let (a, b) = (EntityId::new(), EntityId::new());
        assert_eq!(PairId::for_entities(a, b), PairId::for_entities(b, a));
    }
}
