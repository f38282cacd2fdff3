//! What every reader takes and gives.

use ibid_domain::{Mark, MarkKind, PartialDate, Reference, Span};
use serde::{Deserialize, Serialize};

/// The bytes to read, and what is said about them. What is said is only a hint: the bytes decide.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExtractionInput<'a> {
    /// Bytes of the file; they decide its kind.
    pub bytes: &'a [u8],
    /// File name from the upload or the archive, used only as a hint.
    pub filename: Option<&'a str>,
    /// The media type it was announced with.
    pub media_type: Option<&'a str>,
    /// Address the file was fetched from; relative links are resolved against it.
    pub url: Option<&'a str>,
    /// The day it is read on, where it is known: nothing has appeared later.
    pub today: Option<PartialDate>,
}

/// Limits on the output of one extraction. The calling process limits time and memory.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ExtractionLimits {
    /// Maximum number of characters of extracted text.
    pub text_chars: usize,
    /// Bytes unpacked from one container, all entries together.
    pub unpacked_bytes: u64,
    /// Maximum number of entries in one archive or mailbox.
    pub entries: usize,
    /// Maximum number of pages or slides in one document.
    pub pages: usize,
    /// Levels of nesting: elements in markup, messages in messages.
    pub depth: usize,
}

impl Default for ExtractionLimits {
    fn default() -> Self {
        Self { text_chars: 50_000_000, unpacked_bytes: 512 * 1024 * 1024, entries: 20_000, pages: 5_000, depth: 200 }
    }
}

/// Reason why no text could be extracted from a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "code", content = "detail", rename_all = "snake_case")]
pub enum ExtractionError {
    /// It cannot be opened without a password.
    #[error("the file is protected by a password; remove the protection and add it again")]
    Encrypted,
    /// It is not what it claims to be, or part of it is missing.
    #[error("the file is damaged: {0}")]
    Damaged(String),
    /// The file has no content besides blank space.
    #[error("the file is empty")]
    Empty,
    /// It holds pictures of text, not text.
    #[error("no text was found in the file; if it is a scan, run it through text recognition first")]
    NoText,
    /// It is of a kind that no reader here understands.
    #[error(
        "files of type {0} cannot be read; PDF, Office, OpenDocument, EPUB, HTML, Markdown, text, CSV, JSON, RTF, mail and images can"
    )]
    Unsupported(String),
    /// It unpacks to more than is allowed.
    #[error("the file is too large to read: {0}")]
    TooLarge(String),
    /// It took too long, or more memory than is allowed.
    #[error("the file took too much to read: {0}")]
    TooCostly(String),
    /// A part of the installation is missing.
    #[error("this installation cannot read such files: {0}")]
    NotInstalled(String),
}

impl ExtractionError {
    /// Returns the stable code of the error, such as `no_text`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Encrypted => "encrypted",
            Self::Damaged(_) => "damaged",
            Self::Empty => "empty",
            Self::NoText => "no_text",
            Self::Unsupported(_) => "unsupported",
            Self::TooLarge(_) => "too_large",
            Self::TooCostly(_) => "too_costly",
            Self::NotInstalled(_) => "not_installed",
        }
    }
}

/// Metadata of a web page that is not part of its bibliographic reference.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebPageMetadata {
    /// Site name to display: the one the page states, or its host.
    pub site_name: Option<String>,
    /// The address of its icon, absolute.
    pub favicon: Option<String>,
    /// The address it wants to be known under, absolute.
    pub canonical_url: Option<String>,
}

/// Text, marks and metadata extracted from one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractedFile {
    /// The media type that the bytes have.
    pub media_type: String,
    /// The text, with `\n` between lines and an empty line between paragraphs.
    pub text: String,
    /// The parts of the text, by start.
    pub marks: Vec<Mark>,
    /// Bibliographic metadata found in the file itself.
    pub reference: Reference,
    /// Web page metadata; empty for files that are not HTML.
    #[serde(default)]
    pub web: WebPageMetadata,
    /// Width and height of an image, in pixels.
    #[serde(default)]
    pub dimensions: Option<(u32, u32)>,
}

/// Writes a text and the marks over it at once, so that no offset is ever computed twice.
#[derive(Debug)]
pub struct TextBuilder {
    text: String,
    chars: usize,
    limit: usize,
    marks: Vec<Mark>,
    open: Vec<Mark>,
}

