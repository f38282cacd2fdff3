//! Texts that are written here, and what they cite.

use crate::{DocumentCitationId, DocumentId, Sha256, SourceId, SourceType, Timestamp, source::named};

named! {
    /// How the text of a document is written.
    DocumentFormat, "a format", "format",
    /// Typst markup, with `#footnote[3]` for a citation.
    Typst = "typst";
    /// Markdown, with `[^3]` for a citation.
    Markdown = "markdown";
}

named! {
    /// How a document is laid out.
    Template, "a template", "template",
    /// Title above the text.
    Article = "article";
    /// A title page, contents, numbered headings.
    Report = "report";
    /// Wide lines, first lines indented.
    Essay = "essay";
    /// As the text says.
    None = "none";
}

named! {
    /// How the citations of a document are set.
    CiteAs, "a way to cite", "cite_as",
    /// As footnotes, one for each.
    Footnotes = "footnotes";
    /// In the text; those side by side together.
    InText = "in_text";
}

named! {
    /// What stands where the title, the author or the date of a source is not known.
    MissingDetails, "a way to name what is missing", "missing",
    /// `Untitled`, `Unknown Author`, `n.d.`
    Placeholders = "placeholders";
    /// What the style says.
    Csl = "csl";
}

impl DocumentFormat {
    /// Returns the citation marker with this number in the syntax of the format.
    pub fn citation_marker(self, number: u32) -> String {
        match self {
            Self::Typst => format!("#footnote[{number}]"),
            Self::Markdown => format!("[^{number}]"),
        }
    }

    /// Returns the name of the text's file in a document's manifest.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Typst => "text.typ",
            Self::Markdown => "text.md",
        }
    }
}

/// Settings of a document: title, format, style and layout; everything but the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentSettings {
    pub title: String,
    /// Markup language of the text.
    pub format: DocumentFormat,
    /// The style of its references, by id.
    pub style: String,
    /// BCP 47 tag of the document's language.
    pub locale: String,
    /// Page layout of the rendered document.
    pub template: Template,
    /// Place of the citations: footnotes or in the text.
    pub cite_as: CiteAs,
    /// Text to show for an unknown title, author or date of a source.
    pub missing: MissingDetails,
    /// Authors shown under the title.
    pub authors: Vec<String>,
    /// Date shown under the title, as free text.
    pub date: Option<String>,
}

/// A text that is written here.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    pub id: DocumentId,
    /// Settings of the newest version.
    pub settings: DocumentSettings,
    /// Number of the newest version; grows by 1 with each save.
    pub version: u64,
    /// The newest version: the text, how it looks, its files.
    pub manifest: Sha256,
    /// Hash of the newest text, which is stored as an artifact.
    pub text: Sha256,
    /// The last number that was given to a citation.
    pub citation_count: u32,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// One saved version in the history of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentVersion {
    /// Number of the version, from 1.
    pub version: u64,
    /// Manifest with the text, the settings and the files of this version.
    pub manifest: Sha256,
    /// Title of the document in this version.
    pub title: String,
    /// Note of the user about the save.
    pub message: Option<String>,
    /// Length of the text, in characters.
    pub char_count: u64,
    /// Number of characters added since the version before.
    pub added: u64,
    /// Number of characters removed since the version before.
    pub removed: u64,
    pub created_at: Timestamp,
}

/// Something that a document cites.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentCitation {
    pub id: DocumentCitationId,
    /// Its number in the document.
    pub number: u32,
    /// Cited source; `None` after the source is deleted.
    pub source: Option<SourceId>,
    /// Position of the citation in the text, in characters.
    pub position: usize,
    /// True if the text has the marker now.
    pub is_marked: bool,
    /// True if the text has had the marker in any version.
    pub was_marked: bool,
    /// Place in the source, such as `p. 12`.
    pub locator: Option<String>,
    /// Words to print before the citation, such as `see`.
    pub prefix: Option<String>,
    /// Words to print after the citation.
    pub suffix: Option<String>,
    /// The words that it stands for.
    pub quote: Option<String>,
    /// Copy of the source's details at the time of citing.
    pub snapshot: DocumentCitationSnapshot,
    pub created_at: Timestamp,
}

/// Details of a source at the time a document cited it, used after the source is deleted.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentCitationSnapshot {
    pub title: String,
    pub kind: SourceType,
    /// Web address of the source, if it has one.
    pub url: Option<String>,
    /// All that is said of it in a reference, as CSL-JSON.
    pub item: serde_json::Value,
}

impl DocumentCitation {
    /// True if the citation counts: its marker is in the text, or it never had a marker and stands at its position.
    pub const fn is_attached(&self) -> bool {
        self.is_marked || !self.was_marked
    }
}
