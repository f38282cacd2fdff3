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
    /// Which of two that are equally new and equally sure comes first: the heavier.
    pub const fn weight(self) -> i64 {
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
    /// Its id.
    pub id: EntityId,
    /// What it is.
    pub kind: EntityType,
    /// The fullest name it has.
    pub name: String,
    /// What it is there for.
    pub role: Option<String>,
    /// Whom it belongs to.
    pub organization: Option<String>,
    /// Where mail reaches it.
    pub email: Option<String>,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Whether a person should say whether it is the same as another.
    pub needs_review: bool,
    /// How many places name it.
    pub mention_count: u64,
    /// Whose it counts as, if it was found to be another.
    pub merged_into: Option<EntityId>,
    /// The source that named it first.
    pub first_source: SourceId,
    /// And the version of that.
    pub first_revision: RevisionId,
    /// Since when it is known.
    pub created_at: Timestamp,
    /// When something about it was learned last.
    pub updated_at: Timestamp,
}

/// A place that names an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    /// Its id.
    pub id: MentionId,
    /// Whom it names.
    pub entity: EntityId,
    /// Where.
    pub source: SourceId,
    /// In which version of it.
    pub revision: RevisionId,
    /// As it is written there.
    pub surface: String,
    /// Which characters of the revision's text.
    pub span: Span,
    /// How sure it is.
    pub confidence: f64,
    /// Who found it.
    pub extractor: String,
}

/// Exact words of a revision's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// The words.
    pub quote: String,
    /// Where they stand.
    pub span: Span,
}

/// Somebody or something that has a part in an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    /// Who.
    pub entity: EntityId,
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: EntityType,
    /// Which part, if it acts; what it is about has none.
    pub role: Option<ActorRole>,
}

/// Something that happened, as a source tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its id.
    pub id: EventId,
    /// Who tells it.
    pub source: SourceId,
    /// In which version.
    pub revision: RevisionId,
    /// What kind of thing.
    pub category: Category,
    /// What happened.
    pub narrative: String,
    /// When, as exactly as is known.
    pub date: Option<PartialDate>,
    /// How sure it is.
    pub confidence: f64,
    /// Who found it.
    pub extractor: String,
    /// Who acts in it.
    pub actors: Vec<Participant>,
    /// Whom and what it is about.
    pub subjects: Vec<Participant>,
    /// The words that say so.
    pub evidence: Vec<Quote>,
    /// Since when it is known.
    pub created_at: Timestamp,
}

/// Two that may be the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// Its id.
    pub id: PairId,
    /// One.
    pub a: EntityId,
    /// The other.
    pub b: EntityId,
    /// How likely it is.
    pub confidence: f64,
    /// Why it may be.
    pub reason: String,
    /// What was decided.
    pub state: PairState,
    /// Since when it is asked.
    pub created_at: Timestamp,
    /// When it was decided.
    pub decided_at: Option<Timestamp>,
}

/// An id that follows from what it names, so that finding the same again gives the same.
fn derived(what: &str, parts: &[&dyn std::fmt::Display]) -> Uuid {
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
    pub fn of(revision: RevisionId, category: Category, words: Span) -> Self {
        derived("event", &[&revision, &category.as_str(), &words.start, &words.end]).into()
    }
}

impl MentionId {
    /// The mention of something of that kind in these words of a revision.
    pub fn of(revision: RevisionId, kind: EntityType, words: Span) -> Self {
        derived("mention", &[&revision, &kind.as_str(), &words.start, &words.end]).into()
    }
}

impl PairId {
    /// The pair of these two, in whichever order.
    pub fn of(a: EntityId, b: EntityId) -> Self {
        derived("pair", &[&a.min(b), &a.max(b)]).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_the_same_event_and_others_are_another() {
        let revision = RevisionId::new();
        let id = EventId::of(revision, Category::Decision, Span::new(3, 9));
        assert_eq!(id, EventId::of(revision, Category::Decision, Span::new(3, 9)));
        for other in [
            EventId::of(RevisionId::new(), Category::Decision, Span::new(3, 9)),
            EventId::of(revision, Category::Change, Span::new(3, 9)),
            EventId::of(revision, Category::Decision, Span::new(39, 9)),
        ] {
            assert_ne!(id, other);
        }
        let (a, b) = (EntityId::new(), EntityId::new());
        assert_eq!(PairId::of(a, b), PairId::of(b, a));
    }
}