impl TextBuilder {
    /// An empty text that will not grow beyond the limit.
    pub fn new(limits: &ExtractionLimits) -> Self {
        Self { text: String::new(), chars: 0, limit: limits.text_chars, marks: Vec::new(), open: Vec::new() }
    }

    /// Returns the number of characters written, not bytes.
    pub fn len(&self) -> usize {
        self.chars
    }

    /// Returns true if nothing has been written yet.
    pub fn is_empty(&self) -> bool {
        self.chars == 0
    }

    /// Returns the text written so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Appends `text` without any change, up to the character limit.
    pub fn push(&mut self, text: &str) -> Result<(), ExtractionError> {
        self.chars += text.chars().count();
        if self.chars > self.limit {
            return Err(ExtractionError::TooLarge(format!("its text is longer than {} characters", self.limit)));
        }
        self.text.push_str(text);
        Ok(())
    }

    /// Ends the line, unless one has just ended or nothing was written.
    pub fn end_line(&mut self) -> Result<(), ExtractionError> {
        if self.text.is_empty() || self.text.ends_with('\n') { Ok(()) } else { self.push("\n") }
    }

    /// Ends the paragraph: an empty line follows, unless there is one.
    pub fn end_paragraph(&mut self) -> Result<(), ExtractionError> {
        self.end_line()?;
        if self.text.is_empty() || self.text.ends_with("\n\n") { Ok(()) } else { self.push("\n") }
    }

    /// Marks what was written since `start`.
    pub fn add_mark(&mut self, kind: MarkKind, label: impl Into<String>, number: Option<u32>, start: usize) {
        self.marks.push(Mark { kind, label: label.into(), number, level: 0, span: Span::new(start, self.chars) });
    }

    /// Begins a section here: those of the same or a deeper level end.
    pub fn begin_section(&mut self, level: u8, heading: impl Into<String>) {
        self.end_sections(level);
        let span = Span::new(self.chars, self.chars);
        self.open.push(Mark { kind: MarkKind::Section, label: heading.into(), number: None, level, span });
    }

    /// Ends the open sections of this level and deeper.
    pub fn end_sections(&mut self, level: u8) {
        while let Some(mut mark) = self.open.pop_if(|open| open.level >= level) {
            mark.span.end = self.chars;
            self.marks.push(mark);
        }
    }

    /// The text and its marks: blank space at the end is gone, and no mark is empty or reaches beyond the text.
    pub fn finish(mut self) -> (String, Vec<Mark>) {
        self.end_sections(0);
        let kept = self.text.trim_end();
        let end = self.chars - self.text[kept.len()..].chars().count();
        self.text.truncate(kept.len());
        for mark in &mut self.marks {
            mark.span.end = mark.span.end.min(end);
        }
        self.marks.retain(|mark| !mark.span.is_empty());
        self.marks.sort_by_key(|mark| (mark.span.start, mark.kind, mark.level));
        (self.text, self.marks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_end_where_the_next_of_their_level_begins() {
        let mut text = TextBuilder::new(&ExtractionLimits::default());
        text.begin_section(1, "One");
        text.push("One").unwrap();
        text.end_paragraph().unwrap();
        text.begin_section(2, "Inner");
        text.push("Ünner").unwrap();
        text.end_paragraph().unwrap();
        text.begin_section(1, "Two");
        text.push("Two").unwrap();
        text.end_paragraph().unwrap();
        let (text, marks) = text.finish();
        assert_eq!(text, "One\n\nÜnner\n\nTwo");
        let found: Vec<_> =
            marks.iter().map(|mark| (mark.label.as_str(), mark.span.slice_of(&text).unwrap())).collect();
        assert_eq!(found, [("One", "One\n\nÜnner\n\n"), ("Inner", "Ünner\n\n"), ("Two", "Two")]);
    }

    #[test]
    fn a_text_beyond_the_limit_is_an_error() {
        let mut text = TextBuilder::new(&ExtractionLimits { text_chars: 3, ..ExtractionLimits::default() });
        assert!(text.push("äöü").is_ok());
        assert!(matches!(text.push("x"), Err(ExtractionError::TooLarge(_))));
    }
}
