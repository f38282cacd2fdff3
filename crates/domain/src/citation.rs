//! Citations that are kept: from a span of a message to the exact words that support it, for ever.

use serde::Serialize;

use crate::{
    CitationId, ConversationId, Origin, RevisionId, RunId, Sha256, SourceId, Span, Timestamp, conversation::MessageId,
    source::named,
};

named! {
    /// What checking a claim against its source comes to.
    Verdict, "a verdict", "verdict",
    /// There is nothing to check against.
    Unverifiable = "unverifiable";
    /// The source does not say it.
    Unsupported = "unsupported";
    /// The source says some of it.
    Partial = "partial";
    /// The source says it.
    Supported = "supported";
}

named! {
    /// Whether what was cited is still what its source says.
    CitationState, "a state of a citation", "state",
    /// It is.
    Current = "current";
    /// A newer revision of the source no longer has the quoted words; the revision that was cited still does.
    Changed = "changed";
}

/// A numbered link from a marker in a message to one source, with the words that support it.
#[derive(Clone, Debug, PartialEq)]
pub struct Citation {
    /// Its id.
    pub id: CitationId,
    /// Where it stands.
    pub message: MessageId,
    /// The conversation of that message.
    pub conversation: ConversationId,
    /// The run that made it.
    pub run: Option<RunId>,
    /// The source's number in that message.
    pub number: u32,
    /// Where the marker stands in the message.
    pub marker: Span,
    /// The claim that it stands for.
    pub claim: Option<Span>,
    /// The source; none if it was deleted, or is none of the library's.
    pub source: Option<SourceId>,
    /// The id that the source had in its run.
    pub cited_id: String,
    /// What the source was when it was cited.
    pub snapshot: Snapshot,
    /// The words that support the claim.
    pub quote: Option<String>,
    /// Where those words stand.
    pub anchor: Option<Anchor>,
    /// What the check comes to.
    pub verdict: Option<Verdict>,
    /// How sure that is, from 0 to 1.
    pub score: Option<f64>,
    /// Whether it is still what its source says.
    pub state: CitationState,
    /// What the source is about; known some time after it was cited.
    pub summary: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Citation {
    /// Whether the source was the library's and is no more.
    pub const fn is_tombstone(&self) -> bool {
        self.snapshot.was_in_library && self.source.is_none()
    }
}

/// What a source was when it was cited, so that it can be shown when it is gone.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Whether it was a source of the library.
    pub was_in_library: bool,
    /// Its title.
    pub title: String,
    /// The name of its file, or else its title.
    pub file_name: String,
    /// Where it came from.
    pub origin: Origin,
    /// What format it is in.
    pub media_type: String,
    /// Whether it is a picture.
    pub is_image: bool,
    /// Its address.
    pub url: Option<String>,
    /// How well it fitted what was asked, from 0 to 1.
    pub relevance: Option<f64>,
    /// How many passages of it the run had.
    pub excerpt_count: u64,
}

/// A place in a text that never changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor {
    /// The revision whose text it is; none if it is gone, or the text is a tool's.
    pub revision: Option<RevisionId>,
    /// The text, an artifact.
    pub text: Sha256,
    /// The bytes that the text was read from, an artifact.
    pub content: Sha256,
    /// Where in the text; none if no words of it come close.
    pub span: Option<Span>,
    /// A few words before.
    pub prefix: String,
    /// A few words after.
    pub suffix: String,
    /// The first and the last page.
    pub pages: Option<(u32, u32)>,
}

/// A file that a message cites, however often.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CitedFile {
    /// Its number in that message.
    pub number: u32,
    /// Its source; none if that was deleted, or is none of the library's.
    pub file_id: Option<SourceId>,
    /// The name of the file, or the title.
    pub file_name: String,
    /// The title.
    pub title: String,
    /// Where it came from.
    pub source_type: &'static str,
    /// What format it is in.
    pub mime_type: String,
    /// How well it fitted what was asked, from 0 to 1.
    pub relevance_score: Option<f64>,
    /// Whether it is a picture.
    pub is_image: bool,
    /// How a client gets at its content.
    pub fetch_strategy: &'static str,
    /// How many passages of it the run had.
    pub excerpt_count: u64,
    /// Its address.
    pub url: Option<String>,
    /// Whether it was a source of the library and is no more.
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
            source_type: snapshot.origin.as_str(),
            mime_type: snapshot.media_type.clone(),
            relevance_score: snapshot.relevance,
            is_image: snapshot.is_image,
            fetch_strategy: snapshot.origin.fetch_strategy().as_str(),
            excerpt_count: snapshot.excerpt_count,
            url: snapshot.url.clone(),
            is_deleted: citation.is_tombstone(),
        }
    };
    first_of_each(citations).into_iter().map(file).collect()
}
