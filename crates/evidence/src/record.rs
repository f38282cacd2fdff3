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
    /// What it is about.
    pub kind: Kind,
    /// When it is made.
    pub created_at: Timestamp,
    /// The program that makes it, with its version: `ibid 0.1.0`.
    pub tool: String,
    /// The message or document.
    pub message: MessageRecord,
    /// Its citations, in the order in which they stand.
    pub citations: Vec<CitationRecord>,
    /// What is cited, each file once.
    pub files: Vec<FileRecord>,
}

/// What a bundle is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An answer, or another message of a conversation.
    Message,
    /// A text that a user wrote.
    Document,
}

impl Kind {
    /// Its name, also that of its files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Document => "document",
        }
    }
}

/// What a message or document is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextFormat {
    /// Markdown.
    #[default]
    Markdown,
    /// Typst.
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

    /// Its media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Typst => "text/x-typst; charset=utf-8",
        }
    }
}

/// A message or document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageRecord {
    /// Its id.
    pub id: String,
    /// Who says it: `assistant`, `user`; none for a document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Its title, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its text, which markers and claims point into.
    pub content: String,
    /// What the text is written in.
    pub format: TextFormat,
    /// The conversation it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// The model that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The run it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunRecord>,
}

/// The run that made a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Its id.
    pub id: String,
    /// What ran: the name of an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
}

/// One citation: which words cite, what they cite, and what was known of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CitationRecord {
    /// The number it is shown with.
    pub number: u32,
    /// Where the marker stands in the message.
    pub marker: Span,
    /// The claim it stands for, in the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Span>,
    /// The source; none if it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_id: Option<String>,
    /// What the source was called.
    pub title: String,
    /// What its file was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_name: Option<String>,
    /// What format it was in.
    pub media_type: String,
    /// Where it came from: `web`, `upload` …
    pub origin: String,
    /// The address of a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whether it is a picture.
    pub is_image: bool,
    /// How well search found that it fits.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "six_decimals")]
    pub relevance: Option<f64>,
    /// What checking the claim came to: `supported`, `partial`, `unsupported`, `unverifiable`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// How sure that is.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "six_decimals")]
    pub score: Option<f64>,
    /// Whether what is cited is still as it was: `current`, `changed`, `deleted`.
    pub state: String,
    /// The revision that is cited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision_id: Option<String>,
    /// The revision's bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_sha256: Option<Sha256>,
    /// The revision's text, which `span` points into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_sha256: Option<Sha256>,
    /// Where the quote stands in that text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The words that are cited, exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// What stands right before the quote, exactly; any length.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    /// What stands right after the quote, exactly; any length.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suffix: String,
    /// The page the quote begins on, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

impl CitationRecord {
    /// What is wrong with it in itself and in a message of so many characters, if anything is.
    pub(crate) fn flaw(&self, chars: usize) -> Option<String> {
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
pub(crate) struct Citations<'a> {
    pub(crate) citations: std::borrow::Cow<'a, [CitationRecord]>,
}

/// What is said of so many citations.
pub(crate) fn too_many_citations(count: usize) -> String {
    format!("has {count} citations; a bundle has at most {MAX_CITATIONS}")
}

/// Opens a file of the bundle at its beginning. It is asked twice for each file.
pub type Open = Box<dyn Fn() -> io::Result<Box<dyn io::Read>> + Send>;

/// A cited file that goes into the bundle.
pub struct FileRecord {
    /// The hash of its bytes.
    pub sha256: Sha256,
    /// How many bytes.
    pub size_bytes: u64,
    /// What they are.
    pub media_type: String,
    /// What the file was called; only ever shown.
    pub name: Option<String>,
    /// Whether it is what was cited or the text of it; never [`Role::Record`](crate::Role::Record).
    pub role: crate::Role,
    /// Opens it.
    pub open: Open,
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
