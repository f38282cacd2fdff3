//! Citations that are kept: from a span of a message to the exact words that support it, for ever.

use serde::{Deserialize, Serialize};

use crate::{
    CitationId, ConversationId, Origin, RevisionId, RunId, Sha256, SourceId, Span, Timestamp,
    conversation::MessageId,
    source::{FetchStrategy, named},
};

named! {
    /// What checking a claim against its source comes to.
    Verdict, "a verdict", "verdict",
    /// There is nothing to check against.
    Unverifiable = "unverifiable";
    /// The source says otherwise.
    Contradicted = "contradicted";
    /// The source does not say it.
    Unsupported = "unsupported";
    /// The source says some of it.
    Partial = "partial";
    /// The source says it.
    Supported = "supported";
}

named! {
    /// In what a claim and its source differ.
    DifferenceKind, "a kind of difference", "kind",
    /// A number, a date or a day of the week.
    Figure = "figure";
    /// The name of a person, a place or a thing.
    Name = "name";
    /// One denies what the other says.
    Negation = "negation";
    /// One says more of how many than the other: all instead of some.
    Quantifier = "quantifier";
}

named! {
    /// Whether what was cited is still what its source says.
    CitationState, "a state of a citation", "state",
    /// It is.
    Current = "current";
    /// A newer revision of the source no longer has the quoted words; the revision that was cited still does.
    Changed = "changed";
}

/// A detail in which a claim of a message and its source differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimDifference {
    pub kind: DifferenceKind,
    /// Words of the claim, such as `72 metres`; empty if only the source has some.
    pub claim: String,
    /// Offset of those words' first character in the message; `None` if they do not stand there in one piece.
    pub start_index: Option<usize>,
    /// Offset after those words' last character in the message.
    pub end_index: Option<usize>,
    /// Words of the source that stand in their place, such as `27 metres`; `None` if it has none.
    pub source: Option<String>,
    /// Offset of those words' first character in the text of the source.
    pub start_char: Option<usize>,
    /// Offset after those words' last character in the text of the source.
    pub end_char: Option<usize>,
}

/// A numbered link from a marker in a message to one source, with the words that support it.
#[derive(Clone, Debug, PartialEq)]
pub struct Citation {
    pub id: CitationId,
    /// Message that contains the marker.
    pub message: MessageId,
    /// The conversation of that message.
    pub conversation: ConversationId,
    /// Run that wrote the citation; `None` if no run did.
    pub run: Option<RunId>,
    /// The source's number in that message.
    pub number: u32,
    /// Span of the marker in the message's text.
    pub marker: Span,
    /// The claim that it stands for.
    pub claim: Option<Span>,
    /// The source; none if it was deleted, or is none of the library's.
    pub source: Option<SourceId>,
    /// The id that the source had in its run.
    pub cited_id: String,
    /// Copy of the source's details at the time of citing.
    pub snapshot: CitationSnapshot,
    /// The words that support the claim.
    pub quote: Option<String>,
    /// Position of the quote in the cited text.
    pub anchor: Option<Anchor>,
    /// Result of checking the claim against the source; `None` before the check.
    pub verdict: Option<Verdict>,
    /// Confidence of the verdict, from 0 to 1.
    pub score: Option<f64>,
    /// The details in which claim and source differ; empty if there are none or nothing was compared.
    pub why: Vec<ClaimDifference>,
    /// Tells if a newer revision still has the quoted words.
    pub state: CitationState,
    /// Summary of the source; a job adds it some time after the answer.
    pub summary: Option<String>,
    pub created_at: Timestamp,
}

impl Citation {
    /// True if the source was in the library and has been deleted.
    pub const fn is_tombstone(&self) -> bool {
        self.snapshot.was_in_library && self.source.is_none()
    }
}

/// Details of a source at the time of citing, shown after the source is deleted.
#[derive(Clone, Debug, PartialEq)]
pub struct CitationSnapshot {
    /// True if it was a source of the library, and not only a tool's result.
    pub was_in_library: bool,
    pub title: String,
    /// The name of its file, or else its title.
    pub file_name: String,
    /// Origin of the source, such as an upload or the web.
    pub origin: Origin,
    /// Media type of the content, such as `application/pdf`.
    pub media_type: String,
    /// True if the content is a picture.
    pub is_image: bool,
    /// Web address of the source, if it has one.
    pub url: Option<String>,
    /// Relevance to the question, from 0 to 1.
    pub relevance: Option<f64>,
    /// Number of its passages that the run was given.
    pub excerpt_count: u64,
}

/// A place in a text that never changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor {
    /// The revision whose text it is; none if it is gone, or the text is a tool's.
    pub revision: Option<RevisionId>,
    /// Hash of the text, which is stored as an artifact.
    pub text: Sha256,
    /// The bytes that the text was read from, an artifact.
    pub content: Sha256,
    /// Range of the quote in the text; `None` if no words of the text come close to it.
    pub span: Option<Span>,
    /// A few words before the quote, to find it again.
    pub prefix: String,
    /// A few words after the quote, to find it again.
    pub suffix: String,
    /// The first and the last page.
    pub pages: Option<(u32, u32)>,
}

/// A file that a message cites, however often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CitedFile {
    /// Its number in that message.
    pub number: u32,
    /// Its source; none if that was deleted, or is none of the library's.
    pub file_id: Option<SourceId>,
    /// The name of the file, or the title.
    pub file_name: String,
    pub title: String,
    /// Origin of the source under its wire name, such as `web`.
    pub source_type: Origin,
    /// Media type of the content, such as `application/pdf`.
    pub mime_type: String,
    /// Relevance to the question, from 0 to 1.
    pub relevance_score: Option<f64>,
    /// True if the content is a picture.
    pub is_image: bool,
    /// Wire name of the way in which a client gets the content.
    pub fetch_strategy: FetchStrategy,
    /// Number of its passages that the run was given.
    pub excerpt_count: u64,
    /// Web address of the source, if it has one.
    pub url: Option<String>,
    /// True if it was a source of the library and has been deleted.
    pub is_deleted: bool,
}

/// The first citation of each source, in the order of their numbers.
pub fn first_of_each(citations: &[Citation]) -> Vec<&Citation> {
    let mut first: Vec<&Citation> = Vec::new();
    for citation in citations {
        if !first.iter().any(|known| known.number == citation.number) {
            first.push(citation);
        }
    }
    first.sort_by_key(|citation| citation.number);
    first
}

/// The files that citations are of, each once, in the order of their numbers.
pub fn cited_files(citations: &[Citation]) -> Vec<CitedFile> {
    let file = |citation: &Citation| {
        let snapshot = &citation.snapshot;
        CitedFile {
            number: citation.number,
            file_id: citation.source,
            file_name: snapshot.file_name.clone(),
            title: snapshot.title.clone(),
            source_type: snapshot.origin,
            mime_type: snapshot.media_type.clone(),
            relevance_score: snapshot.relevance,
            is_image: snapshot.is_image,
            fetch_strategy: snapshot.origin.fetch_strategy(),
            excerpt_count: snapshot.excerpt_count,
            url: snapshot.url.clone(),
            is_deleted: citation.is_tombstone(),
        }
    };
    first_of_each(citations).into_iter().map(file).collect()
}
