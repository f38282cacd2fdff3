//! What goes into a bundle: the message or document, its citations, the run it came from, and the cited files.

use std::{fmt, io};

use ibid_domain::{Sha256, Span, Timestamp};
use serde::{Deserialize, Serialize, Serializer};

use crate::MAX_CITATIONS;

/// The longest id, in characters.
pub const MAX_ID: usize = 255;

/// The largest score or relevance that is kept; with six decimals, every program reads it back as it was written.
const MAX_SCORE: f64 = 1e9;

/// Everything a bundle is made from.
#[derive(Debug)]
pub struct Bundle {
    /// Tells if the bundle is about a message or a document.
    pub kind: BundleKind,
    /// Time written into the manifest; set by the caller, because this crate reads no clock.
    pub created_at: Timestamp,
    /// The program that makes it, with its version: `ibid 0.1.0`.
    pub tool: String,
    /// The message or document that cites the files.
    pub message: MessageRecord,
    /// Its citations, in the order in which they stand.
    pub citations: Vec<CitationRecord>,
    /// Cited files and texts, each once.
    pub files: Vec<FileRecord>,
}

/// Kind of text that a bundle documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BundleKind {
    /// An answer, or another message of a conversation.
    Message,
    /// A document written by a user.
    Document,
}

impl BundleKind {
    /// Its name, also that of its files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Document => "document",
        }
    }
}

/// Markup language of a message or document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextFormat {
    #[default]
    Markdown,
    Typst,
}

impl TextFormat {
    /// The ending of a file that holds it.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Typst => "typ",
        }
    }

    /// Returns the media type, such as `text/markdown`.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Typst => "text/x-typst; charset=utf-8",
        }
    }
}

/// Record of the message or document in a bundle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageRecord {
    pub id: String,
    /// Author role, `assistant` or `user`; `None` for a document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Title of the message or document, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its text, which markers and claims point into.
    pub content: String,
    /// Markup language of `content`.
    pub format: TextFormat,
    /// The conversation it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    pub created_at: Timestamp,
    /// Name of the model that wrote the message; `None` for text by a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The run that produced the message, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunRecord>,
}

/// The run that made a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    pub id: String,
    /// Name of the agent that ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    pub started_at: Timestamp,
    /// Time when the run ended; `None` if it has not ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
}

/// One citation: which words cite, what they cite, and what was known of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CitationRecord {
    /// The number it is shown with.
    pub number: u32,
    /// Position of the marker in the message, in characters.
    pub marker: Span,
    /// The claim it stands for, in the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Span>,
    /// The source; none if it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_id: Option<String>,
    /// Title of the source at the time of citing.
    pub title: String,
    /// Name of the source's file at the time of citing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_name: Option<String>,
    /// Media type of the source at the time of citing.
    pub media_type: String,
    /// Origin of the source, such as `web` or `upload`.
    pub origin: String,
    /// Web address of the source, if it is a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// True if the citation points to an image instead of text.
    pub is_image: bool,
    /// Relevance score of the search that found the source.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "six_decimals")]
    pub relevance: Option<f64>,
    /// Result of checking the claim: `supported`, `partial`, `unsupported` or `unverifiable`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Confidence of the verdict, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "six_decimals")]
    pub score: Option<f64>,
    /// State of the cited revision when the bundle was written: `current`, `changed` or `deleted`.
    pub state: String,
    /// The revision that is cited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision_id: Option<String>,
    /// SHA-256 of the original file of the revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_sha256: Option<Sha256>,
    /// The revision's text, which `span` points into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_sha256: Option<Sha256>,
    /// Position of the quote in the extracted text, in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The words that are cited, exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Exact text right before the quote, of any length.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    /// Exact text right after the quote, of any length.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suffix: String,
    /// The page the quote begins on, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

impl CitationRecord {
    /// Returns a description of the first error in the citation, or `None`. `chars` is the length of the message in
    /// characters.
    pub(crate) fn find_flaw(&self, chars: usize) -> Option<String> {
        let lies_within = |span: Span| span.start <= span.end && span.end <= chars;
        let said = |span: Span| format!("{}..{}", span.start, span.end);
        let too_large = |score: Option<f64>| score.is_some_and(|score| !(-MAX_SCORE..=MAX_SCORE).contains(&score));
        if self.number == 0 {
            return Some("has the number 0; numbers count from 1".to_owned());
        }
        if !lies_within(self.marker) {
            return Some(format!("has its marker at {}, but the text has {chars} characters", said(self.marker)));
        }
        if let Some(claim) = self.claim
            && !lies_within(claim)
        {
            return Some(format!("has its claim at {}, but the text has {chars} characters", said(claim)));
        }
        if too_large(self.relevance) || too_large(self.score) {
            return Some("has a score or relevance that is not a number of at most a thousand million".to_owned());
        }
        if self.page == Some(0) {
            return Some("is on page 0; pages count from 1".to_owned());
        }
        match (&self.quote, self.span) {
            (None, Some(_)) => Some("points at words that it does not quote".to_owned()),
            (None, None) if !(self.prefix.is_empty() && self.suffix.is_empty()) => {
                Some("has words around a quote, but no quote".to_owned())
            }
            (Some(_), None) if self.text_sha256.is_some() => Some("quotes a text without the place in it".to_owned()),
            (Some(_), Some(_)) if self.text_sha256.is_none() => {
                Some("gives the place of its quote without the text".to_owned())
            }
            (Some(quote), Some(span)) if span.start > span.end || span.len() != quote.chars().count() => {
                Some(format!("has a quote of {} characters at {}", quote.chars().count(), said(span)))
            }
            _ => None,
        }
    }
}

/// All citations, as `citations.json` holds them.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CitationsFile<'a> {
    pub(crate) citations: std::borrow::Cow<'a, [CitationRecord]>,
}

/// Returns the fault message for a bundle with too many citations.
pub(crate) fn too_many_citations(count: usize) -> String {
    format!("has {count} citations; a bundle has at most {MAX_CITATIONS}")
}

/// Opens a file of the bundle at its beginning. It is asked twice for each file.
pub type OpenFile = Box<dyn Fn() -> io::Result<Box<dyn io::Read>> + Send>;

/// A cited file that goes into the bundle.
pub struct FileRecord {
    /// SHA-256 of the file's bytes.
    pub sha256: Sha256,
    pub size_bytes: u64,
    pub media_type: String,
    /// Original file name, for display only.
    pub name: Option<String>,
    /// Either artifact or text; a file with the role of a record is rejected.
    pub role: crate::FileRole,
    /// Opens the file for reading; called twice.
    pub open: OpenFile,
}

impl fmt::Debug for FileRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sha256, size_bytes, media_type, name, role, open: _ } = self;
        f.debug_struct("FileRecord")
            .field("sha256", sha256)
            .field("size_bytes", size_bytes)
            .field("media_type", media_type)
            .field("name", name)
            .field("role", role)
            .finish_non_exhaustive()
    }
}

/// A number that every program reads and writes the same way.
fn six_decimals<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    number.map(|number| (number * 1e6).round() / 1e6).serialize(serializer)
}
