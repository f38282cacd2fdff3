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

/// Restricts a search to some sources and passages; an empty field does not restrict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchFilter {
    /// Sources of one of these types.
    pub kinds: Vec<SourceType>,
    /// Only sources with one of these origins.
    pub origins: Vec<Origin>,
    /// Only sources with one of these ids.
    pub sources: Vec<SourceId>,
    /// Sources collected for this document.
    pub document_id: Option<Uuid>,
    /// Only sources of this project.
    pub project_id: Option<Uuid>,
    /// Sources filed under all of these.
    pub tags: Vec<String>,
    /// Texts in one of these languages, by the code of two letters.
    pub languages: Vec<String>,
    /// Sources that appeared, or came where that is not known, at this time or later.
    pub from: Option<Timestamp>,
    /// Sources that appeared, or came where that is not known, before this time.
    pub to: Option<Timestamp>,
    /// Searches an earlier state of the library; `None` is the current one.
    pub as_of: Option<AsOf>,
    /// Also what was remembered of conversations, which is left out otherwise.
    pub memories: bool,
}

/// An earlier state of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsOf {
    /// The newest revisions that were read at this time.
    Time(Timestamp),
    /// The revisions whose content this manifest names.
    Manifest(Sha256),
}

/// The forms under which one word may be indexed: its stem in each language of the library.
pub type WordForms = Vec<String>;

/// Words as both engines look for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordQuery {
    /// Words of which any may stand; a passage is the better the more and the rarer of them it has.
    pub any: Vec<WordForms>,
    /// Phrases of which each must stand, word after word. Their words count like those of `any`.
    pub phrases: Vec<Vec<WordForms>>,
    /// Words and phrases of which none may stand.
    pub without: Vec<Vec<WordForms>>,
}

impl WordQuery {
    /// True if there is no word or phrase to search for.
    pub fn is_empty(&self) -> bool {
        self.any.is_empty() && self.phrases.is_empty()
    }
}

/// A word of a text as it is indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The form it is indexed under.
    pub form: String,
    /// Position of the word in the text, from 0; the forms of one word share it.
    pub place: u32,
}
