//! What can be asked of a search: words as both engines look for them, filters, and the categories of events.

use uuid::Uuid;

use crate::{Origin, Sha256, SourceId, SourceType, Timestamp, source::named};

named! {
    /// What kind of thing happened.
    Category, "a category", "graph_filters",
    /// Someone promised something.
    Commitment = "Commitment";
    /// Something was done.
    Execution = "Execution";
    /// Something was decided.
    Decision = "Decision";
    /// People worked together.
    Collaboration = "Collaboration";
    /// Something may go wrong or did.
    QualityRisk = "QualityRisk";
    /// Someone said what they think of something.
    Feedback = "Feedback";
    /// Something became different.
    Change = "Change";
    /// Someone has a part in something.
    Stakeholder = "Stakeholder";
}

/// Which passages a search looks at. What is empty does not narrow it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchFilter {
    /// Sources of one of these types.
    pub kinds: Vec<SourceType>,
    /// Sources from one of these.
    pub origins: Vec<Origin>,
    /// These sources.
    pub sources: Vec<SourceId>,
    /// Sources collected for this document.
    pub document_id: Option<Uuid>,
    /// Sources of this project.
    pub project_id: Option<Uuid>,
    /// Sources filed under all of these.
    pub tags: Vec<String>,
    /// Texts in one of these languages, by the code of two letters.
    pub languages: Vec<String>,
    /// Sources that appeared, or came where that is not known, at this time or later.
    pub from: Option<Timestamp>,
    /// Sources that appeared, or came where that is not known, before this time.
    pub to: Option<Timestamp>,
    /// The library as it was.
    pub as_of: Option<AsOf>,
    /// Also what was remembered of conversations, which is left out otherwise.
    pub memories: bool,
}

/// An earlier state of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsOf {
    /// At this time.
    Time(Timestamp),
    /// What this manifest names.
    Manifest(Sha256),
}

/// The forms under which one word may be indexed: its stem in each language of the library.
pub type Forms = Vec<String>;

/// Words as both engines look for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordQuery {
    /// Words of which any may stand; a passage is the better the more and the rarer of them it has.
    pub any: Vec<Forms>,
    /// Phrases of which each must stand, word after word. Their words count like those of `any`.
    pub phrases: Vec<Vec<Forms>>,
    /// Words and phrases of which none may stand.
    pub without: Vec<Vec<Forms>>,
}

impl WordQuery {
    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.any.is_empty() && self.phrases.is_empty()
    }
}

/// A word of a text as it is indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The form it is indexed under.
    pub form: String,
    /// Which word of the text it is, from 0. Two forms of one word share their place.
    pub place: u32,
}
